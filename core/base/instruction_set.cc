#include "core/base/instruction_set.h"

namespace slipstream {

// The levels are those of the x86-64 psABI; a few features stand for each.
absl::string_view InstructionSet() {
#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  return "x86-64-v4";
#elif defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
  return "x86-64-v3";
#elif defined(__x86_64__) && defined(__SSE4_2__) && defined(__POPCNT__)
  return "x86-64-v2";
#elif defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "other";
#endif
}

}  // namespace slipstream
