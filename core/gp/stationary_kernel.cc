#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/gp/correlation.h"
#include "core/gp/kernel.h"

namespace slipstream {
namespace {

// Hyperparameters as the formulas have them.
struct Shape {
  double variance = 1;
  Vector inverse_lengthscales;  // One for each coordinate.
};

// The row, at the diagonal or a little above, from which on column `j` is rounded as a whole one:
// entries before the first aligned one are computed one by one, those after it several at a time.
Index FirstRoundedAlike(const MatrixView& m, Index j) {
  Index row = j;
  while (row > 0 && reinterpret_cast<uintptr_t>(&m(row, j)) % EIGEN_MAX_ALIGN_BYTES != 0) --row;
  return row;
}

class StationaryKernel : public Kernel {
 public:
  StationaryKernel(Smoothness smoothness, CoordinateKinds kinds, Lengthscales lengthscales)
      : Kernel(static_cast<Index>(kinds.size()),
               1 + (lengthscales == Lengthscales::kEach ? static_cast<Index>(kinds.size()) : 1)),
        smoothness_(smoothness),
        kinds_(std::move(kinds)),
        lengthscales_(lengthscales) {}

  std::vector<std::string> ParameterNames() const override {
    std::vector<std::string> names = {"amplitude"};
    if (lengthscales_ == Lengthscales::kShared) {
      names.push_back("lengthscale");
    } else {
      for (Index i = 0; i < dimension(); ++i) names.push_back(absl::StrCat("lengthscale[", i, "]"));
    }
    return names;
  }

  Smoothness smoothness() const { return smoothness_; }
  bool IsWord(Index coordinate) const {
    return kinds_[static_cast<size_t>(coordinate)] == CoordinateKind::kWord;
  }
  bool AreNumbers(Index first, Index end) const {
    for (; first < end; ++first) {
      if (IsWord(first)) return false;
    }
    return true;
  }
  // Which hyperparameter scales the coordinate.
  Index ParameterOf(Index coordinate) const {
    return lengthscales_ == Lengthscales::kEach ? 1 + coordinate : 1;
  }

  Shape ShapeOf(ConstVectorView parameters) const {
    Shape shape;
    shape.variance = std::exp(2 * parameters[0]);
    shape.inverse_lengthscales.resize(dimension());
    for (Index d = 0; d < dimension(); ++d) {
      shape.inverse_lengthscales[d] = std::exp(-parameters[ParameterOf(d)]);
    }
    return shape;
  }

  // Points with each number divided by its lengthscale.
  PointMatrix Scaled(const Shape& shape, const PointMatrix& x) const {
    PointMatrix scaled = x;
    for (Index d = 0; d < dimension(); ++d) {
      if (!IsWord(d)) scaled.col(d) *= shape.inverse_lengthscales[d];
    }
    return scaled;
  }

  // Squared distances of the rows of the scaled `a` from `first` on to row `j`
  // of the scaled `b`.
  void SquaredDistances(const Shape& shape, const PointMatrix& a, Index first, const PointMatrix& b,
                        Index j, ArrayView out) const {
    const Index count = a.rows() - first;
    out.setZero();
    Index d = 0;
    // Four numbers at a time, in the same order as one by one.
    for (; d + 3 < dimension() && AreNumbers(d, d + 4); d += 4) {
      out = out + (a.col(d).tail(count).array() - b(j, d)).square() +
            (a.col(d + 1).tail(count).array() - b(j, d + 1)).square() +
            (a.col(d + 2).tail(count).array() - b(j, d + 2)).square() +
            (a.col(d + 3).tail(count).array() - b(j, d + 3)).square();
    }
    for (; d < dimension(); ++d) {
      const auto column = a.col(d).tail(count).array();
      const double other = b(j, d);
      if (IsWord(d)) {
        const double inverse = shape.inverse_lengthscales[d];
        out += (column == other).select(Eigen::ArrayXd::Zero(count), inverse * inverse);
      } else {
        out += (column - other).square();
      }
    }
  }

