#include "core/calibration/chain_diagnostics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace slipstream {
namespace {

Matrix Halves(const Matrix& draws) {
  const Index half = draws.rows() / 2;
  Matrix halves(half, 2 * draws.cols());
  halves << draws.topRows(half), draws.bottomRows(half);
  return halves;
}

struct Variances {
  double within = 0;  // Mean over chains of their variances.
  double pooled = 0;  // Estimate of the whole distribution's variance.
};

Variances VariancesOf(const Matrix& chains) {
  const auto count = static_cast<double>(chains.rows());
  const Eigen::RowVectorXd means = chains.colwise().mean();
  const double within = ((chains.rowwise() - means).colwise().squaredNorm() / (count - 1)).mean();
  const double between =
      (means.array() - means.mean()).square().sum() / static_cast<double>(means.size() - 1);
  return {within, within * (count - 1) / count + between};
}

// Mean over chains of the autocovariance at a lag.
double Autocovariance(const Matrix& chains, const Eigen::RowVectorXd& means, Index lag) {
  const Index overlap = chains.rows() - lag;
  const Matrix centred = chains.rowwise() - means;
  return centred.topRows(overlap).cwiseProduct(centred.bottomRows(overlap)).sum() /
         static_cast<double>(chains.rows() * chains.cols());
}

// Exactly: the variance of equal numbers may be a rounding error.
bool IsConstant(const Matrix& draws) { return (draws.array() == draws(0, 0)).all(); }

}  // namespace

double SplitRHat(const Matrix& draws) {
  assert(draws.rows() >= 4);
  const Matrix chains = Halves(draws);
  if (IsConstant(chains)) return 1;
  const Variances variances = VariancesOf(chains);
  return std::sqrt(variances.pooled / variances.within);
}

double EffectiveSampleSize(const Matrix& draws) {
  assert(draws.rows() >= 4);
  const Matrix chains = Halves(draws);
  if (IsConstant(chains)) return static_cast<double>(draws.size());
  const auto total = static_cast<double>(chains.size());
  const Variances variances = VariancesOf(chains);
  const Eigen::RowVectorXd means = chains.colwise().mean();
  const auto correlation = [&](Index lag) {
    return 1 - (variances.within - Autocovariance(chains, means, lag)) / variances.pooled;
  };
  double sum = -1;  // -1 + 2 * (sums of pairs of neighbouring lags).
  double last_pair = 2;
  for (Index lag = 0; lag + 1 < chains.rows(); lag += 2) {
    const double pair = std::min(last_pair, correlation(lag) + correlation(lag + 1));
    if (!(pair > 0)) break;
    sum += 2 * pair;
    last_pair = pair;
  }
  return std::min(total, total / std::max(sum, 1 / std::log10(std::max(total, 10.0))));
}

}  // namespace slipstream
