#include "core/prior/cluster/cluster_prior.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/source_identities.h"
#include "core/prior/cluster/adaptive_weights.h"

namespace slipstream {
namespace {

// The amplitude of the target's own process where it has none: no numbers change, and the
// kernel's hyperparameters are there, fixed.
constexpr double kNoAmplitude = 1e-6;
// The mean's bounds, in deviations.
constexpr double kMeanReach = 4;
// Sets of prototypes that are kept: so many, and fewer where they are large.
constexpr size_t kMostPrototypeSets = 8;
constexpr size_t kMostSetBytes = kMostPrototypeBytes;
// Sets that a deadline left unfinished.
constexpr size_t kMostUnfinished = 2;
constexpr size_t kMostListedGroups = 8;

// The cached results of a set of sources, without the sources themselves.
struct PrototypeSet {
  SourcePrototypes made;
  AdaptionCache adaptions{kMostAdaptions};
};

// Such that no more sets than kMostPrototypeSets are kept within kMostSetBytes.
size_t CostOfSet(const PlacedSources&, const PrototypeSet& set) {
  const size_t weights = set.adaptions.cost() * set.made.prototypes.size() * 2 * sizeof(double);
  return std::max(MemoryBytes(set.made) + weights, kMostSetBytes / kMostPrototypeSets);
}

// The noise and the mean are open; lengthscales if there is a residual; the
// sources' part has weight 1.
Model ModelOfMixture(const PriorInput& input, const ClusterOptions& options) {
  ModelOptions own = input.model;
  own.smoothness = options.residual_smoothness;
  Model model = DefaultModel(input.kinds, own);
  const auto fix = [&](Index place, double value) {
    model.beliefs[static_cast<size_t>(place)] = {value, 1, value, value};
  };
  const Index parameters = model.kernel->parameter_count();
  if (!options.residual_amplitude.has_value()) {
    const Vector location = model.Location();
    for (Index i = 1; i < parameters; ++i) fix(i, location[i]);
  }
  fix(0, std::log(options.residual_amplitude.value_or(kNoAmplitude)));
  const double deviation = options.mean_deviation;
  if (!input.model.given.mean.has_value()) {
    model.beliefs[static_cast<size_t>(parameters) + 1] = {0, deviation, -kMeanReach * deviation,
                                                          kMeanReach * deviation};
  }
  model.beliefs.push_back({1, 1, 1, 1});
  return model;
}

AdaptionModel AdaptionOf(const Model& model, const ClusterOptions& options) {
  const Hyperparameters location = model.Unpack(model.Location());
  AdaptionModel adaption{options.weights, location.log_noise_variance, location.mean,
                         options.covariance, std::nullopt};
  if (options.residual_amplitude.has_value()) {
    adaption.residual = OwnPart{model.kernel, location.kernel, 0};
  }
  return adaption;
}

class ClusteredTransfer final : public Transfer {
 public:
  ClusteredTransfer(Model model, TrainingData data, TrainingData target,
                    std::shared_ptr<const PrototypeSet> set, AdaptiveWeights adapted,
                    std::vector<AddedTerm> terms, size_t sources)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        set_(std::move(set)),
        adapted_(std::move(adapted)),
        terms_(std::move(terms)),
        sources_(sources) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    return FitAddedProcess(
        terms_, {model().kernel, hyperparameters.kernel, hyperparameters.mean},
        SourceErrors::kCorrelated,
        {target_.x, target_.y, NoiseOf(target_, hyperparameters.log_noise_variance)});
  }

  Vector Shares(const Hyperparameters& /*hyperparameters*/) const override {
    Vector shares = Vector::Zero(static_cast<Index>(sources_));
    for (size_t i = 0; i < prototypes().size(); ++i) {
      const std::vector<size_t>& members = prototypes()[i].members;
      for (size_t member : members) {
        shares[static_cast<Index>(member)] =
            adapted_.weights[static_cast<Index>(i)] / static_cast<double>(members.size());
      }
    }
    return shares;
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    std::vector<Remark> remarks;
    remarks.emplace_back("clusters", static_cast<double>(prototypes().size()));
    remarks.emplace_back("cluster_weights", Listed([this](size_t i) {
                           const size_t size = prototypes()[i].members.size();
                           return absl::StrCat(size, size == 1 ? " source " : " sources ",
                                               Rounded(adapted_.weights[static_cast<Index>(i)]));
                         }));
    if (adapted_.distances.size() > 0) {
      remarks.emplace_back("cluster_distances", Listed([this](size_t i) {
                             return Rounded(adapted_.distances[static_cast<Index>(i)]);
                           }));
    }
    if (set_->made.clustering.has_value()) {
      remarks.emplace_back("intra_cluster_entropy", set_->made.clustering->intra_entropy);
      remarks.emplace_back("inter_cluster_separation", set_->made.clustering->inter_separation);
    }
    return remarks;
  }

