// This process, as the server shows it to people.
#ifndef SLIPSTREAM_CLIENT_CPP_THIS_PROCESS_H_
#define SLIPSTREAM_CLIENT_CPP_THIS_PROCESS_H_

#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

v1::WorkerProcess ThisProcess();

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_THIS_PROCESS_H_
