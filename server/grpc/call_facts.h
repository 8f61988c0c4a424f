// What operators are told of a request. Pure functions.
#ifndef SLIPSTREAM_SERVER_GRPC_CALL_FACTS_H_
#define SLIPSTREAM_SERVER_GRPC_CALL_FACTS_H_

#include "google/protobuf/message.h"
#include "server/telemetry/call_monitor.h"

namespace slipstream {

// The resource that the request names, its request id, its worker and its options that are on, as
// far as it has them.
CallFacts FactsOf(const google::protobuf::Message& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_CALL_FACTS_H_