 private:
  static std::string Rounded(double value) { return FormatNumber(std::round(value * 100) / 100); }

  const std::vector<Prototype>& prototypes() const { return set_->made.prototypes; }

  // The groups of greatest weight, of equals the first, each by what `text` says.
  template <typename Text>
  std::string Listed(const Text& text) const {
    std::vector<size_t> order(prototypes().size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return adapted_.weights[static_cast<Index>(a)] > adapted_.weights[static_cast<Index>(b)];
    });
    std::string list;
    for (size_t i = 0; i < order.size() && i < kMostListedGroups; ++i) {
      absl::StrAppend(&list, i == 0 ? "" : "; ", text(order[i]));
    }
    if (order.size() > kMostListedGroups) {
      absl::StrAppend(&list, "; ", order.size() - kMostListedGroups, " more");
    }
    return list;
  }

  TrainingData target_;
  std::shared_ptr<const PrototypeSet> set_;
  AdaptiveWeights adapted_;
  std::vector<AddedTerm> terms_;
  size_t sources_;
};

// Where there are more prototypes than `most`, each with a covariance: leaves it
// to those of greatest weight, of equals the first, which take over what the
// others had.
void KeepHeaviestCovariances(std::vector<AddedTerm>& terms, size_t most) {
  std::vector<AddedTerm*> order;
  double sum = 0;
  for (AddedTerm& term : terms) {
    if (!(term.covariance_factor > 0)) continue;
    order.push_back(&term);
    sum += term.covariance_factor;
  }
  most = std::max<size_t>(most, 1);
  if (order.size() <= most) return;
  std::stable_sort(order.begin(), order.end(), [](const AddedTerm* a, const AddedTerm* b) {
    return a->covariance_factor > b->covariance_factor;
  });
  double kept = 0;
  for (size_t i = 0; i < most; ++i) kept += order[i]->covariance_factor;
  for (size_t i = 0; i < order.size(); ++i)
    order[i]->covariance_factor *= i < most ? sum / kept : 0;
}

class ClusterPrior final : public Prior {
 public:
  explicit ClusterPrior(const ClusterOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<PrototypeSet> set, PrototypesOf(input));
    Model model = ModelOfMixture(input, options_);
    const std::vector<Prototype>& prototypes = set->made.prototypes;
    AdaptiveWeights adapted = EqualWeights(prototypes.size());
    const Index first = std::max<Index>(1, input.initial_results);
    const Index last = std::min(input.target.y.size() - 1, first - 1 + options_.most_steps);
    if (prototypes.size() > 1 && last >= first) {
      SLIPSTREAM_ASSIGN_OR_RETURN(
          adapted, WeightsAfter(set->made, input.sources, AdaptionOf(model, options_), first, last,
                                input.earlier, set->adaptions, input.deadline));
    }
    std::vector<AddedTerm> terms;
    for (size_t i = 0; i < prototypes.size(); ++i) {
      const double weight = adapted.weights[static_cast<Index>(i)];
      std::vector<AddedTerm> own = TermsOfPrototype(prototypes[i], input.sources, weight,
                                                    CovarianceWeight(options_.covariance, weight));
      std::move(own.begin(), own.end(), std::back_inserter(terms));
    }
    const size_t most = MostCovariances(options_.prototypes, input.sources);
    if (prototypes.size() > most) KeepHeaviestCovariances(terms, most);
    TrainingData data = input.CalibrationPart();
    data.terms = {KnownPartAt(terms, SourceErrors::kCorrelated, data.x)};
    return std::make_unique<ClusteredTransfer>(std::move(model), std::move(data), input.target,
                                               std::move(set), std::move(adapted), std::move(terms),
                                               input.sources.size());
  }

  absl::Status Prepare(const PriorInput& input) const override {
    return PrototypesOf(input).status();
  }

 private:
  absl::StatusOr<std::shared_ptr<PrototypeSet>> PrototypesOf(const PriorInput& input) const {
    const PointMatrix& places =
        input.places.Get(std::max(Places::kUsual, options_.prototypes.weight_places));
    const PlacedSources key{SourceIdentities(input.sources), places};
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<PrototypeSet>> {
      const std::shared_ptr<PrototypeProgress> progress = TakeProgress(key);
      absl::StatusOr<SourcePrototypes> made = MakePrototypes(
          input.sources, places, options_.prototypes, input.deadline, progress.get());
      if (!made.ok()) {
        unfinished_.Put(key, progress);
        return made.status();
      }
      auto set = std::make_shared<PrototypeSet>();
      set->made = *std::move(made);
      return set;
    };
    return sets_.Get(key, make);
  }

  // What an earlier call has computed. No other call has it any longer.
  std::shared_ptr<PrototypeProgress> TakeProgress(const PlacedSources& key) const {
    const std::lock_guard lock(taking_);
    std::shared_ptr<PrototypeProgress> progress = unfinished_.Find(key);
    if (progress == nullptr) return std::make_shared<PrototypeProgress>();
    unfinished_.Erase(key);
    return progress;
  }

  ClusterOptions options_;
  mutable Memo<PlacedSources, PrototypeSet> sets_{
      kMostSetBytes, {.cost = CostOfSet, .shrink = [](const PrototypeSet&) {}}};
  mutable std::mutex taking_;
  mutable Memo<PlacedSources, PrototypeProgress> unfinished_{kMostUnfinished};
};

}  // namespace

