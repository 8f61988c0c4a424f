#include "core/acquisition/other_words.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/gp/surrogate.h"
#include "core/optim/neighbours.h"
#include "core/space/encoded_points.h"
#include "core/space/search_space.h"

namespace slipstream {
namespace {

constexpr double kPromisedDeviations = 2;
// By how much a draw may be expected to be worse than the incumbent, on outputs of variance 1.
constexpr double kAsGood = 0.1;
constexpr uint64_t kDraws = 192;
// The probabilities with which each word is drawn again; draws take turns with them, so that some
// redraw many words and some few.
constexpr double kRedrawn[] = {0.5, 0.25, 0.1};
// A word is drawn from all others of a parameter, or from so many of them.
constexpr size_t kWordsToDrawFrom = 4;
constexpr size_t kMostUnseen = 512;

std::vector<size_t> WordParameters(const SearchSpace& space, const Neighbours& neighbours) {
  std::vector<size_t> words;
  for (size_t parameter : neighbours.Stepped()) {
    if (space.IsUnordered(parameter)) words.push_back(parameter);
  }
  return words;
}

// The words of a parameter that trials have had.
class WordsOf {
 public:
  WordsOf(size_t parameter, absl::Span<const EndedTrial> ended, const ConfigurationIndex& taken)
      : parameter_(parameter) {
    for (const EndedTrial& trial : ended) words_.insert(WordOf(trial.configuration));
    for (const auto& [configuration, row] : taken) words_.insert(WordOf(*configuration));
  }
  bool contains(const Configuration& configuration) const {
    return words_.contains(WordOf(configuration));
  }

 private:
  // -1 where the parameter is inactive.
  int64_t WordOf(const Configuration& configuration) const {
    const Value& value = configuration.values[parameter_];
    if (!value.active()) return -1;
    return value.kind() == Value::Kind::kBoolean ? int64_t{value.boolean()} : value.level();
  }

  const size_t parameter_;
  std::unordered_set<int64_t> words_;
};

// `incumbent` with each of these parameters drawn again with so much probability.
Configuration Redrawn(const Configuration& incumbent, const Neighbours& neighbours,
                      const std::vector<size_t>& parameters, double probability, uint64_t seed,
                      uint64_t draw) {
  Configuration drawn = incumbent;
  for (size_t parameter : parameters) {
    if (CounterRandomUniform(seed, draw, 2 * parameter) >= probability) continue;
    std::vector<Configuration> others = neighbours.Change(drawn, parameter, seed + draw);
    if (others.empty()) continue;  // Inactive, or without another word.
    const double uniform = CounterRandomUniform(seed, draw, 2 * parameter + 1);
    drawn = std::move(others[static_cast<size_t>(uniform * static_cast<double>(others.size()))]);
  }
  return drawn;
}

// `configuration` with the parameter, and with those whose words it takes to have it; where several
// words do, one of them. None where there is no such word among those that are tried.
std::optional<Configuration> WithParameter(const SearchSpace& space, const Neighbours& neighbours,
                                           Configuration configuration, size_t parameter,
                                           uint64_t seed) {
  if (configuration.values[parameter].active()) return configuration;
  const size_t parent = space.ParentOf(parameter).value();
  std::optional<Configuration> with_parent =
      WithParameter(space, neighbours, std::move(configuration), parent, seed);
  if (!with_parent.has_value() || with_parent->values[parameter].active()) return with_parent;
  std::vector<Configuration> others = neighbours.Change(*with_parent, parent, seed);
  std::erase_if(others, [&](const Configuration& other) {
    return !other.values[parameter].active();
  });
  if (others.empty()) return {};
  const double uniform = CounterRandomUniform(seed, 0, parameter);
  return std::move(others[static_cast<size_t>(uniform * static_cast<double>(others.size()))]);
}

}  // namespace

std::optional<Configuration> UnseenWord(const NextPointRequest& request,
                                        absl::Span<const EndedTrial> ended) {
  const std::vector<Configuration> best = request.model.BestConfigurations(1);
  if (best.empty()) return {};
  const Neighbours neighbours(request.space, kMostUnseen);
  std::vector<Configuration> unseen;
  for (size_t parameter : WordParameters(request.space, neighbours)) {
    std::optional<Configuration> with =
        WithParameter(request.space, neighbours, best.front(), parameter, request.seed);
    if (!with.has_value()) continue;
    std::vector<Configuration> others = neighbours.Change(*with, parameter, request.seed);
    others.push_back(*std::move(with));
    const WordsOf seen(parameter, ended, request.taken);
    for (Configuration& other : others) {
      if (unseen.size() < kMostUnseen && !seen.contains(other)) unseen.push_back(std::move(other));
    }
  }
  if (unseen.empty()) return {};
  const Predictions there = PredictTogether(request.model, EncodeAll(request.space, unseen));
  Index most = 0;
  (there.mean + kPromisedDeviations * there.variance.cwiseSqrt()).maxCoeff(&most);
  return std::move(unseen[static_cast<size_t>(most)]);
}

std::optional<Configuration> WordsThatSeemNotToMatter(const NextPointRequest& request) {
  std::vector<Configuration> looked_at = request.model.BestConfigurations(1);
  if (looked_at.empty()) return {};
  const Configuration incumbent = looked_at.front();
  const Neighbours neighbours(request.space, kWordsToDrawFrom);
  const std::vector<size_t> words = WordParameters(request.space, neighbours);
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    const double probability = kRedrawn[draw % std::size(kRedrawn)];
    Configuration drawn =
        Redrawn(incumbent, neighbours, words, probability, request.seed, draw);
    if (drawn == incumbent || request.taken.contains(&drawn)) continue;
    looked_at.push_back(std::move(drawn));
  }
  const Predictions there = PredictTogether(request.model, EncodeAll(request.space, looked_at));
  std::optional<Index> found;
  for (Index i = 1; i < there.mean.size(); ++i) {
    if (there.mean[i] < there.mean[0] - kAsGood) continue;
    if (!found.has_value() || there.variance[i] > there.variance[*found]) found = i;
  }
  if (!found.has_value()) return {};
  return std::move(looked_at[static_cast<size_t>(*found)]);
}

}  // namespace slipstream
