#include "core/gp/model.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"

namespace slipstream {
namespace {

template <typename Member>
Vector Collect(const std::vector<HyperparameterBelief>& beliefs, Member member) {
  Vector collected(static_cast<Index>(beliefs.size()));
  for (size_t i = 0; i < beliefs.size(); ++i) {
    collected[static_cast<Index>(i)] = beliefs[i].*member;
  }
  return collected;
}

// Has these beliefs in the kernel's amplitude, which is its first hyperparameter, its lengthscales
// and the noise; nothing changes unless there is a rate.
void BelieveInGamma(const GammaBeliefs& gamma, Model& model) {
  if (!gamma.rate.has_value()) return;
  const auto believe = [&](size_t place, double power) {
    HyperparameterBelief& belief = model.beliefs[place];
    belief.gamma_rate = *gamma.rate;
    belief.gamma_shape = gamma.shape;
    belief.gamma_power = power;
  };
  const std::vector<std::string> names = model.kernel->ParameterNames();
  believe(0, 2);  // The amplitude's logarithm is half the variance's.
  for (size_t i = 0; i < names.size(); ++i) {
    if (absl::StrContains(names[i], "lengthscale")) believe(i, 1);
  }
  believe(names.size(), 1);
}

}  // namespace

Index Model::weight_count() const {
  return static_cast<Index>(beliefs.size()) - kernel->parameter_count() - 2;
}

Hyperparameters Model::Unpack(ConstVectorView packed) const {
  return Hyperparameters::Unpacked(packed, weight_count());
}

Vector Model::Lower() const { return Collect(beliefs, &HyperparameterBelief::lower); }

Vector Model::Upper() const { return Collect(beliefs, &HyperparameterBelief::upper); }

Vector Model::Location() const {
  return Collect(beliefs, &HyperparameterBelief::location).cwiseMax(Lower()).cwiseMin(Upper());
}

double Model::LogBelief(ConstVectorView packed, VectorView gradient) const {
  double value = 0;
  for (size_t i = 0; i < beliefs.size(); ++i) {
    const auto place = static_cast<Index>(i);
    if (beliefs[i].rate > 0) {
      value -= beliefs[i].rate * (packed[place] - beliefs[i].lower);
      gradient[place] -= beliefs[i].rate;
      continue;
    }
    if (beliefs[i].gamma_rate > 0) {
      const double power = beliefs[i].gamma_power;
      const double pull = beliefs[i].gamma_rate * std::exp(power * packed[place]);
      value += beliefs[i].gamma_shape * power * packed[place] - pull;
      gradient[place] += power * (beliefs[i].gamma_shape - pull);
      continue;
    }
    const double z = (packed[place] - beliefs[i].location) / beliefs[i].deviation;
    value -= 0.5 * z * z;
    gradient[place] -= z / beliefs[i].deviation;
  }
  return value;
}

Model DefaultModel(const CoordinateKinds& kinds, const ModelOptions& options) {
  Model model;
  const auto dimension = static_cast<double>(kinds.size());
  std::unique_ptr<Kernel> kernel = MakeStationary(options.smoothness, kinds, options.lengthscales);
  model.kinds = kinds;
  model.beliefs.push_back({0, 0.5, std::log(0.03), std::log(30.0)});
  const auto believe_the_rest = [&](const HyperparameterBelief& belief) {
    model.beliefs.resize(static_cast<size_t>(kernel->parameter_count()), belief);
  };
  believe_the_rest({-1 + 0.5 * std::log(dimension), 1, std::log(0.01), std::log(1e3)});
  if (options.warps_inputs) {
    kernel = MakeWarped(std::move(kernel), kinds);
    believe_the_rest({0, 0.5, -std::log(8.0), std::log(8.0)});
  }
  model.kernel = std::move(kernel);
  if (options.noiseless) {
    const double exact = std::log(options.exact_noise_variance);
    model.beliefs.push_back({exact, 1, exact, exact});
  } else {
    model.beliefs.push_back(options.noise);
  }
  model.beliefs.push_back({0, options.mean_deviation, -5, 5});
  BelieveInGamma(options.gamma, model);
  FixGiven(options.given, model);
  return model;
}

void FixGiven(const GivenHyperparameters& given, Model& model) {
  const auto fix = [&model](size_t place, double value) {
    model.beliefs[place] = {value, 1, value, value};
  };
  const std::vector<std::string> names = model.kernel->ParameterNames();
  for (size_t i = 0; given.lengthscale.has_value() && i < names.size(); ++i) {
    if (absl::StrContains(names[i], "lengthscale")) fix(i, std::log(*given.lengthscale));
  }
  if (given.amplitude.has_value()) fix(0, std::log(*given.amplitude));
  if (given.noise_deviation.has_value()) fix(names.size(), 2 * std::log(*given.noise_deviation));
  if (given.mean.has_value()) fix(names.size() + 1, *given.mean);
}

}  // namespace slipstream
