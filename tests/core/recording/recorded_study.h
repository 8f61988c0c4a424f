// Short studies whose suggestions are written down to the last bit.
#ifndef SLIPSTREAM_TESTS_CORE_RECORDING_RECORDED_STUDY_H_
#define SLIPSTREAM_TESTS_CORE_RECORDING_RECORDED_STUDY_H_

#include <string>
#include <vector>

#include "core/strategy/strategy.h"

namespace slipstream {

// Runs a strategy on a continuous space, a mixed conditional space and a candidate list, without
// and with two source tasks, and returns one line for each suggestion.
//
// In each study the first suggestion, which comes before any result, is recorded; then those after
// the initial design, with one trial pending throughout and an infeasible and a failed one in the
// history; and last a batch of two. A line holds the case, the rung, the configuration with
// numbers in hexadecimal, what was predicted there, and a digest of the whole provenance.
std::vector<std::string> Record(const Strategy& strategy);

// The provenances behind the lines, in full and in the same order: what to compare when a digest
// differs.
std::vector<std::string> Explain(const Strategy& strategy);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_RECORDING_RECORDED_STUDY_H_
