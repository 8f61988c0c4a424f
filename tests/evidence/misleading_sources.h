// Problems whose source tasks mislead: those of another problem, spoiled in one of several ways.
//
// A problem "branin_family~negated" is branin_family with sources of which every value has its sign
// changed. What a study loses beside one without sources is the harm that transfer does.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MISLEADING_SOURCES_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MISLEADING_SOURCES_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/study/study_view.h"

namespace slipstream::evidence {

struct Spoiling {
  absl::string_view name;
  absl::string_view summary;
  // The source with other points or values; `place` counts the problem's sources.
  SourceTaskData (*spoil)(SourceTaskData source, uint64_t seed, uint64_t place);
};

absl::Span<const Spoiling> Spoilings();

// A problem whose sources are spoiled, in all of these ways.
struct SpoiledProblem {
  absl::string_view problem;
  absl::string_view group;  // "misleading_development", or "misleading", which is only reported.
};

absl::Span<const SpoiledProblem> SpoiledProblems();

std::shared_ptr<const SourceTaskData> Spoiled(const Spoiling& spoiling,
                                              const SourceTaskData& source, uint64_t seed,
                                              uint64_t place);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MISLEADING_SOURCES_H_
