#include "core/prior/deviation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/prior/blocks/source_points.h"
#include "core/prior/blocks/task_section.h"
#include "core/prior/deviation_kernel.h"

namespace slipstream {
namespace {

Vector DistancesFromTarget(const SourceModels& sources, const TrainingData& results) {
  if (results.y.size() == 0) return Vector::Ones(static_cast<Index>(sources.size()));
  const Matrix at_results = MeansOf(sources, results.x);
  return ((at_results.colwise() - results.y).colwise().squaredNorm().transpose() /
          static_cast<double>(results.y.size()))
      .cwiseSqrt();
}

// The `most` nearest, ascending.
std::vector<size_t> NearestOf(const Vector& distances, size_t most) {
  std::vector<size_t> nearest(static_cast<size_t>(distances.size()));
  std::iota(nearest.begin(), nearest.end(), size_t{0});
  if (nearest.size() <= most) return nearest;
  std::stable_sort(nearest.begin(), nearest.end(), [&](size_t a, size_t b) {
    return distances[static_cast<Index>(a)] < distances[static_cast<Index>(b)];
  });
  nearest.resize(most);
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

// The distances between tasks: the target, which is task 0, and the sources.
Matrix TaskDistances(const SourceModels& sources, const Vector& from_target,
                     const PointMatrix& places) {
  const auto count = static_cast<Index>(sources.size());
  Matrix distances = Matrix::Zero(count + 1, count + 1);
  const Matrix means = MeansOf(sources, places);
  distances.col(0).tail(count) = from_target;
  for (Index s = 0; s < count; ++s) {
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
  if (input.model.given.mean.has_value()) model.beliefs.back() = usual.beliefs.back();
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
  // `chosen` of `sources` sources take part.
  DeviationTransfer(Model model, TrainingData data, const TrainingData& target, SourcePoints points,
                    std::vector<size_t> chosen, size_t sources, double nearest, Index neighbours)
      : Transfer(std::move(model), std::move(data)),
        chosen_(std::move(chosen)),
        sources_(sources),
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
    const Vector parts = PartsOf(points_, covariance.cwiseMax(0));
    Vector shares = Vector::Zero(static_cast<Index>(sources_));
    for (size_t i = 0; i < chosen_.size(); ++i) {
      shares[static_cast<Index>(chosen_[i])] = parts[static_cast<Index>(i)];
    }
    return shares;
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    std::vector<Remark> remarks;
    remarks.emplace_back("nearest_task_distance", nearest_);
    remarks.emplace_back("neighbours", static_cast<double>(neighbours_));
    if (chosen_.size() < sources_) {
      remarks.emplace_back("sources_taking_part", static_cast<double>(chosen_.size()));
    }
    if (points_.size() < points_.all) remarks.emplace_back("source_points", CountOf(points_));
    return remarks;
  }

 private:
  std::vector<size_t> chosen_;
  size_t sources_;
  SourcePoints points_;
  TrainingData all_;
  double nearest_;    // The least of the sources' distances to the target.
  Index neighbours_;  // Sources that are the target's.
};

class Deviation final : public Prior {
 public:
  explicit Deviation(const DeviationOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    const TrainingData part = input.CalibrationPart();
    const PointMatrix& places = input.places.Get();
    const Vector from_all = DistancesFromTarget(input.sources, part);
    std::vector<size_t> chosen = NearestOf(from_all, std::max<size_t>(options_.most_tasks, 1));
    SourceModels nearest;
    Vector from_target(static_cast<Index>(chosen.size()));
    for (size_t i = 0; i < chosen.size(); ++i) {
      nearest.push_back(input.sources[chosen[i]]);
      from_target[static_cast<Index>(i)] = from_all[static_cast<Index>(chosen[i])];
    }
    const Matrix distances = TaskDistances(
        nearest, from_target, places.topRows(std::min(options_.most_places, places.rows())));
    const Matrix similarity =
        TaskSimilarity(distances, options_.neighbours, options_.distance_scale);
    const auto of_target = similarity.col(0).tail(from_target.size()).array();
    TrainingData shown =
        WithTasksOf(part, PointsBeside(part, nearest, options_.most_calibrated_points));
    return std::make_unique<DeviationTransfer>(
        DeviationModel(input, options_, NearbyTaskCovariance(similarity)), std::move(shown),
        input.target, PointsBeside(input.target, nearest, options_.most_points), std::move(chosen),
        input.sources.size(), from_target.minCoeff(), (of_target > 0).count());
  }

 private:
  static SourcePoints PointsBeside(const TrainingData& results, const SourceModels& sources,
                                   Index most) {
    return CollectPoints(sources, std::max<Index>(0, most - results.y.size()));
  }

  DeviationOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeDeviation(const DeviationOptions& options) {
  return std::make_unique<Deviation>(options);
}

namespace {

constexpr Option<DeviationOptions> kDeviationOptions[] = {
    OptionAt<&DeviationOptions::most_points>(kPooledPointsOption),
};

}  // namespace

const PriorRow kDeviationPrior = {
    .about = {.name = "deviation",
              .summary = "One process over points and tasks for the deviations from each task's "
                         "mean",
              .source = "Efficient-BO: Yogatama and Mann 2014",
              .options = [] { return OptionSet(DeviationOptions(), kDeviationOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeDeviation(options.As<DeviationOptions>());
        },
};

}  // namespace slipstream
