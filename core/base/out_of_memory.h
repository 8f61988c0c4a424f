// Turns a failed allocation into an error of the work that asked for the memory, so that
// it does not end the process.
//
//   absl::Status status = OrOutOfMemory([&] { return Fit(source); });
#ifndef SLIPSTREAM_CORE_BASE_OUT_OF_MEMORY_H_
#define SLIPSTREAM_CORE_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>
#include <type_traits>

#include "absl/status/status.h"

namespace slipstream {

// An OverloadError for work that runs out of memory. Takes no memory if there is none.
absl::Status OutOfMemory() noexcept;

// What `work` returns, a Status or StatusOr, or RESOURCE_EXHAUSTED if it could not have the
// memory that it wanted: an OverloadError, as other work may end and leave it some, unless it
// wanted more than there could ever be.
template <typename Work>
std::invoke_result_t<Work> OrOutOfMemory(const Work& work) {
  try {
    return work();
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError("the server has too little memory for this");
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_OUT_OF_MEMORY_H_
