#include "core/prior/pretrained/pretrained.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/prior/blocks/source_identities.h"
#include "core/prior/pretrained/linear_mean.h"
#include "core/prior/pretrained/shared_prior.h"

namespace slipstream {
namespace {

constexpr size_t kMostPretrainings = 32;
// A line of slope sqrt 12 has variance 1 over the unit cube, as all results have.
constexpr double kMeanSlopeDeviation = 3;
constexpr double kMostMeanSlope = 10;

// The result of pretraining on the sources.
struct Pretraining {
  Hyperparameters hyperparameters;
  double objective = 0;  // The method's objective, without beliefs.
  Index points = 0;      // Used, of all tasks together.
  bool is_from_means = false;
};

// All that a pretraining depends on besides the prior's options.
struct PretrainingKey {
  PretrainingKey(const PriorInput& input, bool takes_places)
      : kinds(input.kinds),
        smoothness(input.model.smoothness),
        lengthscales(input.model.lengthscales),
        noise(input.model.noise),
        given(input.model.given),
        gamma(input.model.gamma),
        places(takes_places ? input.places.Get() : PointMatrix()),
        sources(input.sources) {}

  bool operator==(const PretrainingKey& other) const {
    return kinds == other.kinds && smoothness == other.smoothness &&
           lengthscales == other.lengthscales && noise == other.noise && given == other.given &&
           gamma == other.gamma && sources == other.sources && AreEqual(places, other.places);
  }

  CoordinateKinds kinds;
  Smoothness smoothness;
  Lengthscales lengthscales;
  HyperparameterBelief noise;
  GivenHyperparameters given;
  GammaBeliefs gamma;
  PointMatrix places;
  SourceIdentities sources;
};

// What is believed of the shared hyperparameters. Sources have noise even where
// the target has none.
Model PretrainingModel(const PriorInput& input, MeanFunction mean) {
  ModelOptions options = input.model;
  options.noiseless = false;
  Model model = DefaultModel(input.kinds, options);
  if (mean == MeanFunction::kConstant) return model;
  for (const CoordinateKind kind : input.kinds) {
    const bool is_word = kind == CoordinateKind::kWord;
    const double most = is_word ? 0 : kMostMeanSlope;
    model.beliefs.push_back({0, kMeanSlopeDeviation, -most, most});
  }
  return model;
}

// The sources' own hyperparameters, averaged; nothing if their kernels are of
// another form.
std::optional<Vector> AveragedOverSources(const SourceModels& sources, const Model& model) {
  const Index count = model.kernel->parameter_count();
  Vector mean = Vector::Zero(count + 2 + model.weight_count());
  for (const auto& source : sources) {
    if (source->hyperparameters.kernel.size() != count) return std::nullopt;
    mean.head(count) += source->hyperparameters.kernel;
    mean[count] += source->hyperparameters.log_noise_variance;
    mean[count + 1] += source->hyperparameters.mean;
  }
  return mean / static_cast<double>(sources.size());
}

std::vector<Vector> PretrainingStarts(const SourceModels& sources, const Model& model) {
  // Added to the logarithms of all lengthscales, and of the noise.
  constexpr double kShifts[][2] = {{0, 0}, {-0.7, -4}, {-1.5, 0}};
  const Index count = model.kernel->parameter_count();
  std::vector<Vector> starts;
  for (const auto& shift : kShifts) {
    Vector start = model.Location();
    start.segment(1, count - 1).array() += shift[0];
    start[count] += shift[1];
    starts.push_back(std::move(start));
  }
  if (std::optional<Vector> mean = AveragedOverSources(sources, model)) starts.push_back(*mean);
  return starts;
}

absl::StatusOr<Pretraining> Pretrain(const PriorInput& input, Model model,
                                     const PretrainedOptions& options) {
  Pretraining pretraining;
  std::vector<TaskGroup> groups;
  const bool is_divergence = options.objective == PretrainingObjective::kEmpiricalDivergence;
  if (!is_divergence) {
    groups = GroupedResults(input.sources, options.most_points);
  } else if (auto results = MatchingResults(input.sources, options.most_points)) {
    groups.push_back(*std::move(results));
  } else {
    groups.push_back(MeansAt(input.sources, input.places.Get(), options.most_points));
    pretraining.is_from_means = true;
    // The blur of values without noise: what is believed of noise is not of it.
    model.beliefs[static_cast<size_t>(model.kernel->parameter_count())].deviation = 1e6;
  }
  SharedPriorOptions learning;
  learning.with_beliefs = options.with_beliefs;
  SLIPSTREAM_ASSIGN_OR_RETURN(
      SharedPrior shared,
      LearnSharedPrior(model, groups, PretrainingStarts(input.sources, model), learning));
  for (const TaskGroup& group : groups) pretraining.points += group.values.size();
  pretraining.objective = shared.loss;
  if (is_divergence) {
    const auto points = static_cast<double>(groups.front().x.rows());
    pretraining.objective = 2 * shared.loss - points * std::log(2 * std::numbers::pi);
  }
  pretraining.hyperparameters = std::move(shared.hyperparameters);
  if (pretraining.is_from_means) {
    double sum = 0;
    for (const auto& source : input.sources) sum += source->hyperparameters.log_noise_variance;
    pretraining.hyperparameters.log_noise_variance =
        sum / static_cast<double>(input.sources.size());
  }
  return pretraining;
}

// The model that a calibration sees: all is fixed.
Model PretrainedModel(const PriorInput& input, Model model, const Hyperparameters& learnt) {
  const Vector packed = learnt.Packed();
  const auto noise = static_cast<size_t>(model.kernel->parameter_count());
  for (size_t i = 0; i < model.beliefs.size(); ++i) {
    HyperparameterBelief& belief = model.beliefs[i];
    belief.location = belief.lower = belief.upper = packed[static_cast<Index>(i)];
  }
  if (input.model.noiseless) {
    const double exact = std::log(input.model.exact_noise_variance);
    model.beliefs[noise] = {exact, 1, exact, exact};
  }
  return model;
}

class PretrainedTransfer final : public Transfer {
 public:
  PretrainedTransfer(Model model, TrainingData data, TrainingData target,
                     std::shared_ptr<const Pretraining> pretraining,
                     const PretrainedOptions& options, size_t sources)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        pretraining_(std::move(pretraining)),
        options_(options),
        sources_(sources) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    std::shared_ptr<const GaussianPrior> prior;
    if (hyperparameters.weights.size() > 0) {
      prior = std::make_shared<LinearMeanPrior>(model().kernel, hyperparameters.kernel,
                                                hyperparameters.mean, hyperparameters.weights);
    } else {
      prior = std::make_shared<KernelPrior>(model().kernel, hyperparameters.kernel,
                                            hyperparameters.mean);
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(
        GaussianProcess process,
        GaussianProcess::Fit(
            std::move(prior),
            {target_.x, target_.y, NoiseOf(target_, hyperparameters.log_noise_variance)}));
    return std::make_unique<GaussianProcess>(std::move(process));
  }

