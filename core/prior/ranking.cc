#include "core/prior/ranking.h"

#include <algorithm>
#include <numeric>

namespace slipstream {

double RankingLoss(const Vector& predicted, const Vector& y) {
  double loss = 0;
  for (Index j = 0; j < y.size(); ++j) {
    for (Index k = 0; k < y.size(); ++k) {
      if ((predicted[j] < predicted[k]) != (y[j] < y[k])) loss += 1;
    }
  }
  return loss;
}

std::vector<size_t> BestRankers(const SourceModels& sources, const TrainingData& target,
                                size_t most) {
  std::vector<size_t> places(sources.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (places.size() <= most) return places;
  std::vector<double> losses;
  for (const auto& source : sources) {
    losses.push_back(RankingLoss(source->expansion->Means(target.x), target.y));
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return losses[a] < losses[b]; });
  places.resize(most);
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace slipstream
