// Functions on mixed and conditional spaces, a new member of a family for each seed.
// Their minima are known because they are put where they are.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MIXED_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MIXED_PROBLEMS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/mixed_setting.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's. Algorithms may be developed on the first four, of which the second
// has problems where a model stays where it is, the third trainings that learn in a small part of
// the space alone, and the fourth choices that open others; the last three are only for reports.
inline constexpr absl::string_view kMixedDevelopment = "mixed_development";
inline constexpr absl::string_view kStuckDevelopment = "stuck_development";
inline constexpr absl::string_view kChanceDevelopment = "chance_development";
inline constexpr absl::string_view kTreesDevelopment = "trees_development";
inline constexpr absl::string_view kMixed = "mixed";
inline constexpr absl::string_view kChance = "chance";
inline constexpr absl::string_view kTrees = "trees";

// One member of a family: a function to minimise, a configuration where it is lowest,
// and the parameter whose choices are the branches that a study may lock in on; empty: none.
struct MixedTask {
  std::function<double(const Setting&)> value;
  Configuration optimum;
  std::string branch;
};

struct MixedProblem {
  absl::string_view name;
  absl::string_view summary;  // What the family probes.
  absl::string_view group;
  std::vector<Parameter> (*parameters)() = nullptr;
  MixedTask (*task)(const SearchSpace& space, Draws& draws) = nullptr;
  bool noiseless = true;  // As Problem's.
};

// All of them, those for development first.
const std::vector<MixedProblem>& MixedProblems();

// The task of a seed. `space` is the problem's.
MixedTask MixedTaskOf(const MixedProblem& problem, const SearchSpace& space, uint64_t seed);

// Returns the same errors as MakeProblem.
absl::StatusOr<Problem> MakeMixedProblem(const MixedProblem& problem, const Beginning& beginning);

// The parts of MixedProblems.
std::vector<MixedProblem> MixedProblemsForDevelopment();
std::vector<MixedProblem> MixedProblemsForReports();
std::vector<MixedProblem> ChanceProblems();
std::vector<MixedProblem> TreeProblems();

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MIXED_PROBLEMS_H_
