#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/gp/kernel.h"

namespace slipstream {

// A sum or a product of kernels.
class CompositeKernel : public Kernel {
 public:
  enum class Operation { kSum, kProduct };

  CompositeKernel(Operation operation, std::vector<std::unique_ptr<Kernel>> parts)
      : Kernel(parts.front()->dimension(), CountParameters(parts)),
        operation_(operation),
        parts_(std::move(parts)) {}

  std::vector<std::string> ParameterNames() const override {
    std::vector<std::string> names;
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (const std::string& name : parts_[i]->ParameterNames()) {
        names.push_back(absl::StrCat(i, ".", name));
      }
    }
    return names;
  }

  Operation operation() const { return operation_; }
  const std::vector<std::unique_ptr<Kernel>>& parts() const { return parts_; }

 private:
  static Index CountParameters(const std::vector<std::unique_ptr<Kernel>>& parts) {
    Index count = 0;
    for (const auto& part : parts) count += part->parameter_count();
    return count;
  }

  // Calls visit(part, its parameters) for each part.
  template <typename Visit>
  void ForEach(ConstVectorView parameters, Visit visit) const {
    Index first = 0;
    for (const auto& part : parts_) {
      visit(*part, ConstVectorView(parameters.segment(first, part->parameter_count())));
      first += part->parameter_count();
    }
  }

  void Combine(const Matrix& part, MatrixView out) const {
    if (operation_ == Operation::kSum) {
      out += part;
    } else {
      out.array() *= part.array();
    }
  }

  void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                    MatrixView out) const override {
    out.setConstant(operation_ == Operation::kSum ? 0 : 1);
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      Combine(part.Covariance(own, a, b), out);
    });
  }

  double DoVariance(ConstVectorView parameters) const override {
    double sum = 0;
    double product = 1;
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      sum += part.Variance(own);
      product *= part.Variance(own);
    });
    return operation_ == Operation::kSum ? sum : product;
  }

  void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                          ConstVectorView weights, VectorView gradient) const override {
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      Vector share = weights;
      if (operation_ == Operation::kProduct) MultiplyByOthers(part, parameters, x, b, share);
      part.AddPointGradient(own, x, b, share, gradient);
    });
  }

  // Multiplies share[i] by k(x, b_i) of every part but `part`.
  void MultiplyByOthers(const Kernel& part, ConstVectorView parameters, ConstVectorView x,
                        const PointMatrix& b, VectorView share) const {
    ForEach(parameters, [&](const Kernel& other, ConstVectorView own) {
      if (&other == &part) return;
      share.array() *= other.Covariance(own, b, x.transpose()).col(0).array();
    });
  }

  std::unique_ptr<KernelTape> DoRecord(ConstVectorView parameters,
                                       const PointMatrix& x) const override;
  std::unique_ptr<KernelAt> DoAt(ConstVectorView parameters,
                                 const PointMatrix& points) const override;

  Operation operation_;
  std::vector<std::unique_ptr<Kernel>> parts_;
};

namespace {

class CompositeTape : public KernelTape {
 public:
  CompositeTape(const CompositeKernel& kernel, ConstVectorView parameters, const PointMatrix& x)
      : kernel_(kernel) {
    const bool sum = kernel.operation() == CompositeKernel::Operation::kSum;
    lower_ = Matrix::Constant(x.rows(), x.rows(), sum ? 0 : 1);
    Index first = 0;
    for (const auto& part : kernel.parts()) {
      tapes_.push_back(part->Record(parameters.segment(first, part->parameter_count()), x));
      first += part->parameter_count();
      CombineLower(sum, tapes_.back()->lower());
    }
  }

  void AddParameterGradient(const Matrix& weights, VectorView gradient) const override {
    Index first = 0;
    for (size_t i = 0; i < tapes_.size(); ++i) {
      const Index count = kernel_.parts()[i]->parameter_count();
      Matrix share = weights;
      if (kernel_.operation() == CompositeKernel::Operation::kProduct) {
        for (size_t other = 0; other < tapes_.size(); ++other) {
          if (other == i) continue;
          share.triangularView<Eigen::Lower>() = share.cwiseProduct(tapes_[other]->lower());
        }
      }
      tapes_[i]->AddParameterGradient(share, gradient.segment(first, count));
      first += count;
    }
  }

