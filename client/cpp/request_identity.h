// Request ids, which make changes safe to retry.
#ifndef SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_
#define SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_

#include "slipstream/request_id.h"

namespace slipstream::client_internal {

// Gives `request` an id unless the caller has set one.
template <typename Request>
void Identify(Request* request) {
  if (request->request_id().empty()) request->set_request_id(MakeRequestId());
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_REQUEST_IDENTITY_H_