std::unique_ptr<Prior> MakeClusterPrior(const ClusterOptions& options) {
  return std::make_unique<ClusterPrior>(options);
}

namespace {

constexpr Option<ClusterOptions> kClusterOptions[] = {
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::clustering,
             &ClusteringOptions::clusters>(
        {"clusters", "clusters", 1, 100, true,
         "The number of clusters; chosen from 2 to 6 unless given"}),
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::clustering,
             &ClusteringOptions::distance>(
        {"cluster_distance", "", 0, 1, true,
         "Sources are clustered by 0: Jeffreys divergence, 1: Wasserstein distance"}),
    OptionAt<&ClusterOptions::weights>(
        {"weight_distance", "", 0, 1, true,
         "Prototypes are weighted by 0: Jeffreys divergence, 1: Wasserstein distance"}),
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::grouping>(
        {"source_grouping", "", 0, 2, true,
         "There is a prototype 0: for each cluster of sources, 1: for all sources together, 2: for "
         "each source"}),
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::kind>(
        {"prototype_kind", "", 0, 1, true,
         "Prototypes are 0: geometric centres, 1: Wasserstein barycenters"}),
    OptionAt<&ClusterOptions::covariance>(
        {"covariance_weights", "", 0, 1, true,
         "A prototype's covariance is multiplied by 0: its weight squared, as in a sum of "
         "functions, 1: its weight, as in a centre"}),
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::weight_places>(
        {"weight_places", "places", 2, 1000, true,
         "The number of places where prototypes are compared with the target; also the "
         "barycenters' grid"}),
    OptionAt<&ClusterOptions::prototypes, &PrototypeOptions::most_covariances>(
        {"cluster_covariances", "sources", 1, 1000, true,
         "About how many sources' covariances are computed in all; if there are more sources, a "
         "cluster's covariance is that of some of its members, at least one. Unless given, as many "
         "as take the time of 100 sources of 100 points"}),
    OptionAt<&ClusterOptions::residual_amplitude>(
        {"residual_amplitude", "deviations of the results", 1e-3, 10, false,
         "The deviation of an additional process for the target alone in cluster; no such process "
         "unless given"}),
};

constexpr absl::string_view kNoLengthscales = "as cluster alone has no lengthscales to divide";
constexpr Conflict kClusterConflicts[] = {
    {.axis = RecipeAxis::kCalibration,
     .other = "expanding",
     .option = "residual_amplitude",
     .unless_given = true,
     .reason = kNoLengthscales},
    {.axis = RecipeAxis::kCalibration,
     .other = "shrinking",
     .option = "residual_amplitude",
     .unless_given = true,
     .reason = kNoLengthscales},
};

}  // namespace

const PriorRow kClusterPrior = {
    .about = {.name = "cluster",
              .summary = "Prototypes of clustered sources, with weights that follow the results",
              .source = "cm-BO, algorithms 1 and 2",
              .options = [] { return OptionSet(ClusterOptions(), kClusterOptions); },
              .conflicts = kClusterConflicts},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeClusterPrior(options.As<ClusterOptions>());
        },
    .counts_rounds = true,
};

}  // namespace slipstream
