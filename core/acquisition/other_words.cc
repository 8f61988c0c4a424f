#include "core/acquisition/other_words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/base/counter_random.h"
#include "core/optim/neighbours.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

constexpr double kPromisedDeviations = 2;
// What a draw may be expected to be worse than the incumbent, on outputs of variance 1.
constexpr double kAsGood = 0.1;
constexpr uint64_t kDraws = 192;
// How likely a word is drawn again, in turn: many words together, and few.
constexpr double kRedrawn[] = {0.5, 0.25, 0.1};
// More words than any parameter has that is looked at whole.
constexpr size_t kMostWords = 512;

// What the members predict together: the mean of their means and, by the law of total variance,
// the variance.
Predictions TogetherAt(const SearchedModel& model, absl::Span<const Configuration> configurations,
                       const SearchSpace& space) {
  const PointMatrix x = EncodeAll(space, configurations);
  Predictions sum{Vector::Zero(x.rows()), Vector::Zero(x.rows())};
  double all = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    const double weight = std::exp(model.LogWeight(i));
    const Predictions there = model.member(i).Predict(x);
    sum.mean += weight * there.mean;
    sum.variance += weight * (there.variance + there.mean.cwiseAbs2());
    all += weight;
  }
  sum.mean /= all;
  sum.variance = (sum.variance / all - sum.mean.cwiseAbs2()).cwiseMax(0);
  return sum;
}

std::vector<size_t> WordParameters(const SearchSpace& space, const Neighbours& neighbours) {
  std::vector<size_t> words;
  for (size_t parameter : neighbours.Stepped()) {
    if (space.IsUnordered(parameter)) words.push_back(parameter);
  }
  return words;
}

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

}  // namespace

std::optional<Configuration> UnseenWord(const NextPointRequest& request) {
  const std::vector<Configuration> measured =
      request.model.BestConfigurations(std::numeric_limits<size_t>::max());
  if (measured.empty()) return {};
  const Neighbours neighbours(request.space, kMostWords);
  std::vector<Configuration> unseen;
  for (size_t parameter : WordParameters(request.space, neighbours)) {
    std::vector<Configuration> others =
        neighbours.Change(measured.front(), parameter, request.seed);
    if (2 * others.size() > measured.size()) continue;
    for (Configuration& other : others) {
      const bool is_seen = std::any_of(measured.begin(), measured.end(), [&](const auto& each) {
        return each.values[parameter] == other.values[parameter];
      });
      if (!is_seen && !request.taken.contains(&other)) unseen.push_back(std::move(other));
    }
  }
  if (unseen.empty()) return {};
  const Predictions there = TogetherAt(request.model, unseen, request.space);
  Index most = 0;
  (there.mean + kPromisedDeviations * there.variance.cwiseSqrt()).maxCoeff(&most);
  return std::move(unseen[static_cast<size_t>(most)]);
}

std::optional<Configuration> WordsThatSeemNotToMatter(const NextPointRequest& request) {
  std::vector<Configuration> looked_at = request.model.BestConfigurations(1);
  if (looked_at.empty()) return {};
  const Configuration incumbent = looked_at.front();
  const Neighbours neighbours(request.space, kMostWords);
  const std::vector<size_t> words = WordParameters(request.space, neighbours);
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    const double probability = kRedrawn[draw % std::size(kRedrawn)];
    Configuration drawn =
        Redrawn(incumbent, neighbours, words, probability, request.seed, draw);
    if (drawn == incumbent || request.taken.contains(&drawn)) continue;
    looked_at.push_back(std::move(drawn));
  }
  const Predictions there = TogetherAt(request.model, looked_at, request.space);
  std::optional<Index> found;
  for (Index i = 1; i < there.mean.size(); ++i) {
    if (there.mean[i] < there.mean[0] - kAsGood) continue;
    if (!found.has_value() || there.variance[i] > there.variance[*found]) found = i;
  }
  if (!found.has_value()) return {};
  return std::move(looked_at[static_cast<size_t>(*found)]);
}

}  // namespace slipstream
