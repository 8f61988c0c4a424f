#include "core/prior/source_sum.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/prior/blocks/ranking.h"
#include "core/prior/printed_difference.h"

namespace slipstream {
namespace {

// No weight is above: results and sources both have variance 1.
constexpr double kMostWeight = 10;
// Sources seldom say the opposite of what the target does.
constexpr HyperparameterBelief kOppositeBelief = {0, 0.5, 0, kMostWeight, /*rate=*/2};
// Weights are seldom so far below 0 where sources tell nothing (tests/evidence/CHOICES.md).
constexpr double kClearlyReversed = -0.3;

bool LearnsWeights(const SourceSumOptions& options, size_t sources) {
  return options.weights == WeightLearning::kAlways || sources > 1;
}

// Whether each source has two weights that are not negative: what it counts, and its opposite.
bool LearnsOpposites(const SourceSumOptions& options, size_t sources) {
  return options.signs == WeightSigns::kEither && LearnsWeights(options, sources);
}

Model ModelOf(const PriorInput& input, const SourceSumOptions& options, size_t sources) {
  ModelOptions own = input.model;
  own.smoothness = options.difference;
  Model model = DefaultModel(input.kinds, own);
  HyperparameterBelief& amplitude = model.beliefs.front();
  if (options.amplitude.has_value()) {
    const double fixed = std::log(*options.amplitude);
    amplitude = {fixed, 1, fixed, fixed};
  } else {
    amplitude = kDifferenceAmplitude;
  }
  const bool is_learnt = LearnsWeights(options, sources);
  for (size_t i = 0; i < sources; ++i) {
    if (is_learnt) {
      const auto count = static_cast<double>(sources);
      const double rate = options.weight_rate.value_or(std::max(1.0, std::sqrt(count / 10)));
      model.beliefs.push_back({1 / count, 0.5, 0, kMostWeight, rate});
    } else {
      model.beliefs.push_back({1, 1, 1, 1});
    }
  }
  if (LearnsOpposites(options, sources)) {
    model.beliefs.insert(model.beliefs.end(), sources, kOppositeBelief);
  }
  return model;
}

absl::StatusOr<std::vector<KnownTerm>> TermsOf(const SourceModels& sources, SourceErrors errors,
                                               const PointMatrix& x, const Deadline& deadline) {
  std::vector<KnownTerm> terms;
  for (const auto& source : sources) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the sources"));
    terms.push_back(KnownPartAt({{source->expansion, 1, 1, source->cache}}, errors, x));
  }
  return terms;
}

// Appends each source's opposite. The most probable weights seldom have both of a source. Where
// neither is 0, as in samples, the likelihood takes the source for less certain than Fit does,
// which counts it by the difference of the two.
void AddOpposites(std::vector<KnownTerm>& terms) {
  const size_t sources = terms.size();
  for (size_t i = 0; i < sources; ++i) {
    terms.push_back(terms[i]);
    terms.back().mean *= -1;
  }
}

class SummedSources final : public Transfer {
 public:
  SummedSources(const SourceSumOptions& options, Model model, TrainingData data,
                TrainingData target, SourceModels chosen, std::vector<size_t> places, size_t all)
      : Transfer(std::move(model), std::move(data)),
        options_(options),
        target_(std::move(target)),
        chosen_(std::move(chosen)),
        places_(std::move(places)),
        all_(all) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    const Observations observations{target_.x, target_.y,
                                    NoiseOf(target_, hyperparameters.log_noise_variance)};
    const OwnPart own{model().kernel, hyperparameters.kernel, hyperparameters.mean};
    if (options_.noise == DifferenceNoise::kAsPrinted) {
      return FitPrintedDifference(TermsWith(hyperparameters.weights), own, observations,
                                  std::exp(hyperparameters.log_noise_variance));
    }
    return FitAddedProcess(TermsWith(hyperparameters.weights), own, options_.errors, observations);
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    Vector shares = Vector::Zero(static_cast<Index>(all_));
    const Vector weights = Pruned(hyperparameters.weights);
    for (size_t i = 0; i < places_.size(); ++i) {
      shares[static_cast<Index>(places_[i])] = std::abs(weights[static_cast<Index>(i)]);
    }
    return shares / std::max(1.0, shares.sum());
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks;
    const Vector weights = Pruned(hyperparameters.weights);
    remarks.emplace_back("sources_with_weight",
                         static_cast<double>((weights.array() != 0).count()));
    Index largest = 0;
    weights.cwiseAbs().maxCoeff(&largest);
    remarks.emplace_back("largest_weight", weights[largest]);
    RemarkOnReversal(weights.sum(), remarks);
    remarks.emplace_back("difference_amplitude", std::exp(hyperparameters.kernel[0]));
    if (places_.size() < all_) {
      remarks.emplace_back("screened", absl::StrCat("the ", places_.size(), " of ", all_,
                                                    " sources that rank the results best"));
    }
    return remarks;
  }

