// Inputs for a fuzzer, made from those of a corpus.
#ifndef SLIPSTREAM_TESTS_FUZZ_BYTE_MUTATION_H_
#define SLIPSTREAM_TESTS_FUZZ_BYTE_MUTATION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace slipstream::fuzz {

// The longest input that is made, in bytes.
inline constexpr size_t kLongestMutated = 4096;

// One of the inputs with a few changes: bits flipped, bytes replaced, added, removed or said twice,
// and pieces of other inputs put in. There must be an input.
std::string MutateBytes(const std::vector<std::string>& inputs, Dice& dice);

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_BYTE_MUTATION_H_
