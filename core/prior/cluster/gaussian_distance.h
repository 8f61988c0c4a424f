// Distances between two functions, each given as the normal distribution of
// its values at the same places.
//
//   Jeffreys: KL(P || Q) + KL(Q || P); the determinants cancel, so
//     D = [tr(S1^-1 S0) + tr(S0^-1 S1) + d^T (S0^-1 + S1^-1) d] / 2 - size;
//   2-Wasserstein:
//     W^2 = |d|^2 + tr(S0 + S1 - 2 (S1^1/2 S0 S1^1/2)^1/2),
// with d = m1 - m0: equations 3, 4 and 6 of Nguyen, Huynh, Tran, Pham, Huynh,
// Nguyen, "Clustering-based meta Bayesian optimization with theoretical
// guarantee". W is the root of what equation 6 gives, a metric.
//
// The trace of the root is the sum of the singular values of L0^T L1, S = L L^T
// (that product and S1^1/2 S0^1/2 differ by rotations only). They are taken as
// the roots of the eigenvalues of its square, five times faster than a
// singular value decomposition.
//
// The paper does not say how it inverts covariances of posteriors, which are
// singular in floating point where a function is known well. Here each gets a
// ridge of 1e-4 of its mean variance, and at least 1e-8 (outputs have variance
// 1), for both distances: D stays within bounds, and the squares above lose
// nothing that matters.
//
// Immutable, but for inverses that are made when first asked for; thread-safe.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_GAUSSIAN_DISTANCE_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_GAUSSIAN_DISTANCE_H_

#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace slipstream {

// Ridge: this fraction of the mean variance, at least kLeastNormalRidge, is added to each variance.
inline constexpr double kNormalRidgePart = 1e-4;
inline constexpr double kLeastNormalRidge = 1e-8;

// A normal distribution, ready to be compared: takes two square matrices, and a third one once its
// inverse has been asked for, which only Jeffreys divergences do.
class PlacedNormal {
 public:
  // FAILED_PRECONDITION when something is not finite or the covariance is
  // indefinite in spite of ridge and jitter.
  static absl::StatusOr<PlacedNormal> Of(Vector mean, Matrix covariance);

  // Equation 7: the means of the members' means and covariances; at least one
  // member, all of one size. Its ridge is the mean of theirs.
  static absl::StatusOr<PlacedNormal> CentreOf(const std::vector<const PlacedNormal*>& members);
  // The same with another mean.
  static absl::StatusOr<PlacedNormal> CentreOf(const std::vector<const PlacedNormal*>& members,
                                               Vector mean);

  Index size() const { return mean_.size(); }
  const Vector& mean() const { return mean_; }
  // With the ridge, which is part of the diagonal.
  const Matrix& covariance() const { return covariance_; }
  double ridge() const { return ridge_; }
  // The covariance's lower factor, inverse and trace.
  const Matrix& lower() const { return lower_; }
  const Matrix& inverse() const;
  double trace() const { return trace_; }

 private:
  struct Inverse {
    std::once_flag is_made;
    Matrix matrix;
  };

  static absl::StatusOr<PlacedNormal> WithRidge(Vector mean, Matrix covariance, double ridge);

  PlacedNormal() = default;

  Vector mean_;
  Matrix covariance_;
  Matrix lower_;
  std::shared_ptr<Inverse> inverse_ = std::make_shared<Inverse>();  // Shared with copies.
  double ridge_ = 0;
  double trace_ = 0;
};

enum class NormalDistance { kJeffreys, kWasserstein };

// All are at least 0, and 0 between normals of size 0.
double JeffreysDivergence(const PlacedNormal& a, const PlacedNormal& b);  // O(size^2).
double WassersteinDistance(const PlacedNormal& a, const PlacedNormal& b);
double DistanceBetween(NormalDistance distance, const PlacedNormal& a, const PlacedNormal& b);

// Bounds on W^2, in O(size^2): the singular values of A sum
// up to at most |L0| |L1| (Cauchy and Schwarz) and to at least tr(A).
struct WassersteinBounds {
  double lower = 0;
  double upper = 0;
};
WassersteinBounds SquaredWassersteinBounds(const PlacedNormal& a, const PlacedNormal& b);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_GAUSSIAN_DISTANCE_H_
