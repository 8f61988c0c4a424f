#include "core/prior/prototype_sum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/ranking.h"
#include "core/prior/blocks/source_identities.h"
#include "core/prior/cluster/prototypes.h"

namespace slipstream {
namespace {

constexpr size_t kMostColumnSets = 8;
constexpr Index kColumnPlaces = 64;
constexpr double kMostColumnWeight = 5;
constexpr HyperparameterBelief kCentreBelief = {1, 0.5, 0, kMostColumnWeight};
// Searches start where corrections are small.
constexpr HyperparameterBelief kCorrectionBelief = {0.05, 0.5, 0, kMostColumnWeight, 2};
// A source that is alone tells nothing of what is common: scaml's belief.
constexpr HyperparameterBelief kOnlyColumnBelief = {1, 0.5, 0, kMostColumnWeight, 1};

// One function of the sum, with weight 1.
struct SumColumn {
  std::vector<AddedTerm> terms;
  std::vector<size_t> members;  // Places of its sources.
};

// The part of the sum that does not depend on the results. The single sources are not in it.
struct SumCentres {
  std::vector<size_t> sources;  // Places of the sources that the prototypes are made from.
  // The prototype of all sources comes first, then those of the clusters.
  std::vector<Prototype> prototypes;
};

absl::Status AddCentres(const SourceModels& kept, const PointMatrix& grid, SourceGrouping grouping,
                        size_t most_covariances, const Deadline& deadline, SumCentres& centres) {
  PrototypeOptions own;
  own.grouping = grouping;
  own.weight_places = kColumnPlaces;
  own.most_covariances = most_covariances;
  SLIPSTREAM_ASSIGN_OR_RETURN(SourcePrototypes made, MakePrototypes(kept, grid, own, deadline));
  std::move(made.prototypes.begin(), made.prototypes.end(), std::back_inserter(centres.prototypes));
  return absl::OkStatus();
}

SourceModels SourcesAt(const SourceModels& sources, const std::vector<size_t>& places) {
  SourceModels chosen;
  for (size_t place : places) chosen.push_back(sources[place]);
  return chosen;
}

absl::StatusOr<std::shared_ptr<const SumCentres>> CentresFor(const PriorInput& input,
                                                             const PrototypeSumOptions& options) {
  auto centres = std::make_shared<SumCentres>();
  if (input.sources.size() < 2) return centres;
  const PointMatrix& grid = input.places.Get();
  const TrainingData no_results{PointMatrix(0, grid.cols()), Vector(), Vector()};
  const SourceScreen screen =
      NeedsScreen(input.sources, options.screen)
          ? ScreenSources(input.sources, no_results,
                          Strangeness(input.sources, EvenlyChosen(grid, kColumnPlaces)),
                          options.screen)
          : WithoutScreen(input.sources);
  centres->sources = screen.kept;
  const SourceModels kept = SourcesAt(input.sources, screen.kept);
  SLIPSTREAM_RETURN_IF_ERROR(AddCentres(kept, grid, SourceGrouping::kTogether,
                                        options.most_covariances, input.deadline, *centres));
  if (kept.size() >= options.least_clustered) {
    SLIPSTREAM_RETURN_IF_ERROR(AddCentres(kept, grid, SourceGrouping::kClusters,
                                          options.most_covariances, input.deadline, *centres));
  }
  return centres;
}

std::vector<SumColumn> ColumnsOf(const SumCentres& centres, const SourceModels& sources) {
  const SourceModels kept = SourcesAt(sources, centres.sources);
  std::vector<SumColumn> columns;
  for (const Prototype& prototype : centres.prototypes) {
    columns.push_back({TermsOfPrototype(prototype, kept, 1, 1), {}});
    for (size_t member : prototype.members) {
      columns.back().members.push_back(centres.sources[member]);
    }
  }
  return columns;
}

std::vector<KnownTerm> KnownColumns(const std::vector<SumColumn>& columns, const PointMatrix& x) {
  std::vector<KnownTerm> terms;
  for (const SumColumn& column : columns) {
    terms.push_back(KnownPartAt(column.terms, SourceErrors::kCorrelated, x));
  }
  return terms;
}

// The columns' processes, each once, with what it has in all of them.
std::vector<AddedTerm> TermsWith(const std::vector<SumColumn>& columns, const Vector& weights) {
  std::vector<AddedTerm> sum;
  std::unordered_map<const KernelExpansion*, size_t> places;
  for (size_t j = 0; j < columns.size(); ++j) {
    const double weight = weights[static_cast<Index>(j)];
    if (!(weight > 0)) continue;
    for (const AddedTerm& term : columns[j].terms) {
      const auto [place, is_new] = places.try_emplace(term.process.get(), sum.size());
      if (is_new) sum.push_back({term.process, 0, 0, term.cache});
      AddedTerm& added = sum[place->second];
      added.mean_factor += weight * term.mean_factor;
      added.covariance_factor += weight * weight * term.covariance_factor;
    }
  }
  return sum;
}

class SummedColumns final : public Transfer {
 public:
  SummedColumns(Model model, TrainingData data, TrainingData target, std::vector<SumColumn> columns,
                size_t centres, size_t sources)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        columns_(std::move(columns)),
        centres_(centres),
        sources_(sources) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    return FitAddedProcess(
        TermsWith(columns_, hyperparameters.weights),
        {model().kernel, hyperparameters.kernel, hyperparameters.mean}, SourceErrors::kCorrelated,
        {target_.x, target_.y, NoiseOf(target_, hyperparameters.log_noise_variance)});
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    Vector shares = Vector::Zero(static_cast<Index>(sources_));
    for (size_t j = 0; j < columns_.size(); ++j) {
      const std::vector<size_t>& members = columns_[j].members;
      const double part =
          hyperparameters.weights[static_cast<Index>(j)] / static_cast<double>(members.size());
      for (size_t member : members) shares[static_cast<Index>(member)] += part;
    }
    return shares / std::max(1.0, shares.sum());
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    const Vector& weights = hyperparameters.weights;
    std::vector<Remark> remarks = {{"difference_amplitude", std::exp(hyperparameters.kernel[0])}};
    const auto centres = static_cast<Index>(centres_);
    if (centres > 0) remarks.emplace_back("centre_weight", weights[0]);
    if (centres > 1) {
      remarks.emplace_back("clusters", static_cast<double>(centres - 1));
      remarks.emplace_back("cluster_weights", weights.segment(1, centres - 1).sum());
    }
    remarks.emplace_back("source_weights", weights.tail(weights.size() - centres).sum());
    return remarks;
  }

