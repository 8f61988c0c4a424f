#include "core/linalg/spectrum.h"

#include <Eigen/Eigenvalues>

// Eigen 3.4 has vector instructions for rotations, but asks the columns' expressions and not their
// evaluators whether they may be used, so that they never are. Then most of the time for
// eigenvectors goes into rotations. Both ways round alike.
template <>
struct Eigen::internal::apply_rotation_in_the_plane_selector<double, double, Eigen::Dynamic, 0,
                                                             false> {
  static void run(double* x, Index x_step, double* y, Index y_step, Index size, double c,
                  double s) {
    if (x_step == 1 && y_step == 1) {
      return apply_rotation_in_the_plane_selector<double, double, Dynamic, 0, true>::run(
          x, x_step, y, y_step, size, c, s);
    }
    for (Index i = 0; i < size; ++i, x += x_step, y += y_step) {
      const double before = *x;
      *x = c * before + s * *y;
      *y = c * *y - s * before;
    }
  }
};

namespace slipstream {

absl::StatusOr<Spectrum> SpectrumOf(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite()) {
    return absl::FailedPreconditionError("the eigenvalues of a covariance were not found");
  }
  return Spectrum{solver.eigenvalues(), solver.eigenvectors()};
}

Vector EigenvaluesOf(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace slipstream
