// Choosing among arms by what they have earned: EXP3, where only the chosen
// arm's reward is seen, and Hedge, where all are.
//
// Auer, Cesa-Bianchi, Freund and Schapire, "The nonstochastic multiarmed bandit
// problem", 2002: with K arms, rate gamma and rewards r in [0, 1],
//   p_a = (1 - gamma) w_a / sum_b w_b + gamma / K,
//   w_a <- w_a exp(gamma r / (K p_a)) for the chosen arm, w_a = 1 at first;
// Freund and Schapire, 1997: p_a = exp(eta g_a) / sum_b exp(eta g_b).
//
// Weights are sums over the rounds in the logarithm, so their order is of no
// matter and none overflows. Pure functions, hence thread-safe.
#ifndef SLIPSTREAM_CORE_EXPLORATION_EXP3_H_
#define SLIPSTREAM_CORE_EXPLORATION_EXP3_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace slipstream {

// A round that is over.
struct Exp3Round {
  size_t arm = 0;
  double probability = 1;  // With which the arm was chosen.
  double reward = 0;       // In [0, 1].
};

// min(1, sqrt(K ln K / ((e - 1) rounds))), which is best for that number of rounds.
double Exp3Rate(size_t arms, double rounds);

// Each arm's probability in the next round; they add up to 1.
std::vector<double> Exp3Probabilities(absl::Span<const Exp3Round> rounds, size_t arms, double rate);
std::vector<double> HedgeProbabilities(absl::Span<const double> gains, double rate);

// The arm at `uniform`, in [0, 1), of their probabilities one after the other.
size_t ArmAt(absl::Span<const double> probabilities, double uniform);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_EXP3_H_