 private:
  void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                    MatrixView out) const override {
    const Shape shape = ShapeOf(parameters);
    const PointMatrix left = Scaled(shape, a);
    const PointMatrix right = Scaled(shape, b);
    for (Index j = 0; j < b.rows(); ++j) FillColumn(shape, left, 0, right, j, out.col(j).array());
  }

  void DoLowerCovariance(ConstVectorView parameters, const PointMatrix& x,
                         MatrixView out) const override {
    const Shape shape = ShapeOf(parameters);
    const PointMatrix scaled = Scaled(shape, x);
    for (Index j = 0; j < x.rows(); ++j) {
      const Index first = FirstRoundedAlike(out, j);
      FillColumn(shape, scaled, first, scaled, j, out.col(j).tail(x.rows() - first).array());
    }
  }

  // The covariances of the rows of `a` from `first` on with row `j` of `b`, both scaled.
  void FillColumn(const Shape& shape, const PointMatrix& a, Index first, const PointMatrix& b,
                  Index j, ArrayView column) const {
    SquaredDistances(shape, a, first, b, j, column);
    Correlate(smoothness_, column);
    column *= shape.variance;
  }

  double DoVariance(ConstVectorView parameters) const override {
    return std::exp(2 * parameters[0]);
  }

  void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                          ConstVectorView weights, VectorView gradient) const override {
    const Shape shape = ShapeOf(parameters);
    const PointMatrix others = Scaled(shape, b);
    const PointMatrix point = Scaled(shape, x.transpose());
    Eigen::ArrayXd values(b.rows());
    Eigen::ArrayXd slopes(b.rows());
    SquaredDistances(shape, others, 0, point, 0, values);
    CorrelateWithSlopes(smoothness_, values, slopes);
    slopes *= weights.array();
    const double total = slopes.sum();
    for (Index d = 0; d < dimension(); ++d) {
      if (IsWord(d)) continue;
      // sum_i w_i c'(s_i) 2 (x - b_i)/l^2.
      const double weighted = slopes.matrix().dot(others.col(d));
      gradient[d] +=
          2 * shape.variance * shape.inverse_lengthscales[d] * (total * point(0, d) - weighted);
    }
  }

  std::unique_ptr<KernelTape> DoRecord(ConstVectorView parameters,
                                       const PointMatrix& x) const override;
  std::unique_ptr<KernelAt> DoAt(ConstVectorView parameters,
                                 const PointMatrix& points) const override;

  Smoothness smoothness_;
  CoordinateKinds kinds_;
  Lengthscales lengthscales_;
};

class StationaryTape : public KernelTape {
 public:
  StationaryTape(const StationaryKernel& kernel, Shape shape, const PointMatrix& x)
      : kernel_(kernel), shape_(std::move(shape)), scaled_(kernel.Scaled(shape_, x)) {
    const Index size = x.rows();
    lower_.resize(size, size);
    slopes_.resize(size, size);
    for (Index j = 0; j < size; ++j) {
      auto values = lower_.col(j).tail(size - j).array();
      auto slopes = slopes_.col(j).tail(size - j).array();
      kernel_.SquaredDistances(shape_, scaled_, j, scaled_, j, values);
      CorrelateWithSlopes(kernel_.smoothness(), values, slopes);
      values *= shape_.variance;
      slopes *= shape_.variance;
    }
  }

  // d k/d log amplitude = 2 k;  d k/d log l_d = c'(s) (-2) (distance_d / l_d)^2.
  void AddParameterGradient(const Matrix& weights, VectorView gradient) const override {
    const Index size = scaled_.rows();
    Eigen::ArrayXd pull(size);
    Eigen::ArrayXd by_coordinate = Eigen::ArrayXd::Zero(scaled_.cols());
    double by_amplitude = 0;
    for (Index j = 0; j < size; ++j) {
      const Index below = size - j - 1;
      const auto weight = weights.col(j).tail(below).array();
      by_amplitude +=
          weights(j, j) * lower_(j, j) + 2 * (weight * lower_.col(j).tail(below).array()).sum();
      auto pulled = pull.head(below);
      pulled = weight * slopes_.col(j).tail(below).array();
      AddSquares(j, pulled, by_coordinate);
    }
    gradient[0] += 2 * by_amplitude;
    for (Index d = 0; d < scaled_.cols(); ++d) {
      gradient[kernel_.ParameterOf(d)] += -4 * by_coordinate[d];
    }
  }

