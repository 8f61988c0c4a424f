// The service layer on rows in memory, called by an RPC's number and a request's bytes as the
// transport does.
#ifndef SLIPSTREAM_TESTS_FUZZ_SERVICE_CALLS_H_
#define SLIPSTREAM_TESTS_FUZZ_SERVICE_CALLS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/access/rpc_table.h"
#include "server/service/service.h"
#include "server/store/store.h"

namespace slipstream::fuzz {

class ServiceCalls {
 public:
  // An empty store.
  ServiceCalls();

  // Waits for the answer; `response` gets its bytes. Of a watch it takes what there is by now.
  absl::Status Call(Rpc rpc, const std::string& request, std::string* response);

 private:
  const std::unique_ptr<Store> store_;
  Service service_;
};

// Calls, and ends the process with a message if the answer is one that no caller should ever get:
// INTERNAL, UNKNOWN, DATA_LOSS or UNIMPLEMENTED. Returns the response.
std::string CallOrDie(ServiceCalls& calls, Rpc rpc, const std::string& request);

// Reads all studies and their trials, which must succeed.
void ReadEverything(ServiceCalls& calls);

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_SERVICE_CALLS_H_
