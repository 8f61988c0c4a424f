#include "core/prior/cluster/clustering.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr size_t kFewestClusters = 2;
constexpr size_t kMostClusters = 6;
// One cluster more has to make the ratio so much better: dividing what belongs
// together makes it a little better, too.
constexpr double kBetterRatio = 1.1;
// An intraCE below this part of the largest distance is as good as none.
constexpr double kLeastDistancePart = 1e-4;
// Costs are differences: below this part of their terms they are rounding errors.
constexpr double kLeastCostPart = 1e-7;

constexpr absl::string_view kNoTimeToCluster = "no time to cluster the sources";

// Which cluster each member is in; clusters are numbered as they first occur.
using ClusterAssignment = std::vector<size_t>;

ClusterAssignment RenumberedAssignment(const ClusterAssignment& assignment) {
  std::map<size_t, size_t> numbers;
  ClusterAssignment result;
  for (size_t cluster : assignment) {
    result.push_back(numbers.emplace(cluster, numbers.size()).first->second);
  }
  return result;
}

Clusters ClustersOfAssignment(const ClusterAssignment& assignment) {
  Clusters clusters;
  for (size_t member = 0; member < assignment.size(); ++member) {
    clusters.resize(std::max(clusters.size(), assignment[member] + 1));
    clusters[assignment[member]].push_back(member);
  }
  return clusters;
}

// k-means of one number of clusters after the other, over the same members.
class NormalClusterer {
 public:
  NormalClusterer(const std::vector<PlacedNormal>& members, const ClusteringOptions& options,
                  Matrix distances, const Deadline& deadline)
      : members_(members),
        options_(options),
        deadline_(deadline),
        costs_(std::move(distances)) {
    auto scale = static_cast<double>(members.front().size());
    if (options.distance == NormalDistance::kWasserstein) {
      costs_ = costs_.cwiseAbs2();
      scale = 0;
      for (const PlacedNormal& member : members) scale = std::max(scale, member.trace());
    }
    costs_ = (costs_.array() > kLeastCostPart * scale).select(costs_, 0);
  }

  // The best of several starts, of which the progress may have some.
  absl::StatusOr<Clusters> Best(size_t count, ClusteringProgress& progress) {
    for (int& start = progress.starts; start < options_.starts; ++start) {
      SLIPSTREAM_ASSIGN_OR_RETURN(ClusterAssignment assignment, Settled(Start(count, start)));
      SLIPSTREAM_ASSIGN_OR_RETURN(const double cost, CostOf(assignment));
      if (!progress.assignment.empty() && !(cost < progress.cost)) continue;
      progress.cost = cost;
      progress.assignment = std::move(assignment);
    }
    return ClustersOfAssignment(progress.assignment);
  }

 private:
  // Members drawn with probabilities proportional to their costs from those
  // drawn before; everyone else goes to the nearest of them.
  ClusterAssignment Start(size_t count, int start) const {
    const auto size = static_cast<Index>(members_.size());
    const auto draw = [&](size_t step) {
      return CounterRandomUniform(options_.seed, static_cast<uint64_t>(start),
                                  (static_cast<uint64_t>(count) << 32) + step);
    };
    Index drawn = std::min(static_cast<Index>(draw(0) * static_cast<double>(size)), size - 1);
    Vector nearest = costs_.col(drawn);
    ClusterAssignment assignment(members_.size(), 0);
    for (size_t step = 1; step < count; ++step) {
      const double total = nearest.sum();
      if (!(total > 0)) break;  // Nobody is different from all that were drawn.
      double left = draw(step) * total;
      for (drawn = 0; drawn < size - 1 && !(left < nearest[drawn]); ++drawn) left -= nearest[drawn];
      for (Index i = 0; i < size; ++i) {
        if (!(costs_(i, drawn) < nearest[i])) continue;
        nearest[i] = costs_(i, drawn);
        assignment[static_cast<size_t>(i)] = step;
      }
    }
    return RenumberedAssignment(assignment);
  }

