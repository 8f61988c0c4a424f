// A model whose hyperparameters are still open: a kernel, and what is believed
// of each hyperparameter beforehand.
#ifndef SLIPSTREAM_CORE_GP_MODEL_H_
#define SLIPSTREAM_CORE_GP_MODEL_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/gp/coordinate_kinds.h"
#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"

namespace slipstream {

// The belief in one entry of Hyperparameters::Packed: normal around `location` (so that
// a hyperparameter that is packed as its logarithm is log-normal), within [lower, upper]; or, where
// there is a rate, exponential from `lower` on, with `location` where searches
// start and `deviation` their step; or, where there is a gamma rate, such that exp(gamma_power x)
// of the entry x has a Gamma distribution, its Jacobian included. It is fixed where lower == upper.
struct HyperparameterBelief {
  double location = 0;
  double deviation = 1;
  double lower = -10;
  double upper = 10;
  double rate = 0;
  double gamma_rate = 0;
  double gamma_shape = 1;
  double gamma_power = 1;

  bool is_fixed() const { return lower == upper; }
  friend bool operator==(const HyperparameterBelief&, const HyperparameterBelief&) = default;
};

// What is believed of the logarithm of the noise variance where nothing else is known: that of
// results of variance 1 is at least 1e-6 and at most 4.
inline constexpr HyperparameterBelief kUsualNoise = {-4, 1, -13.815510557964274,
                                                     1.3862943611198906};

// Hyperparameters that are given; the others are learnt.
struct GivenHyperparameters {
  std::optional<double> lengthscale = {};      // The same for all coordinates.
  std::optional<double> amplitude = {};        // The function's deviation.
  std::optional<double> noise_deviation = {};  // A result's.
  std::optional<double> mean = {};

  friend bool operator==(const GivenHyperparameters&, const GivenHyperparameters&) = default;
};

struct Model {
  std::shared_ptr<const Kernel> kernel;
  std::vector<HyperparameterBelief> beliefs;  // In the order of Hyperparameters::Packed.
  // The kinds of the kernel's coordinates; empty: all numbers.
  CoordinateKinds kinds = {};

  // The size of Hyperparameters::weights.
  Index weight_count() const;
  Hyperparameters Unpack(ConstVectorView packed) const;

  Vector Lower() const;
  Vector Upper() const;
  Vector Location() const;

  // The logarithm of the beliefs' density, up to a constant, and its gradient
  // added to `gradient`.
  double LogBelief(ConstVectorView packed, VectorView gradient) const;
};

// Gamma beliefs in the function's variance, in each lengthscale and in the noise variance.
struct GammaBeliefs {
  std::optional<double> rate = {};  // None: DefaultModel's own beliefs.
  double shape = 1e-3;

  friend bool operator==(const GammaBeliefs&, const GammaBeliefs&) = default;
};

struct ModelOptions {
  Smoothness smoothness = Smoothness::kMatern52;
  Lengthscales lengthscales = Lengthscales::kEach;
  // Results are exact: the noise variance is fixed at exact_noise_variance.
  bool noiseless = false;
  double exact_noise_variance = 1e-8;
  // Of a study whose results are not exact.
  HyperparameterBelief noise = kUsualNoise;
  // The deviation of the belief in the mean.
  double mean_deviation = 1;
  // Coordinates are bent (MakeWarped), each by a curve that is learnt.
  bool warps_inputs = false;
  // Fixed, whatever is believed of the others.
  GivenHyperparameters given = {};
  GammaBeliefs gamma = {};
};

// For outputs of mean 0 and variance 1 over the unit cube:
//   lengthscale ~ LogNormal(log(d)/2 - 1, 1): distances in the cube grow with
//     sqrt d, and so does the belief (Hvarfner, Hellsten, Nardi, "Vanilla
//     Bayesian optimization performs great in high dimensions", 2024). Their
//     location and deviation, sqrt 2 and sqrt 3, are so long and wide that few
//     results can rule a parameter out wrongly; these, chosen on families of
//     functions that no figure is reported on, are narrower;
//   amplitude^2 ~ LogNormal(0, 1);
//   a and b of bent coordinates ~ LogNormal(0, 0.5), from 1/8 to 8;
//   noise variance as in options.noise;
//   mean ~ Normal(0, mean_deviation).
// Gamma beliefs take the place of the first, second and fourth; searches start where they do
// otherwise.
Model DefaultModel(const CoordinateKinds& kinds, const ModelOptions& options);

// Fixes the beliefs in what is given. Of a product's amplitudes it is the first one.
void FixGiven(const GivenHyperparameters& given, Model& model);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_MODEL_H_
