#include "tests/evidence/word_problems.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kWordRangeSalt = 0x776f726473;
constexpr uint64_t kWordRangePoints = 4096;

// Each switch has a worth of its own, and so has each of as many pairs that agree.
WordFunction InteractingSwitches(const WordProblem& problem, Draws& draws) {
  struct Pair {
    size_t first;
    size_t second;
    double worth;
  };
  std::vector<double> own;
  std::vector<Pair> pairs;
  const std::vector<size_t> order = draws.Order(problem.parameters);
  for (size_t i = 0; i < problem.parameters; ++i) {
    own.push_back(draws.Between(-1, 1));
    pairs.push_back({order[i], order[(i + 1) % order.size()], draws.Between(-1, 1)});
  }
  return [own, pairs](absl::Span<const size_t> words) {
    double value = 0;
    for (size_t i = 0; i < own.size(); ++i) value += words[i] == 1 ? own[i] : -own[i];
    for (const Pair& pair : pairs) {
      value += words[pair.first] == words[pair.second] ? pair.worth : -pair.worth;
    }
    return value;
  };
}

// Kauffman's NK landscape: what a word is worth depends on the next `neighbours` parameters' words.
template <size_t neighbours>
WordFunction NeighbouringWords(const WordProblem& problem, Draws& draws) {
  size_t combinations = problem.words;
  for (size_t i = 0; i < neighbours; ++i) combinations *= problem.words;
  std::vector<std::vector<double>> worths(problem.parameters);
  for (std::vector<double>& of_one : worths) {
    for (size_t i = 0; i < combinations; ++i) of_one.push_back(draws.Between(0, 1));
  }
  return [worths, count = problem.words](absl::Span<const size_t> words) {
    double value = 0;
    for (size_t i = 0; i < worths.size(); ++i) {
      size_t combination = 0;
      for (size_t j = 0; j <= neighbours; ++j) {
        combination = combination * count + words[(i + j) % words.size()];
      }
      value += worths[i][combination];
    }
    return value;
  };
}

// A few features are needed, some of them in pairs; the others cost a little.
WordFunction ChosenFeatures(const WordProblem& problem, Draws& draws) {
  const std::vector<size_t> order = draws.Order(problem.parameters);
  const size_t needed = problem.parameters / 4;
  std::vector<double> worths;
  for (size_t i = 0; i < needed; ++i) worths.push_back(draws.Between(0.3, 1));
  return [order, needed, worths](absl::Span<const size_t> words) {
    double value = 0;
    for (size_t i = 0; i < needed; ++i) {
      const bool is_paired = i % 2 == 1;
      const bool serves = words[order[i]] == 1 && (!is_paired || words[order[i - 1]] == 1);
      if (!serves) value += worths[i];
    }
    for (size_t i = needed; i < order.size(); ++i) value += words[order[i]] == 1 ? 0.05 : 0;
    return value;
  };
}

double LeastOfAll(const WordProblem& problem, const WordFunction& function) {
  std::vector<size_t> words(problem.parameters, 0);
  double least = function(words);
  for (size_t place = 0; place < words.size();) {
    if (++words[place] == problem.words) {
      words[place++] = 0;
      continue;
    }
    place = 0;
    least = std::min(least, function(words));
  }
  return least;
}

std::vector<size_t> WordsOf(const Configuration& configuration) {
  std::vector<size_t> words;
  for (const Value& value : configuration.values) {
    const bool is_switch = value.kind() == Value::Kind::kBoolean;
    words.push_back(static_cast<size_t>(is_switch ? value.boolean() : value.level()));
  }
  return words;
}

}  // namespace

const std::vector<WordProblem>& WordProblems() {
  static const auto& problems = *new std::vector<WordProblem>{
      {"switches12", "Twelve switches, alone and in pairs", kWordsDevelopment, 12, 2,
       InteractingSwitches},
      {"words6x4", "Six choices of four words, each worth what its neighbour makes of it",
       kWordsDevelopment, 6, 4, NeighbouringWords<1>},
      {"features20", "Five of twenty features are needed, some in pairs", kWordsDevelopment, 20, 2,
       ChosenFeatures, true},
      {"switches15", "Fifteen switches, alone and in pairs", kWords, 15, 2, InteractingSwitches},
      {"words5x5", "Five choices of five words, each worth what two neighbours make of it", kWords,
       5, 5, NeighbouringWords<2>},
      {"words8x4", "Eight choices of four words, each worth what its neighbour makes of it", kWords,
       8, 4, NeighbouringWords<1>},
      {"features32", "Eight of thirty-two features are needed, some in pairs", kWords, 32, 2,
       ChosenFeatures, true},
  };
  return problems;
}

WordFunction WordFunctionOf(const WordProblem& problem, uint64_t seed) {
  Draws draws(seed);
  return problem.make(problem, draws);
}

absl::StatusOr<Problem> MakeWordProblem(const WordProblem& problem, const Beginning& beginning) {
  if (beginning.source_tasks) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < problem.parameters; ++i) {
    std::string name = absl::StrCat("p", i);
    parameters.push_back(problem.words == 2 ? Switch(std::move(name))
                                            : Words(std::move(name), "w", problem.words));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SearchSpace::Create(std::move(parameters)));
  Problem made;
  made.name = std::string(problem.name);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  const WordFunction function = WordFunctionOf(problem, beginning.seed);
  made.value = [function](const Point& point) { return function(WordsOf(point.configuration)); };
  made.best = problem.is_least_zero ? 0 : LeastOfAll(problem, function);
  SetRangeByDraws(kWordRangeSalt, kWordRangePoints, made);
  if (beginning.initial_points) made.initial = RandomInitialPoints(*made.space, beginning.seed);
  return made;
}

}  // namespace slipstream::evidence
