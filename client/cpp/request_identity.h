// The request id that makes a change safe to repeat.
#ifndef SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_
#define SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_

#include "slipstream/request_id.h"

namespace slipstream::client_internal {

// Gives `request` an id unless its caller has given it one.
template <typename Request>
void Identify(Request* request) {
  if (request->request_id().empty()) request->set_request_id(MakeRequestId());
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_
