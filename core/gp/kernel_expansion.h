// A Gaussian process written out as a kernel and what data made of it:
//
//   mean(x) = m + k(x, P) a
//   cov(x, x') = k(x, x') - k(x, P) R k(P, x')
//
// The posterior of a process with a kernel prior has this form (P = X,
// a = K^-1 (y - m), R = K^-1), and so has a process whose values at P were given
// any other joint distribution. A prediction at a point takes one row
// of covariances and one product with R, so that many of them can be added up
// (AddedProcess in core/prior).
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_GP_KERNEL_EXPANSION_H_
#define SLIPSTREAM_CORE_GP_KERNEL_EXPANSION_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"
#include "core/gp/surrogate.h"
#include "core/linalg/types.h"

namespace slipstream {

struct KernelExpansion {
  std::shared_ptr<const Kernel> kernel;
  Vector parameters;  // The kernel's.
  double mean = 0;
  PointMatrix points;
  Vector weights;    // a.
  Matrix reduction;  // R, symmetric.
  // The kernel between `points` and others.
  std::shared_ptr<const KernelAt> at_points = {};

  // The posterior of the process with that kernel, given `data` without terms.
  // FAILED_PRECONDITION when its covariance is indefinite in spite of all
  // jitter.
  static absl::StatusOr<KernelExpansion> Of(std::shared_ptr<const Kernel> kernel,
                                            const TrainingData& data,
                                            const Hyperparameters& hyperparameters);

  // The process of that kernel whose values at `points`, blurred by noise of that
  // variance, are jointly normal with this mean and covariance, and which is
  // otherwise as the kernel has it. FAILED_PRECONDITION as Of.
  static absl::StatusOr<KernelExpansion> Through(std::shared_ptr<const Kernel> kernel,
                                                 Vector parameters, double kernel_mean,
                                                 PointMatrix points, const Vector& mean,
                                                 const Matrix& covariance,
                                                 double noise_variance = 0);

  // k(P, x), one column a point.
  Matrix Cross(const PointMatrix& x) const;

  Vector Means(const PointMatrix& x) const;
  // The mean at one point; adds its gradient to `gradient`.
  double MeanAt(ConstVectorView x, VectorView gradient) const;
  // Variances are at least 1e-12 of the kernel's.
  Predictions Predict(const PointMatrix& x) const;
  PointPrediction PredictPoint(ConstVectorView x) const;
  // R c.
  Vector Reduced(ConstVectorView c) const;
  Matrix Covariance(const PointMatrix& a, const PointMatrix& b) const;

  size_t MemoryBytes() const;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_KERNEL_EXPANSION_H_
