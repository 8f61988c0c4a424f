#include "core/calibration/lengthscales.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/match.h"

namespace slipstream {

std::vector<Index> LengthscalePlaces(const Kernel& kernel) {
  const std::vector<std::string> names = kernel.ParameterNames();
  std::vector<Index> places;
  for (size_t i = 0; i < names.size(); ++i) {
    if (absl::StrContains(names[i], "lengthscale")) places.push_back(static_cast<Index>(i));
  }
  return places;
}

Hyperparameters WithLengthscalesDivided(const std::vector<Index>& places, Hyperparameters member,
                                        double divisor) {
  for (Index place : places) member.kernel[place] -= std::log(divisor);
  return member;
}

Hyperparameters WithLengthscalesAtMost(const std::vector<Index>& places, Hyperparameters member,
                                       double most) {
  for (Index place : places) member.kernel[place] = std::min(member.kernel[place], std::log(most));
  return member;
}

Hyperparameters WithLengthscales(const std::vector<Index>& places, Hyperparameters member,
                                 double lengthscale) {
  for (Index place : places) member.kernel[place] = std::log(lengthscale);
  return member;
}

}  // namespace slipstream
