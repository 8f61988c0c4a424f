#include "core/base/out_of_memory.h"

#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr char kText[] = "the server has too little memory for this at the moment";

// Made while there is memory; a copy takes none.
const absl::Status kPrepared = OverloadError(kText);

}  // namespace

absl::Status OutOfMemory() noexcept {
  try {
    return OverloadError(kText);
  } catch (const std::bad_alloc&) {
    return kPrepared;
  }
}

}  // namespace slipstream