 private:
  void CombineLower(bool sum, const Matrix& part) {
    if (sum) {
      lower_.triangularView<Eigen::Lower>() += part;
    } else {
      lower_.triangularView<Eigen::Lower>() = lower_.cwiseProduct(part);
    }
  }

  const CompositeKernel& kernel_;
  std::vector<std::unique_ptr<KernelTape>> tapes_;
};

class CompositeKernelAt final : public KernelAt {
 public:
  CompositeKernelAt(bool is_sum, Index size, std::vector<std::unique_ptr<KernelAt>> parts)
      : KernelAt(size, SlopeColumnsOf(parts)), is_sum_(is_sum), parts_(std::move(parts)) {}

 private:
  static Index SlopeColumnsOf(const std::vector<std::unique_ptr<KernelAt>>& parts) {
    Index columns = 0;
    for (const auto& part : parts) columns += part->slope_columns();
    return columns;
  }

  void DoCovariance(const PointMatrix& x, MatrixView out) const override {
    parts_.front()->Covariance(x, out);
    Matrix other(size(), x.rows());
    for (size_t i = 1; i < parts_.size(); ++i) {
      parts_[i]->Covariance(x, other);
      if (is_sum_) {
        out += other;
      } else {
        out.array() *= other.array();
      }
    }
  }

  // Slopes of a part times the values of the others, where it is a product.
  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const override {
    Matrix of_parts(size(), static_cast<Index>(parts_.size()));
    Index first = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Index columns = parts_[i]->slope_columns();
      parts_[i]->AtPoint(x, of_parts.col(static_cast<Index>(i)), slopes.middleCols(first, columns));
      first += columns;
    }
    if (is_sum_) {
      values = of_parts.rowwise().sum();
      return;
    }
    values = of_parts.rowwise().prod();
    first = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (Index column = first; column < first + parts_[i]->slope_columns(); ++column) {
        for (size_t other = 0; other < parts_.size(); ++other) {
          if (other == i) continue;
          slopes.col(column).array() *= of_parts.col(static_cast<Index>(other)).array();
        }
      }
      first += parts_[i]->slope_columns();
    }
  }

  void DoAddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                      MatrixView gradients) const override {
    Index first = 0;
    for (const auto& part : parts_) {
      const Index columns = part->slope_columns();
      part->AddGradients(x, slopes.middleCols(first, columns), weights, gradients);
      first += columns;
    }
  }

  bool is_sum_;
  std::vector<std::unique_ptr<KernelAt>> parts_;
};

}  // namespace

// Parts that have no slopes to scale get what is general.
std::unique_ptr<KernelAt> CompositeKernel::DoAt(ConstVectorView parameters,
                                                const PointMatrix& points) const {
  std::vector<std::unique_ptr<KernelAt>> parts;
  bool have_slopes = true;
  ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
    parts.push_back(part.At(own, points));
    have_slopes = have_slopes && parts.back()->slope_columns() > 0;
  });
  if (!have_slopes) return Kernel::DoAt(parameters, points);
  return std::make_unique<CompositeKernelAt>(operation_ == Operation::kSum, points.rows(),
                                             std::move(parts));
}

std::unique_ptr<KernelTape> CompositeKernel::DoRecord(ConstVectorView parameters,
                                                      const PointMatrix& x) const {
  return std::make_unique<CompositeTape>(*this, parameters, x);
}

std::unique_ptr<Kernel> MakeSum(std::vector<std::unique_ptr<Kernel>> parts) {
  assert(!parts.empty());
  return std::make_unique<CompositeKernel>(CompositeKernel::Operation::kSum, std::move(parts));
}

std::unique_ptr<Kernel> MakeProduct(std::vector<std::unique_ptr<Kernel>> parts) {
  assert(!parts.empty());
  return std::make_unique<CompositeKernel>(CompositeKernel::Operation::kProduct, std::move(parts));
}

}  // namespace slipstream
