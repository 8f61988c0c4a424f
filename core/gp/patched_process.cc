#include "core/gp/patched_process.h"

#include <algorithm>
#include <utility>

#include "core/base/even_parts.h"
#include "core/base/status.h"
#include "core/gp/largest_places.h"

namespace slipstream {
namespace {

// So many covariances are computed at a time, in memory that stays in the processor's cache.
constexpr Index kCovarianceBlock = 1024;

// The point among `rows` that is nearest to their centre: a place where observations can be.
PointMatrix MiddleOf(const PointMatrix& x, const std::vector<Index>& rows) {
  Vector centre = Vector::Zero(x.cols());
  for (Index row : rows) centre += x.row(row).transpose() / static_cast<double>(rows.size());
  const auto off = [&](Index row) { return (x.row(row).transpose() - centre).squaredNorm(); };
  Index nearest = rows.front();
  for (Index row : rows) {
    if (off(row) < off(nearest)) nearest = row;
  }
  return x.row(nearest);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PatchedProcess>> PatchedProcess::Fit(
    std::shared_ptr<const GaussianPrior> prior, Observations observations, GaussianProcess sample,
    size_t most_fitted, std::shared_ptr<const Deadline> deadline) {
  if (!observations.x.allFinite() || !observations.y.allFinite() ||
      !observations.noise_variance.allFinite()) {
    return absl::FailedPreconditionError("observations must be finite");
  }
  Patches patches(observations.x, kMostInPatch);
  const PointMatrix& x = observations.x;
  std::vector<std::unique_ptr<KernelAt>> blocks;
  for (Index first = 0; first < x.rows(); first += kCovarianceBlock) {
    blocks.push_back(prior->At(x.middleRows(first, std::min(kCovarianceBlock, x.rows() - first))));
    if (blocks.back() == nullptr) {
      return absl::FailedPreconditionError("the prior has no form for points that stay");
    }
  }
  auto data = std::make_shared<const Data>(
      Data{std::move(prior), std::move(observations), std::move(patches), std::move(blocks)});
  return std::unique_ptr<PatchedProcess>(
      new PatchedProcess(std::move(data), std::move(sample), most_fitted, std::move(deadline)));
}

PatchedProcess::PatchedProcess(std::shared_ptr<const Data> data, GaussianProcess sample,
                               size_t most_fitted, std::shared_ptr<const Deadline> deadline)
    : Surrogate(data->prior->dimension()),
      data_(std::move(data)),
      sample_(std::move(sample)),
      absorbed_(0, data_->prior->dimension()),
      most_fitted_(most_fitted),
      deadline_(std::move(deadline)),
      fitted_(most_fitted),
      near_(std::max<size_t>(1, most_fitted / 4)) {}

// Those of all observations.
Vector PatchedProcess::CovariancesWith(const PointMatrix& middle) const {
  Vector covariances(data_->observations.y.size());
  Index first = 0;
  for (const std::unique_ptr<KernelAt>& block : data_->blocks) {
    block->Covariance(middle, covariances.segment(first, block->size()));
    first += block->size();
  }
  return covariances;
}

absl::StatusOr<PatchedProcess::Fitted> PatchedProcess::FitAround(
    const PointMatrix& middle, std::vector<Index> rows, std::optional<size_t> patch) const {
  const Observations& all = data_->observations;
  const Vector covariances = CovariancesWith(middle);
  if (!covariances.allFinite()) return absl::FailedPreconditionError("a covariance is not finite");
  const std::vector<Index> nearest = LargestPlaces(covariances, kNearest);
  double reach = covariances[nearest.front()];
  for (Index row : nearest) reach = std::min(reach, covariances[row]);
  rows.insert(rows.end(), nearest.begin(), nearest.end());
  const std::vector<Index> farther = FirstOfParts(all.y.size(), kFarther);
  rows.insert(rows.end(), farther.begin(), farther.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  SLIPSTREAM_ASSIGN_OR_RETURN(
      GaussianProcess process,
      GaussianProcess::Fit(data_->prior,
                           {all.x(rows, Eigen::all), all.y(rows), all.noise_variance(rows)}));
  Fitted fitted{std::move(process), middle, reach, patch};
  SLIPSTREAM_RETURN_IF_ERROR(TakeIn(absorbed_, fitted));
  return fitted;
}

absl::Status PatchedProcess::TakeIn(const PointMatrix& fresh, Fitted& fitted) const {
  const Vector covariances = data_->prior->Covariance(fresh, fitted.middle).col(0);
  std::vector<Index> rows;
  const auto is_in_patch = [&](Index row) {
    return fitted.patch.has_value() &&
           data_->patches.PatchOf(fresh.row(row).transpose()) == *fitted.patch;
  };
  for (Index row = 0; row < fresh.rows(); ++row) {
    if (covariances[row] >= fitted.reach || is_in_patch(row)) rows.push_back(row);
  }
  if (rows.empty()) return absl::OkStatus();
  return fitted.process.Absorb(fresh(rows, Eigen::all)).status();
}

// Not owned: this has it.
std::shared_ptr<const GaussianProcess> PatchedProcess::Sample() const {
  return {&sample_, [](const GaussianProcess*) {}};
}

void PatchedProcess::RememberIn(size_t patch, Fitted& fitted) const {
  if (remembered_.empty() || remembered_[patch].rows() == 0) return;
  fitted.process.Remember(remembered_[patch]);
}

std::shared_ptr<const GaussianProcess> PatchedProcess::ProcessOf(size_t patch) const {
  std::shared_ptr<Fitted> found = fitted_.Find(patch);
  if (found == nullptr) {
    if (IsOutOfTime()) return Sample();
    const std::vector<Index>& rows = data_->patches.rows(patch);
    absl::StatusOr<Fitted> fitted = FitAround(MiddleOf(data_->observations.x, rows), rows, patch);
    if (!fitted.ok()) return Sample();
    RememberIn(patch, *fitted);
    found = std::make_shared<Fitted>(*std::move(fitted));
    fitted_.Put(patch, found);
  }
  return {found, &found->process};
}

std::shared_ptr<const PatchedProcess::Fitted> PatchedProcess::FittedAt(ConstVectorView x) const {
  const absl::StatusOr<std::shared_ptr<Fitted>> fitted =
      near_.Get(x, [&]() -> absl::StatusOr<std::shared_ptr<Fitted>> {
        SLIPSTREAM_ASSIGN_OR_RETURN(Fitted around, FitAround(PointMatrix(x.transpose()), {}, {}));
        return std::make_shared<Fitted>(std::move(around));
      });
  return fitted.ok() ? *fitted : nullptr;
}

std::vector<std::vector<Index>> PatchedProcess::ByPatch(const PointMatrix& x) const {
  std::vector<std::vector<Index>> by_patch(data_->patches.size());
  for (Index row = 0; row < x.rows(); ++row) {
    by_patch[data_->patches.PatchOf(x.row(row).transpose())].push_back(row);
  }
  return by_patch;
}

template <typename Take>
void PatchedProcess::ForEachPatch(const PointMatrix& x, const Take& take) const {
  const std::vector<std::vector<Index>> by_patch = ByPatch(x);
  for (size_t patch = 0; patch < by_patch.size(); ++patch) {
    const std::vector<Index>& rows = by_patch[patch];
    if (!rows.empty()) take(*ProcessOf(patch), rows, x(rows, Eigen::all));
  }
}

Predictions PatchedProcess::DoPredict(const PointMatrix& x) const {
  if (x.rows() == 1) {
    const std::shared_ptr<const Fitted> near = FittedAt(x.row(0).transpose());
    if (near != nullptr) return near->process.Predict(x);
  }
  Predictions result{Vector(x.rows()), Vector(x.rows())};
  ForEachPatch(x, [&result](const GaussianProcess& process, const std::vector<Index>& rows,
                            const PointMatrix& points) {
    const Predictions there = process.Predict(points);
    result.mean(rows) = there.mean;
    result.variance(rows) = there.variance;
  });
  return result;
}

Vector PatchedProcess::DoPredictMean(const PointMatrix& x) const {
  Vector mean(x.rows());
  ForEachPatch(x, [&mean](const GaussianProcess& process, const std::vector<Index>& rows,
                          const PointMatrix& points) { mean(rows) = process.PredictMean(points); });
  return mean;
}

PointPrediction PatchedProcess::DoPredictPoint(ConstVectorView x) const {
  return ProcessOf(data_->patches.PatchOf(x))->PredictPoint(x);
}

Matrix PatchedProcess::DoJointCovariance(const PointMatrix& x) const {
  return sample_.JointCovariance(x);
}

JointPredictions PatchedProcess::DoPredictJointly(const PointMatrix& x) const {
  return sample_.PredictJointly(x);
}

absl::StatusOr<std::unique_ptr<Surrogate>> PatchedProcess::DoFantasize(const PointMatrix& x) const {
  std::unique_ptr<PatchedProcess> fantasy(
      new PatchedProcess(data_, sample_, most_fitted_, deadline_));
  fantasy->absorbed_ = absorbed_;
  SLIPSTREAM_RETURN_IF_ERROR(fantasy->Absorb(x).status());
  return fantasy;
}

absl::StatusOr<bool> PatchedProcess::DoAbsorb(const PointMatrix& x) {
  if (!x.allFinite()) return absl::FailedPreconditionError("observations must be finite");
  SLIPSTREAM_RETURN_IF_ERROR(sample_.Absorb(x).status());
  absorbed_.conservativeResize(absorbed_.rows() + x.rows(), Eigen::NoChange);
  absorbed_.bottomRows(x.rows()) = x;
  const auto take_in = [&](Fitted& fitted) { return TakeIn(x, fitted).ok(); };
  fitted_.ChangeAll(take_in);
  near_.ChangeAll(take_in);
  return true;
}

void PatchedProcess::DoRemember(const PointMatrix& x) {
  const std::vector<std::vector<Index>> by_patch = ByPatch(x);
  remembered_.clear();
  for (const std::vector<Index>& rows : by_patch) remembered_.push_back(x(rows, Eigen::all));
  for (size_t patch = 0; patch < by_patch.size(); ++patch) {
    if (const std::shared_ptr<Fitted> fitted = fitted_.Find(patch)) RememberIn(patch, *fitted);
  }
}

std::unique_ptr<Surrogate> PatchedProcess::DoNear(ConstVectorView x) const {
  const std::shared_ptr<const Fitted> fitted = FittedAt(x);
  if (fitted == nullptr) return nullptr;
  return std::make_unique<GaussianProcess>(fitted->process);
}

}  // namespace slipstream
