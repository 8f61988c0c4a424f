#include "core/prior/blocks/task_section.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/memo.h"

namespace slipstream {
namespace {

class TargetSection final : public TransferSurrogate {
 public:
  explicit TargetSection(std::shared_ptr<const GaussianProcess> process)
      : TransferSurrogate(process->dimension() - 1), process_(std::move(process)) {}

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<TargetSection>(*this);
  }

 private:
  static PointMatrix Placed(const PointMatrix& x) { return WithTask(x, kTargetTask); }

  Vector Placed(ConstVectorView x) const {
    Vector placed(x.size() + 1);
    placed << x, kTargetTask;
    return placed;
  }

  Predictions DoPredict(const PointMatrix& x) const override {
    return process_->Predict(Placed(x));
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    PointPrediction result = process_->PredictPoint(Placed(x));
    result.mean_gradient.conservativeResize(x.size());
    result.variance_gradient.conservativeResize(x.size());
    return result;
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    return process_->CrossCovariance(Placed(a), *Whitened(a), Placed(b), *Whitened(b));
  }

  std::shared_ptr<const Matrix> Whitened(const PointMatrix& x) const {
    const bool is_kept = AreExpected(x);
    const PointsKey key = {x};
    if (is_kept) {
      if (std::shared_ptr<const Matrix> found = whitened_->Find(key)) return found;
    }
    auto made = std::make_shared<const Matrix>(process_->Whitened(Placed(x)));
    if (!is_kept) return made;
    const auto numbers = static_cast<size_t>(x.size() + made->size());
    const size_t bytes = sizeof(double) * numbers;
    whitened_->Put(key, made, std::max(bytes, kMostBytesWhitened / kMostWhitened));
    return made;
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override {
    Vector placed = Vector::Zero(x.size() + 1);
    process_->AddCovarianceGradient(Placed(x), Placed(b), weights, placed);
    gradient += placed.head(x.size());
  }

  // The points that a search begins with, and the pending ones before and after one more, but no
  // long list of candidates, of which another one is left each time.
  static constexpr size_t kMostWhitened = 4;
  static constexpr size_t kMostBytesWhitened = 16 << 20;

  std::shared_ptr<const GaussianProcess> process_;
  std::shared_ptr<Memo<PointsKey, const Matrix>> whitened_ =
      std::make_shared<Memo<PointsKey, const Matrix>>(kMostBytesWhitened);
};

}  // namespace

CoordinateKinds WithTask(CoordinateKinds kinds) {
  kinds.push_back(CoordinateKind::kWord);
  return kinds;
}

PointMatrix WithTask(const PointMatrix& x, double task) {
  PointMatrix placed(x.rows(), x.cols() + 1);
  placed.leftCols(x.cols()) = x;
  placed.col(x.cols()).setConstant(task);
  return placed;
}

PointMatrix WithTasks(const PointMatrix& target, const SourcePoints& points) {
  PointMatrix placed(target.rows() + points.size(), points.data.x.cols() + 1);
  if (target.rows() > 0) placed.topRows(target.rows()) = WithTask(target, kTargetTask);
  Index first = 0;
  for (size_t s = 0; s < points.counts.size(); ++s) {
    const Index count = points.counts[s];
    placed.middleRows(target.rows() + first, count) =
        WithTask(points.data.x.middleRows(first, count), static_cast<double>(s + 1));
    first += count;
  }
  return placed;
}

std::unique_ptr<TransferSurrogate> MakeTargetSection(GaussianProcess process) {
  return std::make_unique<TargetSection>(
      std::make_shared<const GaussianProcess>(std::move(process)));
}

}  // namespace slipstream