 private:
  TrainingData target_;
  std::vector<SumColumn> columns_;
  size_t centres_;  // So many of the columns, the first ones.
  size_t sources_;
};

class PrototypeSum final : public Prior {
 public:
  explicit PrototypeSum(const PrototypeSumOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const SumCentres> centres,
                                CachedCentres(input));
    std::vector<SumColumn> columns = ColumnsOf(*centres, input.sources);
    TrainingData data = input.CalibrationPart();
    // A column takes a matrix over the results. There are few centres.
    const size_t room = MostKnownParts(data.y.size()) - columns.size();
    for (size_t place :
         BestRankers(input.sources, input.target, std::min(options_.most_sources, room))) {
      const auto& source = input.sources[place];
      columns.push_back({{{source->expansion, 1, 1, source->cache}}, {place}});
    }
    Model model = DefaultModel(input.kinds, input.model);
    if (!input.model.given.amplitude.has_value()) model.beliefs.front() = kDifferenceAmplitude;
    for (size_t j = 0; j < columns.size(); ++j) {
      const bool is_common = j == 0 && !centres->prototypes.empty();
      model.beliefs.push_back(is_common             ? kCentreBelief
                              : columns.size() == 1 ? kOnlyColumnBelief
                                                    : kCorrectionBelief);
    }
    data.terms = KnownColumns(columns, data.x);
    return std::make_unique<SummedColumns>(std::move(model), std::move(data), input.target,
                                           std::move(columns), centres->prototypes.size(),
                                           input.sources.size());
  }

  absl::Status Prepare(const PriorInput& input) const override {
    return CachedCentres(input).status();
  }

 private:
  // The places are the same for all studies of the sources' space without candidates.
  absl::StatusOr<std::shared_ptr<const SumCentres>> CachedCentres(const PriorInput& input) const {
    return centres_.Get(PlacedSources{SourceIdentities(input.sources), input.places.Get()},
                        [&] { return CentresFor(input, options_); });
  }

  PrototypeSumOptions options_;
  mutable Memo<PlacedSources, const SumCentres> centres_{kMostColumnSets};
};

}  // namespace

std::unique_ptr<Prior> MakePrototypeSum(const PrototypeSumOptions& options) {
  return std::make_unique<PrototypeSum>(options);
}

namespace {

constexpr Option<PrototypeSumOptions> kPrototypeSumOptions[] = {
    OptionAt<&PrototypeSumOptions::most_sources>(
        {"own_columns", "sources", 1, 100, true,
         "The most sources that prototype_sum weighs individually, those that rank the results "
         "best"}),
    OptionAt<&PrototypeSumOptions::least_clustered>(
        {"clustered_sources", "sources", 2, 1000, true,
         "With fewer sources than this, prototype_sum forms no clusters"}),
};

}  // namespace

const PriorRow kPrototypeSumPrior = {
    .about = {.name = "prototype_sum",
              .summary = "The centres of all sources and of clusters, and single sources, with "
                         "learnt weights, plus a process for the rest",
              .source = "after ScaML-GP and cm-BO",
              .options = [] { return OptionSet(PrototypeSumOptions(), kPrototypeSumOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakePrototypeSum(options.As<PrototypeSumOptions>());
        },
    .ascents = 1,
};

}  // namespace slipstream