 private:
  // Adds sum_i pull[i] (distance of point j + 1 + i to point j along d / l_d)^2.
  void AddSquares(Index j, ArrayView pull, Eigen::ArrayXd& by_coordinate) const {
    for (Index d = 0; d < scaled_.cols(); ++d) {
      const auto others = scaled_.col(d).tail(pull.size()).array();
      const double own = scaled_(j, d);
      if (kernel_.IsWord(d)) {
        const double inverse = shape_.inverse_lengthscales[d];
        by_coordinate[d] += inverse * inverse * (others == own).select(0.0, pull).sum();
      } else {
        by_coordinate[d] += (pull * (others - own).square()).sum();
      }
    }
  }

  const StationaryKernel& kernel_;
  Shape shape_;
  PointMatrix scaled_;
  Matrix slopes_;  // Variance times dc/ds; lower triangle.
};

std::unique_ptr<KernelTape> StationaryKernel::DoRecord(ConstVectorView parameters,
                                                       const PointMatrix& x) const {
  return std::make_unique<StationaryTape>(*this, ShapeOf(parameters), x);
}

class StationaryKernelAt final : public KernelAt {
 public:
  StationaryKernelAt(const StationaryKernel& kernel, Shape shape, const PointMatrix& points)
      : KernelAt(points.rows(), 1),
        kernel_(kernel),
        shape_(std::move(shape)),
        scaled_(kernel.Scaled(shape_, points)) {}

 private:
  void DoCovariance(const PointMatrix& x, MatrixView out) const override {
    const PointMatrix others = kernel_.Scaled(shape_, x);
    // Not in `out`, where a column's alignment would tell which of its entries
    // are rounded like vectors.
    Eigen::ArrayXd column(size());
    for (Index j = 0; j < x.rows(); ++j) {
      kernel_.SquaredDistances(shape_, scaled_, 0, others, j, column);
      Correlate(kernel_.smoothness(), column);
      out.col(j) = shape_.variance * column;
    }
  }

  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const override {
    const PointMatrix point = kernel_.Scaled(shape_, x.transpose());
    auto correlations = values.array();
    kernel_.SquaredDistances(shape_, scaled_, 0, point, 0, correlations);
    CorrelateWithSlopes(kernel_.smoothness(), correlations, slopes.col(0).array());
    values *= shape_.variance;
    slopes.col(0) *= 2 * shape_.variance;
  }

  // sum_i w_i c'(s_i) 2 (x - b_i)/l^2.
  void DoAddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                      MatrixView gradients) const override {
    const PointMatrix point = kernel_.Scaled(shape_, x.transpose());
    const Matrix pull = slopes.col(0).asDiagonal() * weights;
    const Matrix pulled = scaled_.transpose() * pull;
    const Eigen::RowVectorXd total = pull.colwise().sum();
    for (Index d = 0; d < x.size(); ++d) {
      if (kernel_.IsWord(d)) continue;
      gradients.row(d) += shape_.inverse_lengthscales[d] * (total * point(0, d) - pulled.row(d));
    }
  }

  const StationaryKernel& kernel_;
  Shape shape_;
  PointMatrix scaled_;
};

std::unique_ptr<KernelAt> StationaryKernel::DoAt(ConstVectorView parameters,
                                                 const PointMatrix& points) const {
  return std::make_unique<StationaryKernelAt>(*this, ShapeOf(parameters), points);
}

}  // namespace

std::unique_ptr<Kernel> MakeStationary(Smoothness smoothness, CoordinateKinds kinds,
                                       Lengthscales lengthscales) {
  return std::make_unique<StationaryKernel>(smoothness, std::move(kinds), lengthscales);
}

}  // namespace slipstream
