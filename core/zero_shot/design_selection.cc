#include "core/zero_shot/design_selection.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace slipstream {
namespace {

using Losses = std::vector<double>;  // By source.

// Gains that differ by less are equal but for rounding: losses are ranks, whose
// steps are far larger.
constexpr double kRounding = 1e-12;

double GainOf(const Losses& candidate, const Losses& so_far) {
  double gain = 0;
  for (size_t s = 0; s < so_far.size(); ++s) gain += std::max(0.0, so_far[s] - candidate[s]);
  return gain / static_cast<double>(so_far.size());
}

// The candidate of `eligible` with the greatest gain, if that is worth it.
std::optional<size_t> BestGain(const std::vector<Losses>& losses,
                               const std::vector<size_t>& eligible, const Losses& so_far,
                               double least_gain) {
  std::optional<size_t> best;
  double most = least_gain;
  for (size_t candidate : eligible) {
    const double gain = GainOf(losses[candidate], so_far);
    if (gain > most + kRounding) {
      most = gain;
      best = candidate;
    }
  }
  return best;
}

DesignChoice Choose(size_t candidate, const Losses& losses, Losses& so_far) {
  DesignChoice choice{candidate, Losses(so_far.size())};
  for (size_t s = 0; s < so_far.size(); ++s) {
    choice.reductions[s] = std::max(0.0, so_far[s] - losses[s]);
    so_far[s] = std::min(so_far[s], losses[s]);
  }
  return choice;
}

}  // namespace

std::vector<DesignChoice> SelectDesign(const std::vector<std::vector<double>>& losses,
                                       const std::function<bool(size_t, size_t)>& is_near,
                                       const DesignSelectionOptions& options) {
  std::vector<DesignChoice> chosen;
  std::vector<size_t> eligible(losses.size());
  std::iota(eligible.begin(), eligible.end(), size_t{0});
  while (!eligible.empty() && chosen.size() < options.size) {
    const size_t before = chosen.size();
    Losses so_far(losses[0].size(), 1.0);
    while (chosen.size() < options.size) {
      const std::optional<size_t> next = BestGain(losses, eligible, so_far, options.least_gain);
      if (!next.has_value()) break;
      chosen.push_back(Choose(*next, losses[*next], so_far));
    }
    if (chosen.size() == before) break;  // What is left is worst for every source.
    const auto is_used = [&](size_t candidate) {
      return std::any_of(chosen.begin(), chosen.end(), [&](const DesignChoice& choice) {
        return is_near(candidate, choice.candidate);
      });
    };
    eligible.erase(std::remove_if(eligible.begin(), eligible.end(), is_used), eligible.end());
  }
  return chosen;
}

}  // namespace slipstream
