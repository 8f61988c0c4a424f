// Greedy choice of a design: a few candidates that between them do well on
// every source.
//
// With loss(s, c) in [0, 1], the chosen set C has the loss
//   L(C) = mean over s of min(1, min over c in C of loss(s, c)),
// and each step takes the candidate that lowers it most (Wistuba, Schilling and
// Schmidt-Thieme, "Sequential Model-free Hyperparameter Tuning", ICDM 2015;
// Winkelmolen et al., "Practical and sample efficient zero-shot HPO", 2020).
// 1 - L is submodular, so the choice is within 1 - 1/e of the best.
#ifndef SLIPSTREAM_CORE_ZERO_SHOT_DESIGN_SELECTION_H_
#define SLIPSTREAM_CORE_ZERO_SHOT_DESIGN_SELECTION_H_

#include <cstddef>
#include <functional>
#include <vector>

namespace slipstream {

struct DesignChoice {
  size_t candidate = 0;
  // By source: how much this choice lowered the source's loss, not negative.
  std::vector<double> reductions;
};

struct DesignSelectionOptions {
  size_t size = 10;
  // A round ends when no candidate lowers the mean loss by more than this.
  double least_gain = 1e-3;
};

// Chooses at most `options.size` candidates, of equally good ones the first.
// `losses[c][s]` is the loss of candidate c under source s; all rows have the
// same size, which is not 0. When a round ends early, the next one starts from
// loss 1 without the candidates for which `is_near(candidate, chosen)` holds
// with any chosen so far; it must hold for a candidate and itself.
std::vector<DesignChoice> SelectDesign(const std::vector<std::vector<double>>& losses,
                                       const std::function<bool(size_t, size_t)>& is_near,
                                       const DesignSelectionOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ZERO_SHOT_DESIGN_SELECTION_H_
