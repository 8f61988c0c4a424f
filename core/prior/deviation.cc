#include "core/prior/deviation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/prior/deviation_kernel.h"
#include "core/prior/source_points.h"
#include "core/prior/task_section.h"

namespace slipstream {
namespace {

// Of the target, task 0, and the sources.
Matrix TaskDistances(const SourceModels& sources, const TrainingData& results,
                     const PointMatrix& places) {
  const auto count = static_cast<Index>(sources.size());
  Matrix distances = Matrix::Zero(count + 1, count + 1);
  const Matrix means = MeansOf(sources, places);
  const Matrix at_results = MeansOf(sources, results.x);
  for (Index s = 0; s < count; ++s) {
    distances(s + 1, 0) = results.y.size() == 0
                              ? 1
                              : std::sqrt((results.y - at_results.col(s)).squaredNorm() /
                                          static_cast<double>(results.y.size()));
    for (Index other = 0; other < s; ++other) {
      distances(s + 1, other + 1) =
          std::sqrt((means.col(s) - means.col(other)).squaredNorm() /
                    static_cast<double>(std::max<Index>(1, places.rows())));
    }
  }
  distances.triangularView<Eigen::StrictlyUpper>() = distances.transpose();
  return distances;
}

// 1 - distance / scale of neighbours, else 0.
Matrix TaskSimilarity(const Matrix& distances, size_t neighbours, double scale) {
  const Index count = distances.rows();
  Matrix similarity = Matrix::Identity(count, count);
  for (Index task = 0; task < count; ++task) {
    std::vector<Index> others;
    for (Index other = 0; other < count; ++other) {
      if (other != task) others.push_back(other);
    }
    std::stable_sort(others.begin(), others.end(),
                     [&](Index a, Index b) { return distances(a, task) < distances(b, task); });
    others.resize(std::min(others.size(), neighbours));
    for (Index other : others) {
      const double value = std::max(0.0, 1 - distances(other, task) / scale);
      similarity(other, task) = value;
      similarity(task, other) = value;
    }
  }
  return similarity;
}

Model DeviationModel(const PriorInput& input, const DeviationOptions& options, Matrix tasks) {
  Model model;
  DeviationKernelOptions kernel;
  kernel.ratio = options.ratio;
  kernel.distance_scale =
      std::max(options.distance_scale, 2 * static_cast<double>(input.kinds.size()));
  model.kinds = WithTask(input.kinds);
  model.kernel = MakeDeviationKernel(kernel, input.kinds, std::move(tasks));
  const Model usual = DefaultModel(input.kinds, input.model);
  const auto around = [](HyperparameterBelief belief, double value) {
    belief.location = std::log(value);
    return belief;
  };
  model.beliefs = {around(usual.beliefs[0], options.amplitude),
                   around(usual.beliefs[1], options.lengthscale),
                   usual.beliefs[usual.beliefs.size() - 2],  // The noise variance's.
                   {0, 1, 0, 0}};
  return model;
}

// Results, then points, with their tasks.
TrainingData WithTasksOf(const TrainingData& results, const SourcePoints& points) {
  TrainingData data = Joined(results, points);
  data.x = WithTasks(results.x, points);
  return data;
}

class DeviationTransfer final : public Transfer {
 public:
  DeviationTransfer(Model model, TrainingData data, const TrainingData& target, SourcePoints points,
                    double nearest, Index neighbours)
      : Transfer(std::move(model), std::move(data)),
        points_(std::move(points)),
        all_(WithTasksOf(target, points_)),
        nearest_(nearest),
        neighbours_(neighbours) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, all_, hyperparameters));
    return MakeTargetSection(std::move(process));
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    // Every point as if it were at one place, so that only its task counts.
    PointMatrix at_once = PointMatrix::Zero(all_.x.rows(), all_.x.cols());
    at_once.col(at_once.cols() - 1) = all_.x.col(at_once.cols() - 1);
    const PointMatrix target = WithTask(PointMatrix::Zero(1, at_once.cols() - 1), kTargetTask);
    const Vector covariance =
        model().kernel->Covariance(hyperparameters.kernel, at_once, target).col(0);
    return PartsOf(points_, covariance.cwiseMax(0));
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    std::vector<Remark> remarks;
    remarks.emplace_back("nearest_task_distance", nearest_);
    remarks.emplace_back("neighbours", static_cast<double>(neighbours_));
    if (points_.size() < points_.all) remarks.emplace_back("source_points", CountOf(points_));
    return remarks;
  }

 private:
  SourcePoints points_;
  TrainingData all_;
  double nearest_;    // Of the sources' distances to the target.
  Index neighbours_;  // Sources that are the target's.
};

class Deviation final : public Prior {
 public:
  explicit Deviation(const DeviationOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    const TrainingData part =
        FirstOf(input.target, input.calibrated_results.value_or(input.target.y.size()));
    const PointMatrix& places = input.places.Get();
    const Matrix distances = TaskDistances(
        input.sources, part, places.topRows(std::min(options_.most_places, places.rows())));
    const Matrix similarity =
        TaskSimilarity(distances, options_.neighbours, options_.distance_scale);
    const Index sources = static_cast<Index>(input.sources.size());
    const auto of_target = similarity.col(0).tail(sources).array();
    TrainingData shown =
        WithTasksOf(part, PointsBeside(part, input, options_.most_calibrated_points));
    return std::make_unique<DeviationTransfer>(
        DeviationModel(input, options_, NearbyTaskCovariance(similarity)), std::move(shown),
        input.target, PointsBeside(input.target, input, options_.most_points),
        distances.col(0).tail(sources).minCoeff(), (of_target > 0).count());
  }

 private:
  static SourcePoints PointsBeside(const TrainingData& results, const PriorInput& input,
                                   Index most) {
    return CollectPoints(input.sources, std::max<Index>(0, most - results.y.size()));
  }

  DeviationOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeDeviation(const DeviationOptions& options) {
  return std::make_unique<Deviation>(options);
}

}  // namespace slipstream
