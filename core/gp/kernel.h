// Covariance functions with hyperparameters, and sums and products of them.
//
// A kernel is a structure; its hyperparameters come with each call, as the
// logarithms of positive numbers, in the order of ParameterNames.
//
//   auto kernel = MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach);
//   Vector parameters = Vector::Zero(kernel->parameter_count());
//   Matrix k = kernel->Covariance(parameters, x, x);
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_GP_KERNEL_H_
#define SLIPSTREAM_CORE_GP_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "core/gp/coordinate_kinds.h"
#include "core/linalg/types.h"

namespace slipstream {

// The covariance matrix of one set of points with itself, with what its
// derivatives need. Lives no longer than the kernel that recorded it.
class KernelTape {
 public:
  virtual ~KernelTape() = default;

  // The covariances; only the lower triangle is filled.
  const Matrix& lower() const { return lower_; }

  // Adds sum_ij weights(i, j) dk(x_i, x_j)/dp_k to gradient[k], for each
  // log-hyperparameter. Of the symmetric `weights` only the lower triangle is
  // read.
  virtual void AddParameterGradient(const Matrix& weights, VectorView gradient) const = 0;

 protected:
  Matrix lower_;
};

// A kernel with chosen hyperparameters between points b_i that stay and others
// that come: what depends on the former alone is computed once. What is said of
// one that comes is the same to the last bit, whatever others come with it. Immutable, hence
// thread-safe; lives no longer than its kernel.
class KernelAt {
 public:
  virtual ~KernelAt() = default;

  // How many points stay.
  Index size() const { return size_; }
  // Columns of what AtPoint says of slopes.
  Index slope_columns() const { return slope_columns_; }

  // k(b_i, x_j); `out` is size() x x.rows().
  void Covariance(const PointMatrix& x, MatrixView out) const;
  Matrix Covariance(const PointMatrix& x) const;
  // k(b_i, x), and into `slopes`, size() x slope_columns(), what gradients at x
  // are made of.
  void AtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const;
  // Adds sum_i weights(i, j) dk(x, b_i)/dx to column j of `gradients`, `slopes`
  // being AtPoint's at x.
  void AddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                    MatrixView gradients) const;

 protected:
  KernelAt(Index size, Index slope_columns) : size_(size), slope_columns_(slope_columns) {}

 private:
  virtual void DoCovariance(const PointMatrix& x, MatrixView out) const = 0;
  virtual void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const = 0;
  virtual void DoAddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                              MatrixView gradients) const = 0;

  Index size_;
  Index slope_columns_;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  // Coordinates of the points it takes.
  Index dimension() const { return dimension_; }
  Index parameter_count() const { return parameter_count_; }
  // "amplitude", "lengthscale" or "lengthscale[3]"; those of a sum's or
  // product's parts begin with "0.", "1.", ...
  virtual std::vector<std::string> ParameterNames() const = 0;

  // k(a_i, b_j).
  Matrix Covariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b) const;
  // Covariance(parameters, x, x) to the last bit, but only its lower triangle is sure to be filled.
  Matrix LowerCovariance(ConstVectorView parameters, const PointMatrix& x) const;
  // k(x, x), which is the same everywhere.
  double Variance(ConstVectorView parameters) const;
  // Adds sum_i weights[i] dk(x, b_i)/dx to `gradient`; 0 along categories. Where k
  // has no derivative (Matern 1/2 at x = b_i), 0 for that i.
  void AddPointGradient(ConstVectorView parameters, ConstVectorView x, const PointMatrix& b,
                        ConstVectorView weights, VectorView gradient) const;
  std::unique_ptr<KernelTape> Record(ConstVectorView parameters, const PointMatrix& x) const;
  std::unique_ptr<KernelAt> At(ConstVectorView parameters, const PointMatrix& points) const;

 protected:
  Kernel(Index dimension, Index parameter_count)
      : dimension_(dimension), parameter_count_(parameter_count) {}

  // Calls the functions below, unless a kernel has a faster way.
  virtual std::unique_ptr<KernelAt> DoAt(ConstVectorView parameters,
                                         const PointMatrix& points) const;

 private:
  // Called with parameters and points of the right size. `out` is a.rows() x
  // b.rows().
  virtual void DoCovariance(ConstVectorView parameters, const PointMatrix& a, const PointMatrix& b,
                            MatrixView out) const = 0;
  // Fills both triangles, unless a kernel has a faster way.
  virtual void DoLowerCovariance(ConstVectorView parameters, const PointMatrix& x,
                                 MatrixView out) const {
    DoCovariance(parameters, x, x, out);
  }
  virtual double DoVariance(ConstVectorView parameters) const = 0;
  virtual void DoAddPointGradient(ConstVectorView parameters, ConstVectorView x,
                                  const PointMatrix& b, ConstVectorView weights,
                                  VectorView gradient) const = 0;
  virtual std::unique_ptr<KernelTape> DoRecord(ConstVectorView parameters,
                                               const PointMatrix& x) const = 0;
  Index dimension_;
  Index parameter_count_;
};

// How smooth the functions are: 0, 1, 2 or infinitely many times differentiable.
enum class Smoothness { kMatern12, kMatern32, kMatern52, kSquaredExponential };

// One lengthscale for all coordinates, or one for each.
enum class Lengthscales { kShared, kEach };

// amplitude^2 * c(r), r^2 = sum_i (d_i / lengthscale_i)^2, where d_i is the
// difference of two numbers, or 1 for different categories (Rasmussen and Williams,
// "Gaussian Processes for Machine Learning", 2006, section 4.2):
//   Matern 1/2  exp(-r)
//   Matern 3/2  (1 + a) exp(-a), a = sqrt(3) r
//   Matern 5/2  (1 + a + a^2/3) exp(-a), a = sqrt(5) r
//   squared exponential  exp(-r^2/2)
// Hyperparameters: amplitude, then the lengthscales.
std::unique_ptr<Kernel> MakeStationary(Smoothness smoothness, CoordinateKinds kinds,
                                       Lengthscales lengthscales);

// k_1 * k_2 * ... of one or more kernels of one dimension; the hyperparameters are those of the
// parts one after the other.
std::unique_ptr<Kernel> MakeProduct(std::vector<std::unique_ptr<Kernel>> parts);

// inner(w(x), w(y)), where w bends each number x among the coordinates by a curve
// of its own, 1 - (1 - x^a)^b, the distribution function of Kumaraswamy (Snoek,
// Swersky, Zemel, Adams, "Input warping for Bayesian optimization of
// non-stationary functions", 2014). Numbers stand in the unit interval, and 1e-6
// away from its ends for the curve. Hyperparameters: the inner kernel's, then
// "warp_a[0]", "warp_b[0]", ... of the numbers; at 0, their logarithm, nothing is
// bent.
std::unique_ptr<Kernel> MakeWarped(std::unique_ptr<Kernel> inner, const CoordinateKinds& kinds);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_KERNEL_H_
