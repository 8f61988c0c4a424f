// The calls about source tasks, free of any transport: requests and answers are
// messages, errors are absl::Status with an InvalidField where a field is wrong.
// proto/slipstream/v1/services.proto says what each call does.
//
// Every call answers through `done`, exactly once, perhaps before it returns and
// perhaps later on another thread; request and response must live until then.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_SERVICE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/empty.pb.h"
#include "server/service/answering.h"
#include "server/service/executor.h"
#include "server/service/source_task_upload.h"
#include "server/service/transfer_preparation.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class SourceTaskService {
 public:
  // All pointers must outlive the service. `reads` runs what reads the store,
  // `computations` what packs and hashes an upload.
  SourceTaskService(Store* store, TransferPreparation* transfer, Executor* reads,
                    Executor* computations, size_t full_page_bytes)
      : store_(*store),
        transfer_(transfer),
        reads_(reads),
        computations_(computations),
        full_page_bytes_(full_page_bytes) {}

  // Registers what `upload` has collected.
  void RegisterSourceTask(std::unique_ptr<SourceTaskUpload> upload,
                          v1::RegisterSourceTaskResponse* response, Done done);
  void GetSourceTask(const v1::GetSourceTaskRequest* request, v1::SourceTask* response, Done done);
  void ListSourceTasks(const v1::ListSourceTasksRequest* request,
                       v1::ListSourceTasksResponse* response, Done done);
  void ListSourceObservations(const v1::ListSourceObservationsRequest* request,
                              v1::ListSourceObservationsResponse* response, Done done);
  void DeleteSourceTask(const v1::DeleteSourceTaskRequest* request,
                        google::protobuf::Empty* response, Done done);

 private:
  Store& store_;
  TransferPreparation* const transfer_;
  Executor* const reads_;
  Executor* const computations_;
  const size_t full_page_bytes_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_SERVICE_H_
