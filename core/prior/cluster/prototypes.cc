#include "core/prior/cluster/prototypes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/even_parts.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// Without a number given, centres have the covariances of so many sources at least, ...
constexpr size_t kLeastCovariances = 8;
// ... and of more while the squares of their numbers of points add up to no more than this.
constexpr double kMostCovarianceCost = 100 * 100.0 * 100.0;

// More sources are compared at fewer places, but not at fewer than that.
constexpr double kFullyComparedSources = 32;
constexpr Index kFewestPlaces = 16;

// This part of the kernel's variance is the noise under which a process has a barycenter's
// covariance on the grid.
constexpr double kGridBlurPart = 1e-4;

constexpr size_t kBarycenterCacheBytes = size_t{1} << 20;

// All pairs, each O(places^3).
Index ClusteringPlaces(Index wanted, size_t sources) {
  const double excess = static_cast<double>(sources) / kFullyComparedSources;
  if (excess <= 1) return wanted;
  const double fewer = static_cast<double>(wanted) * std::pow(excess, -2.0 / 3);
  return std::max(std::min(wanted, kFewestPlaces), static_cast<Index>(fewer));
}

absl::StatusOr<std::vector<PlacedNormal>> AtPlaces(const SourceModels& sources,
                                                   const std::vector<size_t>& chosen,
                                                   const PointMatrix& places,
                                                   const Deadline& deadline) {
  std::vector<PlacedNormal> normals;
  for (size_t i : chosen) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to compare the sources"));
    SLIPSTREAM_ASSIGN_OR_RETURN(PlacedNormal normal,
                                PlacedNormal::Of(sources[i]->expansion->Means(places),
                                                 sources[i]->process->JointCovariance(places)));
    normals.push_back(std::move(normal));
  }
  return normals;
}

std::vector<const PlacedNormal*> PointersTo(const std::vector<PlacedNormal>& normals) {
  std::vector<const PlacedNormal*> pointers;
  for (const PlacedNormal& normal : normals) pointers.push_back(&normal);
  return pointers;
}

// `most` of them, evenly; at least one.
std::vector<size_t> EvenlyAmong(const std::vector<size_t>& all, size_t most) {
  std::vector<size_t> chosen;
  for (size_t place : FirstOfParts(all.size(), std::max<size_t>(most, 1))) {
    chosen.push_back(all[place]);
  }
  return chosen;
}

Clusters OneOfAll(size_t count) {
  Clusters clusters(1, std::vector<size_t>(count));
  std::iota(clusters.front().begin(), clusters.front().end(), size_t{0});
  return clusters;
}

Clusters EachAlone(size_t count) {
  Clusters clusters;
  for (size_t i = 0; i < count; ++i) clusters.push_back({i});
  return clusters;
}

// The members' kernel, and the geometric means of its hyperparameters over those
// that have the same as the first one.
std::pair<std::shared_ptr<const Kernel>, Vector> CommonKernel(const SourceModels& sources,
                                                              const std::vector<size_t>& members) {
  const std::shared_ptr<const Kernel> kernel = sources[members.front()]->kernel;
  const std::vector<std::string> names = kernel->ParameterNames();
  Vector sum = Vector::Zero(kernel->parameter_count());
  double count = 0;
  for (size_t member : members) {
    if (sources[member]->kernel->ParameterNames() != names) continue;
    sum += sources[member]->hyperparameters.kernel;
    ++count;
  }
  return {kernel, sum / count};
}

absl::StatusOr<Prototype> CentreOf(const SourceModels& sources, std::vector<size_t> members,
                                   size_t most_covariances, const PointMatrix& places,
                                   const Deadline& deadline) {
  std::vector<size_t> varying =
      EvenlyAmong(members, most_covariances * members.size() / sources.size());
  Vector mean = Vector::Zero(places.rows());
  for (size_t member : members) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the centres of the sources"));
    mean += sources[member]->expansion->Means(places) / static_cast<double>(members.size());
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<PlacedNormal> normals,
                              AtPlaces(sources, varying, places, deadline));
  SLIPSTREAM_ASSIGN_OR_RETURN(PlacedNormal centre,
                              PlacedNormal::CentreOf(PointersTo(normals), std::move(mean)));
  return Prototype{std::move(members), std::move(varying), nullptr, nullptr, std::move(centre)};
}

