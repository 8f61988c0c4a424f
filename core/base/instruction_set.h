// The instruction set that core was compiled for. On x86-64 there are two
// builds of core, and the dynamic loader picks the one that suits the machine.
#ifndef SLIPSTREAM_CORE_BASE_INSTRUCTION_SET_H_
#define SLIPSTREAM_CORE_BASE_INSTRUCTION_SET_H_

#include "absl/strings/string_view.h"

namespace slipstream {

// "x86-64", "x86-64-v3" or "arm64"; in a build with custom flags also "x86-64-v2"
// or "x86-64-v4"; "other" elsewhere. One build gives the same results on every
// machine that runs it, as far as the C library's mathematical functions do; two
// builds agree only up to rounding.
absl::string_view InstructionSet();

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_INSTRUCTION_SET_H_