 private:
  // What each source counts, below 0 where its opposite does; 0 where next to nothing is left.
  Vector Pruned(const Vector& learnt) const {
    const auto sources = static_cast<Index>(chosen_.size());
    Vector weights = learnt.head(sources);
    if (learnt.size() > sources) weights -= learnt.tail(sources);
    const double least = options_.least_weight_part * weights.cwiseAbs().mean();
    return (weights.array().abs() < least).select(0, weights);
  }

  std::vector<AddedTerm> TermsWith(const Vector& weights) const {
    const Vector pruned = Pruned(weights);
    std::vector<AddedTerm> terms;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const double weight = pruned[static_cast<Index>(i)];
      if (weight != 0) {
        terms.push_back({chosen_[i]->expansion, weight, weight * weight, chosen_[i]->cache});
      }
    }
    return terms;
  }

  SourceSumOptions options_;
  TrainingData target_;
  SourceModels chosen_;
  std::vector<size_t> places_;  // Where the chosen ones are in the input.
  size_t all_;
};

class SourceSum final : public Prior {
 public:
  explicit SourceSum(const SourceSumOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    TrainingData data = input.CalibrationPart();
    std::vector<size_t> places =
        BestRankers(input.sources, input.target, MostSources(data.y.size()));
    SourceModels chosen;
    for (size_t place : places) chosen.push_back(input.sources[place]);
    SLIPSTREAM_ASSIGN_OR_RETURN(data.terms,
                                TermsOf(chosen, options_.errors, data.x, input.deadline));
    if (LearnsOpposites(options_, chosen.size())) AddOpposites(data.terms);
    Model model = ModelOf(input, options_, chosen.size());
    return std::make_unique<SummedSources>(options_, std::move(model), std::move(data),
                                           input.target, std::move(chosen), std::move(places),
                                           input.sources.size());
  }

 private:
  // The most sources that are weighed beside so many results.
  size_t MostSources(Index results) const {
    if (options_.errors == SourceErrors::kIndependent) return options_.most_sources;
    const size_t parts = options_.signs == WeightSigns::kEither ? 2 : 1;
    return std::min(options_.most_sources, MostKnownParts(results) / parts);
  }

  SourceSumOptions options_;
};

}  // namespace

void RemarkOnReversal(double weight, std::vector<Remark>& remarks) {
  if (weight > kClearlyReversed) return;
  remarks.emplace_back("reversed",
                       "results are the opposite of what sources say; were these recorded with the "
                       "other sign?");
}

std::unique_ptr<Prior> MakeSourceSum(const SourceSumOptions& options) {
  return std::make_unique<SourceSum>(options);
}

namespace {

constexpr Option<SourceSumOptions> kSourceSumOptions[] = {
    OptionAt<&SourceSumOptions::amplitude>(
        {"difference_amplitude", "deviations of the results", 1e-3, 10, false,
         "tau of delta, stacked and scaml: the difference's deviation; learnt unless given"}),
    OptionAt<&SourceSumOptions::difference>(
        {"difference_smoothness", "", 0, 3, true,
         "The kernel of the difference in delta, stacked and scaml, with the values of "
         "smoothness"}),
    OptionAt<&SourceSumOptions::weight_rate>(
        {"weight_rate", "", 1e-3, 1000, false,
         "The rate of the exponential prior of scaml's weights"}),
    OptionAt<&SourceSumOptions::most_sources>(
        {"most_sources", "sources", 1, 1000, true,
         "The most sources that delta, stacked and scaml learn from, those that rank the results "
         "best"}),
    OptionAt<&SourceSumOptions::noise>(
        {"printed_noise", "", 0, 1, true,
         "1: delta uses the noise of DeltaBO's equation 6 as printed"}),
};

std::unique_ptr<Prior> MakeWith(SourceSumOptions options, SourceErrors errors,
                                WeightLearning weights) {
  options.errors = errors;
  options.weights = weights;
  return MakeSourceSum(options);
}

}  // namespace

OptionSet SourceSumOptionSet() { return OptionSet(SourceSumOptions(), kSourceSumOptions); }

const PriorRow kDeltaPrior = {
    .about = {.name = "delta",
              .summary = "The sources' posterior means plus a process for the difference",
              .source = "DeltaBO, equations 4 to 6",
              .options = SourceSumOptionSet},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeWith(options.As<SourceSumOptions>(), SourceErrors::kIndependent,
                          WeightLearning::kSeveral);
        },
    .scale = TaskScale::kShared,
};

const PriorRow kScamlPrior = {
    .about = {.name = "scaml",
              .summary = "The sources' posteriors with learnt weights plus a process for the rest",
              .source = "ScaML-GP: Tighineanu et al. 2024",
              .options = SourceSumOptionSet},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeWith(options.As<SourceSumOptions>(), SourceErrors::kCorrelated,
                          WeightLearning::kAlways);
        },
    // With a weight for each source an ascent takes three times as many steps, and its start
    // matters less, as what the sources say is nearly linear in them.
    .ascents = 1,
};

}  // namespace slipstream
