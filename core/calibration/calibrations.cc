#include "core/calibration/calibrations.h"

#include "core/calibration/consistent.h"
#include "core/calibration/expanding.h"
#include "core/calibration/shrinking.h"

namespace slipstream {
namespace {

const CalibrationRow kFixed = {
    .about = {.name = "fixed",
              .summary = "The centres of the hyperparameters' priors; nothing is fitted"},
    .make = [](const QuasiNewtonOptions&) { return MakeFixed(); },
};

const CalibrationRow kMaximumLikelihood = {
    .about = {.name = "mle", .summary = "The most likely hyperparameters"},
    .make = MakeMaximumLikelihood,
};

const CalibrationRow kMaximumPosterior = {
    .about = {.name = "map",
              .summary = "The most probable hyperparameters, given their priors and the results"},
    .make = MakeMaximumPosterior,
    .finds_most_probable = true,
};

const CalibrationRow kHamiltonian = {
    .about = {.name = "hmc",
              .summary = "Draws from the posterior of the hyperparameters, averaged over",
              .source = "Hoffman and Gelman 2014, algorithm 5"},
    .make = [](const QuasiNewtonOptions&) { return MakeHamiltonian(HamiltonianOptions()); },
};

}  // namespace

absl::Span<const CalibrationRow* const> CalibrationRows() {
  static constexpr const CalibrationRow* kRows[] = {
      &kFixed,      &kMaximumLikelihood, &kMaximumPosterior, &kHamiltonian,
      &kConsistent, &kExpanding,         &kShrinking};
  return kRows;
}

}  // namespace slipstream
