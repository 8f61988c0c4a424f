// The calls about leases, free of any transport: requests and answers are messages,
// errors are absl::Status with an InvalidField where a field is wrong.
// proto/slipstream/v1/services.proto says what each call does.
//
// Every call answers through `done`, exactly once, perhaps before it returns and
// perhaps later on another thread; request and response must live until then.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEASE_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_LEASE_SERVICE_H_

#include "server/service/answering.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class LeaseService {
 public:
  // `store` must outlive the service.
  explicit LeaseService(Store* store) : store_(*store) {}

  void Heartbeat(const v1::HeartbeatRequest* request, v1::HeartbeatResponse* response, Done done);
  void ReleaseTrials(const v1::ReleaseTrialsRequest* request, v1::ReleaseTrialsResponse* response,
                     Done done);

 private:
  Store& store_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEASE_SERVICE_H_