absl::StatusOr<Prototype> BarycenterOf(const SourceModels& sources, std::vector<size_t> members,
                                       const PointMatrix& places, const Deadline& deadline,
                                       std::optional<Barycenter>* progress) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<PlacedNormal> normals,
                              AtPlaces(sources, members, places, deadline));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      Barycenter barycenter,
      WassersteinBarycenter(PointersTo(normals), BarycenterOptions(), deadline, progress));
  auto [kernel, parameters] = CommonKernel(sources, members);
  const double blur = kGridBlurPart * kernel->Variance(parameters);
  double ridge = 0;
  for (const PlacedNormal& normal : normals) ridge += normal.ridge();
  barycenter.covariance.diagonal().array() += blur - ridge / static_cast<double>(normals.size());
  SLIPSTREAM_ASSIGN_OR_RETURN(
      KernelExpansion expansion,
      KernelExpansion::Through(std::move(kernel), std::move(parameters), 0, places,
                               Vector::Zero(places.rows()), barycenter.covariance, blur));
  SLIPSTREAM_ASSIGN_OR_RETURN(
      PlacedNormal normal,
      PlacedNormal::Of(std::move(barycenter.mean), expansion.Covariance(places, places)));
  auto process = std::make_shared<const KernelExpansion>(std::move(expansion));
  auto cache = std::make_shared<PredictionCache>(process, kBarycenterCacheBytes);
  return Prototype{std::move(members), {}, std::move(process), std::move(cache), std::move(normal)};
}

bool IsBarycenter(const PrototypeOptions& options, const std::vector<size_t>& group) {
  return options.kind == PrototypeKind::kWassersteinBarycenter && group.size() > 1;
}

// The normal distributions that are there at once: each prototype's and, while a barycenter is
// made, its members'.
size_t MostNormals(const PrototypeOptions& options, const Clusters& groups) {
  size_t members = 0;
  for (const std::vector<size_t>& group : groups) {
    if (IsBarycenter(options, group)) members = std::max(members, group.size());
  }
  return groups.size() + members;
}

// Decides which sources go together.
absl::Status MakeGroups(const SourceModels& sources, const PointMatrix& places,
                        const PrototypeOptions& options, const Deadline& deadline,
                        PrototypeProgress& progress) {
  SourcePrototypes made;
  Clusters groups;
  if (options.grouping == SourceGrouping::kClusters) {
    const PointMatrix compared =
        EvenlyChosen(places, ClusteringPlaces(options.clustering_places, sources.size()));
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const std::vector<PlacedNormal> normals,
        AtPlaces(sources, OneOfAll(sources.size()).front(), compared, deadline));
    SLIPSTREAM_ASSIGN_OR_RETURN(
        made.clustering,
        ClusterNormals(normals, options.clustering, deadline, &progress.clustering));
    groups = made.clustering->clusters;
  } else if (options.grouping == SourceGrouping::kTogether) {
    groups = OneOfAll(sources.size());
  } else {
    groups = EachAlone(sources.size());
  }
  made.places =
      EvenlyChosen(places, ComparedPlaces(options.weight_places, MostNormals(options, groups)));
  progress.groups = std::move(groups);
  progress.made = std::move(made);
  return absl::OkStatus();
}

}  // namespace

Index ComparedPlaces(Index wanted, size_t normals) {
  constexpr double kMatrices = 3;
  const double each = static_cast<double>(kMostPrototypeBytes) / static_cast<double>(normals);
  const auto most = static_cast<Index>(std::sqrt(each / (kMatrices * sizeof(double))));
  return std::min(wanted, std::max(kFewestPlaces, most));
}

size_t MemoryBytes(const SourcePrototypes& prototypes) {
  const auto places = static_cast<size_t>(prototypes.places.rows());
  size_t bytes = static_cast<size_t>(prototypes.places.size()) * sizeof(double);
  for (const Prototype& prototype : prototypes.prototypes) {
    bytes += sizeof(Prototype) + (3 * places + 1) * places * sizeof(double);
    bytes += (prototype.members.size() + prototype.varying.size()) * sizeof(size_t);
    if (prototype.barycenter == nullptr) continue;
    bytes += prototype.barycenter->MemoryBytes() + kBarycenterCacheBytes;
  }
  return bytes;
}

