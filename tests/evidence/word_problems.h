// Objectives of words and switches alone, more than can all be tried: flags of a compiler, parts of
// an architecture, subsets of features. How good a word is depends on the others.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_WORD_PROBLEMS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_WORD_PROBLEMS_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/evidence/mixed_setting.h"
#include "tests/evidence/problem.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {

// The same as ProblemListing's. Algorithms may be developed on the first; the second is only
// reported.
inline constexpr absl::string_view kWordsDevelopment = "words_development";
inline constexpr absl::string_view kWords = "words";

// A function of the index of each parameter's word, to be minimised.
using WordFunction = std::function<double(absl::Span<const size_t>)>;

// A family, with a new member for each seed.
struct WordProblem {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view group;
  size_t parameters = 0;
  size_t words = 2;  // Of each parameter; two are a switch.
  WordFunction (*make)(const WordProblem& problem, Draws& draws) = nullptr;
  // Whether the least value is 0; otherwise every combination is tried.
  bool is_least_zero = false;
};

const std::vector<WordProblem>& WordProblems();

// The function of a seed.
WordFunction WordFunctionOf(const WordProblem& problem, uint64_t seed);

// Returns the same errors as MakeProblem.
absl::StatusOr<Problem> MakeWordProblem(const WordProblem& problem, const Beginning& beginning);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_WORD_PROBLEMS_H_
