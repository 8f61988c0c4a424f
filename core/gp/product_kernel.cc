#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/gp/kernel.h"

namespace slipstream {

class ProductKernel : public Kernel {
 public:
  explicit ProductKernel(std::vector<std::unique_ptr<Kernel>> parts)
      : Kernel(parts.front()->dimension(), CountParameters(parts)), parts_(std::move(parts)) {}

  std::vector<std::string> ParameterNames() const override {
    std::vector<std::string> names;
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (const std::string& name : parts_[i]->ParameterNames()) {
        names.push_back(absl::StrCat(i, ".", name));
      }
    }
    return names;
  }

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

  void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                    MatrixView out) const override {
    out.setOnes();
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      out.array() *= part.Covariance(own, a, b).array();
    });
  }

  double DoVariance(ConstVectorView parameters) const override {
    double product = 1;
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      product *= part.Variance(own);
    });
    return product;
  }

  void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                          ConstVectorView weights, VectorView gradient) const override {
    ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
      Vector share = weights;
      MultiplyByOthers(part, parameters, x, b, share);
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

  std::vector<std::unique_ptr<Kernel>> parts_;
};

namespace {

class ProductTape : public KernelTape {
 public:
  ProductTape(const ProductKernel& kernel, ConstVectorView parameters, const PointMatrix& x)
      : kernel_(kernel) {
    lower_ = Matrix::Ones(x.rows(), x.rows());
    Index first = 0;
    for (const auto& part : kernel.parts()) {
      tapes_.push_back(part->Record(parameters.segment(first, part->parameter_count()), x));
      first += part->parameter_count();
      lower_.triangularView<Eigen::Lower>() = lower_.cwiseProduct(tapes_.back()->lower());
    }
  }

  void AddParameterGradient(const Matrix& weights, VectorView gradient) const override {
    Index first = 0;
    for (size_t i = 0; i < tapes_.size(); ++i) {
      const Index count = kernel_.parts()[i]->parameter_count();
      Matrix share = weights;
      for (size_t other = 0; other < tapes_.size(); ++other) {
        if (other == i) continue;
        share.triangularView<Eigen::Lower>() = share.cwiseProduct(tapes_[other]->lower());
      }
      tapes_[i]->AddParameterGradient(share, gradient.segment(first, count));
      first += count;
    }
  }

 private:
  const ProductKernel& kernel_;
  std::vector<std::unique_ptr<KernelTape>> tapes_;
};

class ProductKernelAt final : public KernelAt {
 public:
  ProductKernelAt(Index size, std::vector<std::unique_ptr<KernelAt>> parts)
      : KernelAt(size, SlopeColumnsOf(parts)), parts_(std::move(parts)) {}

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
      out.array() *= other.array();
    }
  }

  // A part's slopes times the values of the others.
  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const override {
    Matrix of_parts(size(), static_cast<Index>(parts_.size()));
    Index first = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Index columns = parts_[i]->slope_columns();
      parts_[i]->AtPoint(x, of_parts.col(static_cast<Index>(i)), slopes.middleCols(first, columns));
      first += columns;
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

  std::vector<std::unique_ptr<KernelAt>> parts_;
};

}  // namespace

// Parts that have no slopes to scale get what is general.
std::unique_ptr<KernelAt> ProductKernel::DoAt(ConstVectorView parameters,
                                                const PointMatrix& points) const {
  std::vector<std::unique_ptr<KernelAt>> parts;
  bool have_slopes = true;
  ForEach(parameters, [&](const Kernel& part, ConstVectorView own) {
    parts.push_back(part.At(own, points));
    have_slopes = have_slopes && parts.back()->slope_columns() > 0;
  });
  if (!have_slopes) return Kernel::DoAt(parameters, points);
  return std::make_unique<ProductKernelAt>(points.rows(), std::move(parts));
}

std::unique_ptr<KernelTape> ProductKernel::DoRecord(ConstVectorView parameters,
                                                      const PointMatrix& x) const {
  return std::make_unique<ProductTape>(*this, parameters, x);
}

std::unique_ptr<Kernel> MakeProduct(std::vector<std::unique_ptr<Kernel>> parts) {
  assert(!parts.empty());
  return std::make_unique<ProductKernel>(std::move(parts));
}

}  // namespace slipstream
