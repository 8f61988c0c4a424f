#include "core/zero_shot/zero_shot_design.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "absl/hash/hash.h"
#include "core/base/deadline.h"
#include "core/base/even_parts.h"
#include "core/space/nearest_candidate.h"
#include "core/space/space_mapping.h"
#include "core/space/unit_metric.h"
#include "core/zero_shot/design_selection.h"
#include "core/zero_shot/source_losses.h"
#include "core/zero_shot/source_ranking.h"

namespace slipstream {
namespace {

// Entries: at most this many, and at most kExtraEntries more than sources.
constexpr size_t kMostEntries = 10;
constexpr size_t kExtraEntries = 2;

// Candidates: this many of each source's best points, but with many sources fewer of each, and from
// more sources than kMostCandidates one of every few.
constexpr size_t kBestPerSource = 10;
constexpr size_t kMostCandidates = 200;

// Measured points per source for estimates: at most this many, and fewer where candidates x sources
// x points would exceed kMostDistances.
constexpr size_t kMostEstimationPoints = 500;
constexpr size_t kMostDistances = 1000000;

// Candidates nearer than this times the root of the dimension are alike.
constexpr double kAlikeDistance = 0.1;

// A source that may be used.
struct RankedSource {
  const SourceTaskData* data;
  SourceRanking ranking;
  SpaceMapping mapping;
};

bool IsLate(Deadline deadline) { return deadline.has_passed(); }

// False if the deadline passed.
bool RankSources(const StudyView& view, Deadline deadline, std::vector<RankedSource>& ranked,
                 LeftOutSources& left_out) {
  for (const std::shared_ptr<const SourceTaskData>& source : view.sources) {
    if (IsLate(deadline)) return false;
    if (source->goal != view.goal) {
      ++left_out.opposite_goal;
      continue;
    }
    absl::StatusOr<SpaceMapping> mapping = SpaceMapping::Create(*source->space, *view.space);
    if (!mapping.ok()) {
      ++left_out.no_common_parameter;
      continue;
    }
    SourceRanking ranking(*source);
    if (ranking.measured().empty()) {
      ++left_out.nothing_measured;
      continue;
    }
    ranked.push_back({source.get(), std::move(ranking), *std::move(mapping)});
  }
  return true;
}

// The best points of the sources as configurations of the study: first the best
// of each source, then the second best of each, and so on; equal ones once. On a
// candidate list that lacks a point, the candidate nearest to it. Absent if the deadline passed.
std::optional<std::vector<Configuration>> BestConfigurations(
    const SearchSpace& space, const std::vector<RankedSource>& ranked, Deadline deadline) {
  NearestCandidate nearest(space);
  std::vector<int64_t> all(space.candidates().size());
  std::iota(all.begin(), all.end(), int64_t{0});
  const size_t givers = std::min(ranked.size(), kMostCandidates);
  const size_t per_giver = std::min(kBestPerSource, kMostCandidates / givers);
  std::vector<std::vector<size_t>> best(givers);
  for (size_t g = 0; g < givers; ++g) {
    const RankedSource& giver = ranked[PartBegin(g, ranked.size(), givers)];
    best[g] = giver.ranking.Best(per_giver, *giver.data);
  }
  std::vector<Configuration> configurations;
  std::unordered_set<Configuration, absl::Hash<Configuration>> seen;
  for (size_t place = 0; place < per_giver; ++place) {
    for (size_t g = 0; g < givers; ++g) {
      if (IsLate(deadline)) return std::nullopt;
      if (place >= best[g].size()) continue;
      const RankedSource& giver = ranked[PartBegin(g, ranked.size(), givers)];
      auto mapped = giver.mapping.Map(giver.data->points[best[g][place]].configuration);
      if (mapped.has_value() && space.has_candidates() && !space.CandidateIndex(*mapped)) {
        mapped = space.candidates()[nearest.PlaceAmong(all, *mapped)];
      }
      if (mapped.has_value() && seen.insert(*mapped).second) {
        configurations.push_back(*std::move(mapped));
      }
    }
  }
  return configurations;
}

TargetCandidates EncodedCandidates(const SearchSpace& space,
                                   std::vector<Configuration> configurations) {
  TargetCandidates candidates;
  candidates.configurations = std::move(configurations);
  const size_t dimension = space.dimension();
  candidates.coordinates.resize(candidates.configurations.size() * dimension);
  for (size_t c = 0; c < candidates.configurations.size(); ++c) {
    const Configuration& configuration = candidates.configurations[c];
    space.EncodeCoordinates(configuration,
                            absl::MakeSpan(&candidates.coordinates[c * dimension], dimension));
    candidates.index.emplace(&configuration, static_cast<int64_t>(c));
  }
  return candidates;
}

size_t EstimationPoints(size_t candidates, size_t sources) {
  const size_t pairs = std::max<size_t>(1, candidates * sources);
  return std::clamp<size_t>(kMostDistances / pairs, 1, kMostEstimationPoints);
}

// Losses by candidate, then by used source.
struct LossTable {
  std::vector<const SourceTaskData*> sources;
  std::vector<std::vector<double>> losses;
};

// Absent if the deadline passed.
std::optional<LossTable> TableLosses(const SearchSpace& space, const UnitMetric& metric,
                                     const std::vector<RankedSource>& ranked,
                                     const TargetCandidates& candidates, Deadline deadline,
                                     LeftOutSources& left_out) {
  const size_t points = EstimationPoints(candidates.configurations.size(), ranked.size());
  LossTable table;
  table.losses.resize(candidates.configurations.size());
  for (const RankedSource& source : ranked) {
    if (IsLate(deadline)) return std::nullopt;
    const auto losses = SourceLosses(*source.data, source.ranking, source.mapping, space, metric,
                                     candidates, points);
    if (!losses.has_value()) {
      ++left_out.nothing_mapped;
      continue;
    }
    table.sources.push_back(source.data);
    for (size_t c = 0; c < losses->size(); ++c) table.losses[c].push_back((*losses)[c]);
  }
  return table;
}

std::vector<SourceWeight> WeightsOf(const DesignChoice& choice,
                                    const std::vector<const SourceTaskData*>& sources) {
  double total = 0;
  for (double reduction : choice.reductions) total += reduction;
  std::vector<SourceWeight> weights;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (choice.reductions[s] <= 0) continue;
    weights.push_back({sources[s]->name, choice.reductions[s] / total});
  }
  std::stable_sort(
      weights.begin(), weights.end(),
      [](const SourceWeight& a, const SourceWeight& b) { return a.weight > b.weight; });
  return weights;
}

std::vector<DesignChoice> ChooseEntries(const UnitMetric& metric,
                                        const TargetCandidates& candidates,
                                        const LossTable& table) {
  const double dimension = static_cast<double>(metric.dimension());
  const double alike = kAlikeDistance * kAlikeDistance * dimension;
  const auto is_near = [&](size_t a, size_t b) {
    const double* row_a = &candidates.coordinates[a * metric.dimension()];
    const double* row_b = &candidates.coordinates[b * metric.dimension()];
    return a == b || metric.SquaredDistance(row_a, row_b) < alike;
  };
  DesignSelectionOptions selection;
  selection.size = std::min(kMostEntries, kExtraEntries + table.sources.size());
  return SelectDesign(table.losses, is_near, selection);
}

}  // namespace

std::optional<ZeroShotDesign> BuildZeroShotDesign(const StudyView& view, Deadline deadline) {
  ZeroShotDesign design;
  std::vector<RankedSource> ranked;
  if (!RankSources(view, deadline, ranked, design.left_out)) return std::nullopt;
  if (ranked.empty()) return design;

  const SearchSpace& space = *view.space;
  const UnitMetric metric(space);
  std::optional<std::vector<Configuration>> best = BestConfigurations(space, ranked, deadline);
  if (!best.has_value()) return std::nullopt;
  const TargetCandidates candidates = EncodedCandidates(space, *std::move(best));
  const std::optional<LossTable> table =
      TableLosses(space, metric, ranked, candidates, deadline, design.left_out);
  if (!table.has_value()) return std::nullopt;
  design.sources_used = table->sources.size();
  if (table->sources.empty()) return design;

  for (const DesignChoice& choice : ChooseEntries(metric, candidates, *table)) {
    const Configuration& configuration = candidates.configurations[choice.candidate];
    design.entries.push_back(
        {configuration, space.CandidateIndex(configuration), WeightsOf(choice, table->sources)});
  }
  return design;
}

}  // namespace slipstream
