// The normal distribution that is nearest to several at once: the minimiser of
// sum_j W(N, N_j)^2, all j alike. Its mean is the mean of theirs, its covariance
// the positive definite root of
//
//   S = (1/n) sum_j (S^1/2 S_j S^1/2)^1/2
//
// (section 2.1 of the paper in gaussian_distance.h, which prints no iteration).
// It is found from the mean of the S_j on by
//
//   S <- T S T, T = (1/n) sum_j T_j, T_j = S^-1/2 (S^1/2 S_j S^1/2)^1/2 S^-1/2
//
// (Alvarez-Esteban, del Barrio, Cuesta-Albertos, Matran, "A fixed-point approach
// to barycenters in Wasserstein space", 2016). T_j is the optimal map from S to
// S_j, so with any S = L L^T it also is L^-T (L^T S_j L)^1/2 L^-1, and
//
//   S <- L^-T M^2 L^-1, M = (1/n) sum_j (L^T S_j L)^1/2,
//
// with a Cholesky factor in the place of a root. Each round takes an
// eigendecomposition a member: about 2 ms at 100 places.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_BARYCENTER_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_BARYCENTER_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/linalg/types.h"
#include "core/prior/cluster/gaussian_distance.h"

namespace slipstream {

struct BarycenterOptions {
  // Ends when a round changes S by less than this part of it (Frobenius norm).
  double tolerance = 1e-6;
  int most_rounds = 50;
};

struct Barycenter {
  Vector mean;
  // The barycenter of the members' covariances with their ridges.
  Matrix covariance;
  int rounds = 0;
  bool converged = false;
};

// At least one member, all of one size. FAILED_PRECONDITION when a covariance
// on the way cannot be factorised. DEADLINE_EXCEEDED or CANCELLED when the
// deadline passed; a later call with the same members and `progress`, which may
// be null, goes on with the round that it was in. The result is the same, bit for bit.
absl::StatusOr<Barycenter> WassersteinBarycenter(const std::vector<const PlacedNormal*>& members,
                                                 const BarycenterOptions& options = {},
                                                 const Deadline& deadline = Deadline::Infinite(),
                                                 std::optional<Barycenter>* progress = nullptr);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_BARYCENTER_H_