  Vector Shares(const Hyperparameters&) const override {
    return Vector::Constant(static_cast<Index>(sources_), 1 / static_cast<double>(sources_));
  }

  // The values that the sources taught, also of hyperparameters that were freed.
  std::vector<Remark> Remarks(const Hyperparameters&) const override {
    const Hyperparameters& learnt = pretraining_->hyperparameters;
    const bool is_divergence = options_.objective == PretrainingObjective::kEmpiricalDivergence;
    std::vector<Remark> remarks;
    remarks.emplace_back("pretrained_amplitude", std::exp(learnt.kernel[0]));
    const Vector lengthscales = learnt.kernel.tail(learnt.kernel.size() - 1).array().exp();
    remarks.emplace_back("pretrained_lengthscales", absl::StrJoin(lengthscales, " "));
    remarks.emplace_back("pretrained_noise_variance", std::exp(learnt.log_noise_variance));
    remarks.emplace_back("pretrained_mean", learnt.mean);
    if (learnt.weights.size() > 0) {
      remarks.emplace_back("pretrained_slopes", absl::StrJoin(learnt.weights, " "));
    }
    remarks.emplace_back(
        is_divergence ? "empirical_divergence" : "negative_log_likelihood_per_task",
        pretraining_->objective);
    remarks.emplace_back("pretraining_points", static_cast<double>(pretraining_->points));
    if (pretraining_->is_from_means) {
      remarks.emplace_back("pretrained_on", std::string("the sources' posterior means"));
    }
    return remarks;
  }

 private:
  TrainingData target_;
  std::shared_ptr<const Pretraining> pretraining_;
  PretrainedOptions options_;
  size_t sources_;
};

class Pretrained final : public Prior {
 public:
  explicit Pretrained(const PretrainedOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    Model model = PretrainingModel(input, options_.mean);
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const Pretraining> pretraining,
                                PretrainingOf(input, model));
    TrainingData data = input.CalibrationPart();
    if (options_.mean == MeanFunction::kLinear) data.terms = SlopeTerms(data.x);
    model = PretrainedModel(input, std::move(model), pretraining->hyperparameters);
    return std::make_unique<PretrainedTransfer>(std::move(model), std::move(data), input.target,
                                                std::move(pretraining), options_,
                                                input.sources.size());
  }

  absl::Status Prepare(const PriorInput& input) const override {
    return PretrainingOf(input, PretrainingModel(input, options_.mean)).status();
  }

 private:
  absl::StatusOr<std::shared_ptr<const Pretraining>> PretrainingOf(const PriorInput& input,
                                                                   const Model& model) const {
    const bool takes_places = options_.objective == PretrainingObjective::kEmpiricalDivergence;
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<const Pretraining>> {
      SLIPSTREAM_ASSIGN_OR_RETURN(Pretraining learnt, Pretrain(input, model, options_));
      return std::make_shared<const Pretraining>(std::move(learnt));
    };
    return pretrainings_.Get(PretrainingKey(input, takes_places), make);
  }

  PretrainedOptions options_;
  mutable Memo<PretrainingKey, const Pretraining> pretrainings_{kMostPretrainings};
};

}  // namespace

std::unique_ptr<Prior> MakePretrained(const PretrainedOptions& options) {
  return std::make_unique<Pretrained>(options);
}

namespace {

constexpr Option<PretrainedOptions> kPretrainedOptions[] = {
    OptionAt<&PretrainedOptions::objective>(
        {"pretraining", "", 0, 1, true, "0: pretrained by likelihood, 1: by empirical divergence"}),
    OptionAt<&PretrainedOptions::mean>(
        {"pretrained_mean", "", 0, 1, true,
         "0: pretrained with a constant mean, 1: with a linear one"}),
};

}  // namespace

const PriorRow kPretrainedPrior = {
    .about = {.name = "pretrained",
              .summary = "One mean, kernel and noise learnt from all sources, and kept",
              .source = "HyperBO: Wang et al. 2021",
              .options = [] { return OptionSet(PretrainedOptions(), kPretrainedOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakePretrained(options.As<PretrainedOptions>());
        },
};

}  // namespace slipstream