  absl::StatusOr<ClusterAssignment> Settled(ClusterAssignment assignment) const {
    for (int round = 0; round < options_.most_rounds; ++round) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<PlacedNormal> centres, CentresOf(assignment));
      ClusterAssignment moved(assignment.size());
      for (size_t i = 0; i < moved.size(); ++i) {
        SLIPSTREAM_RETURN_IF_ERROR(deadline_.Check(kNoTimeToCluster));
        moved[i] = NearestCentre(members_[i], centres, assignment[i]);
      }
      moved = RenumberedAssignment(moved);
      if (moved == assignment) break;
      assignment = std::move(moved);
    }
    return assignment;
  }

  absl::StatusOr<std::vector<PlacedNormal>> CentresOf(const ClusterAssignment& assignment) const {
    std::vector<PlacedNormal> centres;
    for (const std::vector<size_t>& cluster : ClustersOfAssignment(assignment)) {
      std::vector<const PlacedNormal*> members;
      for (size_t place : cluster) members.push_back(&members_[place]);
      SLIPSTREAM_ASSIGN_OR_RETURN(PlacedNormal centre, PlacedNormal::CentreOf(members));
      centres.push_back(std::move(centre));
    }
    return centres;
  }

  // The present one, of equals. Most centres are ruled out by bounds.
  size_t NearestCentre(const PlacedNormal& member, const std::vector<PlacedNormal>& centres,
                       size_t present) const {
    std::vector<size_t> possible;
    if (options_.distance == NormalDistance::kWasserstein) {
      std::vector<double> lower;
      double least = std::numeric_limits<double>::infinity();
      for (const PlacedNormal& centre : centres) {
        const WassersteinBounds bounds = SquaredWassersteinBounds(member, centre);
        lower.push_back(bounds.lower);
        least = std::min(least, bounds.upper);
      }
      for (size_t i = 0; i < centres.size(); ++i) {
        if (lower[i] <= least) possible.push_back(i);
      }
    } else {
      for (size_t i = 0; i < centres.size(); ++i) possible.push_back(i);
    }
    if (possible.size() == 1) return possible.front();
    size_t nearest = present;
    double least = DistanceBetween(options_.distance, member, centres[present]);
    for (size_t i : possible) {
      if (i == present) continue;
      const double distance = DistanceBetween(options_.distance, member, centres[i]);
      if (!(distance < least)) continue;
      least = distance;
      nearest = i;
    }
    return nearest;
  }

  absl::StatusOr<double> CostOf(const ClusterAssignment& assignment) {
    const auto known = assignment_costs_.find(assignment);
    if (known != assignment_costs_.end()) return known->second;
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<PlacedNormal> centres, CentresOf(assignment));
    const Clusters clusters = ClustersOfAssignment(assignment);
    double cost = 0;
    for (size_t i = 0; i < clusters.size(); ++i) {
      if (clusters[i].size() == 1) continue;
      for (size_t member : clusters[i]) {
        SLIPSTREAM_RETURN_IF_ERROR(deadline_.Check(kNoTimeToCluster));
        const double distance = DistanceBetween(options_.distance, members_[member], centres[i]);
        const bool is_square = options_.distance == NormalDistance::kJeffreys;
        cost += is_square ? distance : distance * distance;
      }
    }
    assignment_costs_.emplace(assignment, cost);
    return cost;
  }

  const std::vector<PlacedNormal>& members_;
  const ClusteringOptions& options_;
  const Deadline& deadline_;
  Matrix costs_;  // Between members.
  std::map<ClusterAssignment, double> assignment_costs_;
};

Clustering JudgedClustering(const Matrix& distances, Clusters clusters) {
  Clustering clustering{std::move(clusters), 0, 0};
  clustering.intra_entropy = IntraClusterEntropy(distances, clustering.clusters);
  clustering.inter_separation = InterClusterSeparation(distances, clustering.clusters);
  return clustering;
}

