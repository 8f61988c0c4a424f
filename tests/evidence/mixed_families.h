// Mixed and conditional problems with sources: the histories of an optimiser on other tasks.
//
// A problem "four_branches_family" is four_branches, whose sources are tasks that resemble it;
// "four_branches_moved_family" has sources whose best branch is another one than the study's; those
// of "four_branches_strangers" share nothing with it but the space.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MIXED_FAMILIES_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MIXED_FAMILIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/mixed_problems.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's. The first has the families of mixed_development, the second those
// of mixed, which are only reported.
inline constexpr absl::string_view kMixedFamilyDevelopment = "mixed_family_development";
inline constexpr absl::string_view kMixedFamily = "mixed_family";

enum class Kinship { kAkin, kMoved, kStrangers };

struct MixedFamily {
  std::string name;
  std::string summary;
  absl::string_view group;
  const MixedProblem* problem = nullptr;
  Kinship kinship = Kinship::kAkin;
};

inline constexpr uint64_t kMixedSources = 3;

const std::vector<MixedFamily>& MixedFamilies();

// The task of a source, 0 to kMixedSources - 1. `space` is the problem's.
MixedTask SourceTaskOf(const MixedFamily& family, const SearchSpace& space, uint64_t seed,
                       uint64_t source);

// Returns the same errors as MakeProblem.
absl::StatusOr<Problem> MakeMixedFamilyProblem(const MixedFamily& family,
                                               const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MIXED_FAMILIES_H_
