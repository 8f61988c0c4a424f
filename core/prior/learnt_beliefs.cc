#include "core/prior/learnt_beliefs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/gp/gaussian_process.h"

namespace slipstream {
namespace {

// The belief without sources counts as so many of them.
constexpr double kSourcesOfBelief = 3;
// As beside a model without sources (objective_model.cc).
constexpr double kBeliefsMeanDeviation = 3;
// However alike the sources are, the target may be another one.
constexpr double kLeastBeliefDeviation = 0.1;
// Sources of less noise than this teach no less: a source's noise is a part of its variance over
// the whole space, a study's a part of that of its best results, and no source says how exact the
// study is. From here a noise as large as the results can still be learnt.
constexpr double kLeastNoiseLocation = -6.5;
constexpr double kDeviationThere = 1.75;

// The logarithms of a source's hyperparameters in the order of a model's beliefs, the mean left
// out.
Vector LearntOf(const SourceModel& source) {
  const Hyperparameters& own = source.hyperparameters;
  Vector learnt(own.kernel.size() + 1);
  learnt << own.kernel, own.log_noise_variance;
  return learnt;
}

void LearnBelief(const Vector& values, HyperparameterBelief& belief) {
  if (belief.is_fixed()) return;
  const auto count = static_cast<double>(values.size());
  const double part = count / (count + kSourcesOfBelief);
  const double mean = values.mean();
  const double between = (values.array() - mean).square().mean();
  const double apart = mean - belief.location;
  const double variance = part * between + (1 - part) * belief.deviation * belief.deviation +
                          part * (1 - part) * apart * apart;
  belief.location += part * apart;
  belief.deviation = std::max(kLeastBeliefDeviation, std::sqrt(variance));
}

class BelievingTransfer final : public Transfer {
 public:
  BelievingTransfer(Model model, TrainingData data, TrainingData target, size_t sources,
                    size_t teaching)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        sources_(sources),
        teaching_(teaching) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, target_, hyperparameters));
    return std::make_unique<GaussianProcess>(std::move(process));
  }

  // The function itself is the target's own.
  Vector Shares(const Hyperparameters& /*hyperparameters*/) const override {
    return Vector::Zero(static_cast<Index>(sources_));
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    return {{"sources_that_teach_beliefs", static_cast<double>(teaching_)}};
  }

 private:
  TrainingData target_;
  size_t sources_;
  size_t teaching_;
};

class LearntBeliefs final : public Prior {
 public:
  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    ModelOptions own = input.model;
    own.mean_deviation = kBeliefsMeanDeviation;
    Model model = DefaultModel(input.kinds, own);
    const size_t teaching = LearnBeliefs(input.sources, model);
    return std::make_unique<BelievingTransfer>(std::move(model), input.CalibrationPart(),
                                               input.target, input.sources.size(), teaching);
  }
};

}  // namespace

size_t LearnBeliefs(const SourceModels& sources, Model& model) {
  const std::vector<std::string> names = model.kernel->ParameterNames();
  std::vector<Vector> learnt;
  for (const auto& source : sources) {
    if (source->kernel->ParameterNames() == names) learnt.push_back(LearntOf(*source));
  }
  if (learnt.empty()) return 0;
  for (size_t i = 0; i <= names.size(); ++i) {
    Vector values(static_cast<Index>(learnt.size()));
    for (size_t k = 0; k < learnt.size(); ++k) {
      values[static_cast<Index>(k)] = learnt[k][static_cast<Index>(i)];
    }
    LearnBelief(values, model.beliefs[i]);
  }
  return learnt.size();
}

HyperparameterBelief LearntNoise(const SourceModels& sources) {
  std::vector<double> known;
  for (const auto& source : sources) {
    const Vector& y = source->data.y;
    if (y.minCoeff() < y.maxCoeff()) known.push_back(source->hyperparameters.log_noise_variance);
  }
  const Vector values = Eigen::Map<const Vector>(known.data(), static_cast<Index>(known.size()));
  if (known.empty() || values.mean() >= kUsualNoise.location) return kUsualNoise;
  HyperparameterBelief belief = kUsualNoise;
  LearnBelief(values, belief);
  const bool is_limited = belief.location < kLeastNoiseLocation;
  belief.location = std::max(kLeastNoiseLocation, belief.location);
  belief.deviation =
      std::max(is_limited ? kDeviationThere : kUsualNoise.deviation, belief.deviation);
  return belief;
}

std::unique_ptr<Prior> MakeLearntBeliefs() { return std::make_unique<LearntBeliefs>(); }

const PriorRow kLearntBeliefsPrior = {
    .about = {.name = "beliefs",
              .summary = "Priors for lengthscales, amplitude and noise that are learnt from the "
                         "sources",
              .source = "empirical Bayes"},
    .make = [](const OptionSet&, const FollowedAcquisition&) { return MakeLearntBeliefs(); },
};

}  // namespace slipstream
