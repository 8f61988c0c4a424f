// The predictions of a regression when each of its results is left out in turn, at all
// of its points at once and under fixed hyperparameters.
//
// With K the covariance of the results, P = K^-1, V the part of K that is noise
// (jitter counts as noise), a = P (y - m), and of the function at the points,
// given all results, the mean m + r - V a and the covariance S = V - V P V:
// without result j its mean and covariance there are
//
//   mean_j = mean - c_j a_j/P_jj,  S_j = S + c_j c_j^T/P_jj,  c_j = e_j - V P e_j.
//
// That is the posterior with P - P e_j e_j^T P/P_jj, the inverse of K without row
// and column j, in P's place. Entry j is Rasmussen and Williams' (2006) equation
// 5.12 less the noise. As each S_j is S and one direction more, all n take one
// inverse and O(n^2) numbers.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_LEFT_OUT_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_LEFT_OUT_H_

#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/linalg/types.h"

namespace slipstream {

struct LeftOut {
  Matrix means;   // Column j: mean_j.
  Matrix common;  // Lower triangular, common common^T = S, and a little jitter.
  Matrix own;     // Column j: c_j/sqrt(P_jj).

  // The deviation of the function at point j without result j.
  Vector Deviations() const;
};

// FAILED_PRECONDITION when a factorisation fails in spite of jitter.
absl::StatusOr<LeftOut> LeaveEachOut(const GaussianProcess& process);

// A root of a posterior covariance, to draw with. Such a covariance comes from
// subtraction and loses about half its digits, or all where everything is known,
// so the jitter may grow as large as it has to. FAILED_PRECONDITION when an entry
// is not finite.
absl::StatusOr<Matrix> RootOfPosteriorCovariance(Matrix covariance);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_LEFT_OUT_H_
