#include "core/prior/collaborative.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/prior/blocks/source_points.h"
#include "core/prior/blocks/task_section.h"
#include "core/prior/ordinal_scores.h"

namespace slipstream {
namespace {

// Over points and tasks.
Model ScoreModel(const PriorInput& input) {
  ModelOptions options = input.model;
  options.lengthscales = Lengthscales::kEach;
  options.noiseless = false;
  Model model = DefaultModel(input.kinds, options);
  model.kinds = WithTask(input.kinds);
  model.kernel = MakeStationary(options.smoothness, model.kinds, Lengthscales::kEach);
  // Before the noise variance and the mean.
  model.beliefs.insert(model.beliefs.end() - 2, {0, 1, std::log(0.1), std::log(1e3)});
  return model;
}

// The covariance of the ranking machine.
Matrix RankingCovariance(const CoordinateKinds& kinds, const PointMatrix& x) {
  const auto kernel =
      MakeStationary(Smoothness::kSquaredExponential, WithTask(kinds), Lengthscales::kEach);
  Vector parameters = Vector::Constant(kernel->parameter_count(),
                                       -1 + 0.5 * std::log(static_cast<double>(kinds.size())));
  parameters[0] = 0;                      // Amplitude 1.
  parameters[parameters.size() - 1] = 0;  // The task's lengthscale 1.
  return kernel->Covariance(parameters, x, x);
}

// Points, tasks and scores: those of the target, then those of the sources.
struct Scored {
  TrainingData data;
  Index results = 0;
  SourcePoints points;
  double in_order = 1;  // This part of the target's pairs is in order.
};

// Turns latent scores into numbers that a model can do with.
void ScaleScores(const Vector& y, const std::vector<Index>& counts, Vector& scores) {
  double squares = 0;
  Index first = 0;
  for (Index count : counts) {
    if (count == 0) continue;
    const auto part = scores.segment(first, count).array();
    squares += (part - part.mean()).square().sum();
    first += count;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(std::max<Index>(1, first)));
  if (deviation > 0) scores /= deviation;
  const Index results = counts.front();
  if (results > 0) scores.array() += y.head(results).mean() - scores.head(results).mean();
}

absl::StatusOr<Scored> ScoredPoints(const CollaborativeOptions& options,
                                    const CoordinateKinds& kinds, const SourceModels& sources,
                                    const TrainingData& target) {
  Scored scored;
  const TrainingData results = RowsOf(target, SpreadRows(target.y, options.most_of_target));
  scored.results = results.y.size();
  scored.points = CollectPoints(sources, std::max<Index>(0, options.most_points - scored.results),
                                options.most_of_source);
  const Index size = scored.results + scored.points.size();
  std::vector<Index> counts = scored.points.counts;
  counts.insert(counts.begin(), scored.results);
  const Vector y = Joined(results, scored.points).y;
  scored.data = {WithTasks(results.x, scored.points), {}, Vector::Ones(size), {}, {}};
  SLIPSTREAM_ASSIGN_OR_RETURN(scored.data.y, OrdinalScores(RankingCovariance(kinds, scored.data.x),
                                                           y, counts, options.penalty));
  scored.in_order = PartInOrder(scored.data.y.head(scored.results), results.y);
  ScaleScores(y, counts, scored.data.y);
  return scored;
}

// At most so many points, the target's first.
TrainingData ShownScores(const Scored& scored, Index most) {
  const Index results = scored.results;
  std::vector<Index> rows = SpreadRows(scored.data.y.head(results), most);
  const Index room = std::max<Index>(0, most - results);
  for (Index row : SpreadRows(scored.data.y.tail(scored.points.size()), room)) {
    rows.push_back(results + row);
  }
  return RowsOf(scored.data, rows);
}

class CollaborativeTransfer final : public Transfer {
 public:
  CollaborativeTransfer(Model model, TrainingData data, Scored scored)
      : Transfer(std::move(model), std::move(data)), scored_(std::move(scored)) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, scored_.data, hyperparameters));
    return MakeTargetSection(std::move(process));
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    Vector weights = Vector::Constant(scored_.data.y.size(), TaskCorrelation(hyperparameters));
    weights.head(scored_.results).setOnes();
    return PartsOf(scored_.points, weights);
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks;
    remarks.emplace_back("task_correlation", TaskCorrelation(hyperparameters));
    if (scored_.results > 1) remarks.emplace_back("pairs_in_order", scored_.in_order);
    if (scored_.points.size() < scored_.points.all) {
      remarks.emplace_back("source_points", CountOf(scored_.points));
    }
    return remarks;
  }

 private:
  // The correlation between the functions of two tasks at a point.
  double TaskCorrelation(const Hyperparameters& hyperparameters) const {
    const PointMatrix point = PointMatrix::Zero(1, model().kernel->dimension() - 1);
    return model().kernel->Covariance(hyperparameters.kernel, WithTask(point, kTargetTask),
                                      WithTask(point, kTargetTask + 1))(0, 0) /
           model().kernel->Variance(hyperparameters.kernel);
  }

  Scored scored_;
};

class Collaborative final : public Prior {
 public:
  explicit Collaborative(const CollaborativeOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(Scored scored,
                                ScoredPoints(options_, input.kinds, input.sources, input.target));
    const Index calibrated = input.calibrated_results.value_or(input.target.y.size());
    TrainingData shown;
    if (calibrated == input.target.y.size()) {
      shown = ShownScores(scored, options_.most_calibrated_points);
    } else {
      SLIPSTREAM_ASSIGN_OR_RETURN(
          const Scored earlier,
          ScoredPoints(options_, input.kinds, input.sources, FirstOf(input.target, calibrated)));
      shown = ShownScores(earlier, options_.most_calibrated_points);
    }
    return std::make_unique<CollaborativeTransfer>(ScoreModel(input), std::move(shown),
                                                   std::move(scored));
  }

 private:
  CollaborativeOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeCollaborative(const CollaborativeOptions& options) {
  return std::make_unique<Collaborative>(options);
}

const PriorRow kScotPrior = {
    .about =
        {.name = "scot",
         .summary =
             "Latent scores from the order of results within each task, modelled by one process",
         .source = "SCoT: Bardenet et al. 2013"},
    .make = [](const OptionSet&,
               const FollowedAcquisition&) { return MakeCollaborative(CollaborativeOptions()); },
};

}  // namespace slipstream