// Goes on with the table until it is whole.
absl::Status FillDistances(NormalDistance distance, const std::vector<PlacedNormal>& members,
                           const Deadline& deadline, DistanceTable& table) {
  const auto size = static_cast<Index>(members.size());
  if (table.rows == 0) table.distances = Matrix::Zero(size, size);
  for (Index& i = table.rows; i < size; ++i) {
    for (Index j = 0; j < i; ++j) {
      SLIPSTREAM_RETURN_IF_ERROR(deadline.Check(kNoTimeToCluster));
      table.distances(i, j) = table.distances(j, i) = DistanceBetween(
          distance, members[static_cast<size_t>(i)], members[static_cast<size_t>(j)]);
    }
  }
  return absl::OkStatus();
}

// Tries the numbers of clusters from `fewest` on.
absl::Status TryNumbers(NormalClusterer& clusterer, size_t fewest, size_t most,
                        ClusteringProgress& progress) {
  const Matrix& wasserstein = progress.wasserstein.distances;
  const double least = kLeastDistancePart * wasserstein.maxCoeff();
  if (!progress.count.has_value()) progress.count = fewest;
  for (size_t& count = *progress.count; count <= most; ++count) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Clusters clusters, clusterer.Best(count, progress));
    progress.starts = 0;
    progress.assignment.clear();
    Clustering clustering = JudgedClustering(wasserstein, std::move(clusters));
    const double intra = std::max(clustering.intra_entropy, least);
    const double ratio = intra > 0 ? clustering.inter_separation / intra : 0;
    if (progress.best.has_value() && !(ratio > kBetterRatio * progress.best_ratio)) continue;
    progress.best_ratio = ratio;
    progress.best = std::move(clustering);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Clustering> ClusterNormals(const std::vector<PlacedNormal>& members,
                                          const ClusteringOptions& options,
                                          const Deadline& deadline, ClusteringProgress* progress) {
  ClusteringProgress own;
  ClusteringProgress& known = progress != nullptr ? *progress : own;
  const bool is_wasserstein = options.distance == NormalDistance::kWasserstein;
  SLIPSTREAM_RETURN_IF_ERROR(
      FillDistances(NormalDistance::kWasserstein, members, deadline, known.wasserstein));
  if (!is_wasserstein) {
    SLIPSTREAM_RETURN_IF_ERROR(
        FillDistances(options.distance, members, deadline, known.of_options));
  }
  NormalClusterer clusterer(
      members, options, (is_wasserstein ? known.wasserstein : known.of_options).distances,
      deadline);
  size_t fewest = std::min(kFewestClusters, members.size());
  size_t most = std::clamp(members.size() / 2, fewest, kMostClusters);
  if (options.clusters.has_value()) {
    fewest = most = std::clamp<size_t>(*options.clusters, 1, members.size());
  }
  SLIPSTREAM_RETURN_IF_ERROR(TryNumbers(clusterer, fewest, most, known));
  return *std::move(known.best);
}

double IntraClusterEntropy(const Matrix& distances, const Clusters& clusters) {
  double sum = 0;
  double counted = 0;
  for (const std::vector<size_t>& cluster : clusters) {
    if (cluster.size() < 2) continue;
    double within = 0;
    double pairs = 0;
    for (size_t i = 0; i < cluster.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        within += distances(static_cast<Index>(cluster[i]), static_cast<Index>(cluster[j]));
        ++pairs;
      }
    }
    sum += within / pairs;
    ++counted;
  }
  return counted > 0 ? sum / counted : 0;
}

double InterClusterSeparation(const Matrix& distances, const Clusters& clusters) {
  double sum = 0;
  double pairs = 0;
  for (size_t a = 0; a < clusters.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      for (size_t i : clusters[a]) {
        for (size_t j : clusters[b]) {
          sum += distances(static_cast<Index>(i), static_cast<Index>(j));
          ++pairs;
        }
      }
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

}  // namespace slipstream
