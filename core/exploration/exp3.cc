#include "core/exploration/exp3.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipstream {
namespace {

std::vector<double> SoftMax(std::vector<double> logarithms) {
  const double most = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (double& each : logarithms) {
    each = std::exp(each - most);
    sum += each;
  }
  for (double& each : logarithms) each /= sum;
  return logarithms;
}

}  // namespace

double Exp3Rate(size_t arms, double rounds) {
  const auto count = static_cast<double>(arms);
  return std::min(1.0, std::sqrt(count * std::log(count) / (std::expm1(1.0) * rounds)));
}

std::vector<double> Exp3Probabilities(absl::Span<const Exp3Round> rounds, size_t arms,
                                      double rate) {
  const auto count = static_cast<double>(arms);
  std::vector<double> logarithms(arms, 0.0);
  for (const Exp3Round& round : rounds) {
    logarithms[round.arm] += rate * round.reward / (count * round.probability);
  }
  std::vector<double> probabilities = SoftMax(std::move(logarithms));
  for (double& each : probabilities) each = (1 - rate) * each + rate / count;
  return probabilities;
}

std::vector<double> HedgeProbabilities(absl::Span<const double> gains, double rate) {
  std::vector<double> logarithms(gains.begin(), gains.end());
  for (double& each : logarithms) each *= rate;
  return SoftMax(std::move(logarithms));
}

size_t ArmAt(absl::Span<const double> probabilities, double uniform) {
  for (size_t arm = 0; arm + 1 < probabilities.size(); ++arm) {
    uniform -= probabilities[arm];
    if (uniform < 0) return arm;
  }
  return probabilities.size() - 1;
}

}  // namespace slipstream
