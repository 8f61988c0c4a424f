#include "core/strategy/training_history.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "core/base/fingerprint.h"
#include "core/space/candidate_list.h"

namespace slipstream {
namespace {

// Results are settled while no earlier trial is open, and no late one can come between them. As
// long as they are this share of all, hyperparameters are calibrated to settled results alone.
constexpr double kSettledShare = 0.6;

// How many different configurations were measured before the first trial that is open.
Index CountSettled(const StudyView& view) {
  const int64_t first_open =
      view.open.empty() ? std::numeric_limits<int64_t>::max() : view.open.front().number;
  ConfigurationIndex seen;
  for (const EndedTrial& trial : view.ended) {
    if (trial.number > first_open) break;
    if (InformsModels(trial)) seen.try_emplace(&trial.configuration, 0);
  }
  return static_cast<Index>(seen.size());
}

// All that TrainingSetOf takes from these besides the trials and the space.
Fingerprint FingerprintOfScale(const StudyView& view, const Scaling& scaling) {
  Fingerprint fingerprint;
  fingerprint.Add(static_cast<int64_t>(view.goal));
  fingerprint.Add(static_cast<int64_t>(scaling.warp));
  fingerprint.Add(scaling.reach);
  fingerprint.Add(static_cast<int64_t>(scaling.beside_sources));
  fingerprint.Add(scaling.only_result_at);
  fingerprint.Add(static_cast<uint64_t>(scaling.most));
  if (!scaling.shared.has_value()) return fingerprint;
  for (const double number : scaling.shared->Numbers()) fingerprint.Add(number);
  return fingerprint;
}

// What EarlierTraining learns its results from, trial by trial.
std::vector<Fingerprint> HistoryFingerprints(const StudyView& view, const Scaling& scaling) {
  std::vector<Fingerprint> by_count;
  Fingerprint history = FingerprintOfScale(view, scaling);
  ConfigurationIndex seen;
  std::vector<double> point(view.space->dimension());
  for (const EndedTrial& trial : view.ended) {
    if (!InformsModels(trial)) continue;
    const auto [place, is_new] =
        seen.try_emplace(&trial.configuration, static_cast<int64_t>(seen.size()));
    if (is_new) by_count.push_back(history);
    history.Add(place->second);
    history.Add(*trial.value);
    if (!is_new) continue;
    view.space->EncodeCoordinates(trial.configuration, absl::MakeSpan(point));
    for (const double coordinate : point) history.Add(coordinate);
  }
  by_count.push_back(history);
  return by_count;
}

}  // namespace

TrainingSet TrainingSetOf(const StudyView& view, const Scaling& scaling,
                          const OutputTransform* transform) {
  TrainingSetOptions options;
  options.warp = scaling.warp;
  options.reach = scaling.reach;
  options.weighs_crowded = scaling.beside_sources;
  const OutputTransform* const shared = scaling.shared.has_value() ? &*scaling.shared : nullptr;
  options.transform = transform != nullptr ? transform : shared;
  options.only_result_at = scaling.only_result_at;
  options.most = scaling.most;
  return CollectTrainingSet(view, options);
}

Index CalibratedTo(const StudyView& view, Index different) {
  const Index of_all = ScheduledFitSize(different);
  if (of_all == different) return different;
  const Index settled = CountSettled(view);
  const Index of_settled = ScheduledFitSize(settled);
  const double least = kSettledShare * static_cast<double>(of_all);
  const bool are_enough = of_settled < settled && static_cast<double>(of_settled) >= least;
  return are_enough ? of_settled : of_all;
}

TrainingSet EarlierTraining(const StudyView& view, const Scaling& scaling, Index count) {
  ConfigurationIndex seen;
  size_t trials = 0;
  for (; trials < view.ended.size(); ++trials) {
    const EndedTrial& trial = view.ended[trials];
    if (!InformsModels(trial)) continue;
    if (static_cast<Index>(seen.size()) == count && !seen.contains(&trial.configuration)) break;
    seen.try_emplace(&trial.configuration, 0);
  }
  StudyView then = view;
  then.ended = view.ended.first(trials);
  return TrainingSetOf(then, scaling);
}

EarlierResults HistoryOf(const StudyView& view, const Scaling& scaling) {
  return {[&](Index count) {
            return count > 0 ? EarlierTraining(view, scaling, count).data : NoResults(*view.space);
          },
          [&] { return HistoryFingerprints(view, scaling); }};
}

TrainingData NoResults(const SearchSpace& space) {
  return {PointMatrix(0, static_cast<Index>(space.dimension())), Vector(0), Vector(0)};
}

}  // namespace slipstream
