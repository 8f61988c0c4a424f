// A function for each alternative of a variant.
#ifndef SLIPSTREAM_CLIENT_CPP_OVERLOADED_H_
#define SLIPSTREAM_CLIENT_CPP_OVERLOADED_H_

namespace slipstream::client_internal {

// For std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_OVERLOADED_H_
