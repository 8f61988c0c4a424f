// DeltaBO's equation 6 as it is printed: what is predicted at x takes the
// source's variance at x for the noise of every result,
//
//   mean(x) = mu_g(x) + k(x, X) (K + s(x) I)^-1 r, s(x) = var_g(x) + noise,
//   var(x) = var_g(x) + k(x, x) - k(x, X) (K + s(x) I)^-1 k(X, x).
//
// With K = Q diag(e) Q^T each x takes O(n^2). It is not the posterior of any
// process; joint draws take the covariances of the regression with the noise of
// each result, and these variances. Before the first result the variance of the difference
// is s(x), by the paper's definition, and not the k(x, x) that a regression has.
#ifndef SLIPSTREAM_CORE_PRIOR_PRINTED_DIFFERENCE_H_
#define SLIPSTREAM_CORE_PRIOR_PRINTED_DIFFERENCE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/prior/blocks/added_process.h"

namespace slipstream {

// `noise` is the mean of the observations' noise variances; without observations
// `noise_variance`.
absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitPrintedDifference(
    const std::vector<AddedTerm>& terms, const OwnPart& own, const Observations& observations,
    double noise_variance);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRINTED_DIFFERENCE_H_