size_t MostCovariances(const PrototypeOptions& options, const SourceModels& sources) {
  if (options.most_covariances.has_value()) {
    return std::min(*options.most_covariances, sources.size());
  }
  double cost = 0;  // Of all.
  for (const auto& source : sources) {
    cost += std::pow(static_cast<double>(source->data.x.rows()), 2);
  }
  const double affordable = kMostCovarianceCost / std::max(cost, 1.0);
  if (affordable >= 1) return sources.size();
  const auto most = static_cast<size_t>(affordable * static_cast<double>(sources.size()));
  return std::min(std::max(most, kLeastCovariances), sources.size());
}

absl::StatusOr<SourcePrototypes> MakePrototypes(const SourceModels& sources,
                                                const PointMatrix& places,
                                                const PrototypeOptions& options,
                                                const Deadline& deadline,
                                                PrototypeProgress* progress) {
  PrototypeProgress own;
  PrototypeProgress& known = progress != nullptr ? *progress : own;
  if (!known.made.has_value()) {
    SLIPSTREAM_RETURN_IF_ERROR(MakeGroups(sources, places, options, deadline, known));
  }
  SourcePrototypes& made = *known.made;
  const size_t most = MostCovariances(options, sources);
  while (made.prototypes.size() < known.groups.size()) {
    const std::vector<size_t>& group = known.groups[made.prototypes.size()];
    SLIPSTREAM_ASSIGN_OR_RETURN(
        Prototype prototype,
        IsBarycenter(options, group)
            ? BarycenterOf(sources, group, made.places, deadline, &known.barycenter)
            : CentreOf(sources, group, most, made.places, deadline));
    made.prototypes.push_back(std::move(prototype));
  }
  return std::move(made);
}

std::vector<AddedTerm> TermsOfPrototype(const Prototype& prototype, const SourceModels& sources,
                                        double mean_weight, double covariance_weight) {
  const double part = 1 / static_cast<double>(prototype.members.size());
  const double share = covariance_weight / static_cast<double>(prototype.varying.size());
  auto varying = prototype.varying.begin();
  std::vector<AddedTerm> terms;
  for (size_t member : prototype.members) {
    const bool varies = varying != prototype.varying.end() && *varying == member;
    if (varies) ++varying;
    terms.push_back({sources[member]->expansion, mean_weight * part, varies ? share : 0,
                     sources[member]->cache});
  }
  if (prototype.barycenter != nullptr) {
    terms.push_back({prototype.barycenter, 0, covariance_weight, prototype.barycenter_cache});
  }
  return terms;
}

PointMatrix EvenlyChosen(const PointMatrix& places, Index count) {
  std::vector<Index> rows;
  for (Index row : FirstOfParts(places.rows(), count)) {
    const bool is_new = std::none_of(rows.begin(), rows.end(), [&](Index other) {
      return places.row(other) == places.row(row);
    });
    if (is_new) rows.push_back(row);
  }
  return places(rows, Eigen::all);
}

PrototypeValues ValuesOf(const Prototype& prototype, const PointMatrix& places,
                         const SourceModels& sources, const PointMatrix& x) {
  const CachedPoints at(x);
  const CachedPoints at_places(places);
  PrototypeValues values = {Vector::Zero(x.rows()), Matrix::Zero(x.rows(), x.rows()),
                            Matrix::Zero(x.rows(), places.rows())};
  for (const AddedTerm& term : TermsOfPrototype(prototype, sources, 1, 1)) {
    values.mean += term.mean_factor * term.cache->Means(at);
    if (term.covariance_factor == 0) continue;
    values.within += term.covariance_factor * term.cache->Covariance(at, at);
    values.to_places += term.covariance_factor * term.cache->Covariance(at, at_places);
  }
  values.within.triangularView<Eigen::StrictlyUpper>() = values.within.transpose();
  return values;
}

}  // namespace slipstream
