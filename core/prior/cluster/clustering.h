// Tasks that resemble each other: k-means over normal distributions.
//
// A centre has the means of its members' means and covariances (equation 7 of
// the paper in gaussian_distance.h), also where the distance is Wasserstein's; a
// member belongs to the nearest centre, until nothing moves. Starts are drawn
// as in k-means++ (Arthur and Vassilvitskii, 2007) from the distances between
// members; of several the one with the least sum of W^2, or of Jeffreys
// divergences, is kept. The paper says neither how it starts nor how often.
//
// How good a clustering is, by Wasserstein distances between members:
//   intraCE (10): the mean over clusters of the mean distance of two members;
//   interCS (11): the mean distance of two members of different clusters.
// The paper tunes the number of clusters by both and does not say how. Here it
// goes from 2 up to 6, and up to half as many as there are members (but at least
// 2): else each on its own would always be best. Of these the one is taken with
// the greatest interCS / intraCE; a larger number has to be better by a tenth,
// as single members that are split off a cluster make the rest look tighter. In
// intraCE clusters of one do not count, as they would be rewarded for having no
// two members.
//
// A pure function of its arguments.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTERING_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTERING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/prior/cluster/gaussian_distance.h"

namespace slipstream {

struct ClusteringOptions {
  NormalDistance distance = NormalDistance::kWasserstein;
  // None: chosen. Fewer where there are fewer members, or fewer different ones.
  std::optional<size_t> clusters = {};
  int starts = 5;
  int most_rounds = 25;
  uint64_t seed = 0x5EEDC1A5;

  friend bool operator==(const ClusteringOptions&, const ClusteringOptions&) = default;
};

// Places of members, ascending; clusters in the order of their first members.
using Clusters = std::vector<std::vector<size_t>>;

struct Clustering {
  Clusters clusters;
  double intra_entropy = 0;     // 0 where each member is on its own.
  double inter_separation = 0;  // 0 where there is one cluster.
};

// Distances between members, symmetric and 0 on the diagonal. Those among the first `rows` members
// have been computed.
struct DistanceTable {
  Matrix distances;
  Index rows = 0;
};

// The part of a clustering that has been computed. It does not record its members, so its owner
// must know them.
struct ClusteringProgress {
  DistanceTable wasserstein;
  DistanceTable of_options;  // Where the options have another distance, by that one.
  // The number of clusters that is being tried; absent before the first.
  std::optional<size_t> count = {};
  // How many of its starts are done, and the best of them, by each member's cluster, with its cost.
  int starts = 0;
  std::vector<size_t> assignment = {};
  double cost = 0;
  // The best of the numbers that were tried before, and its ratio.
  std::optional<Clustering> best = {};
  double best_ratio = 0;
};

// FAILED_PRECONDITION when a centre's covariance cannot be factorised. At least
// one member, all of one size. DEADLINE_EXCEEDED or CANCELLED when the deadline
// passed; a later call with the same members, options and `progress`, which may
// be null, goes on from there. The result is the same, bit for bit.
absl::StatusOr<Clustering> ClusterNormals(const std::vector<PlacedNormal>& members,
                                          const ClusteringOptions& options,
                                          const Deadline& deadline = Deadline::Infinite(),
                                          ClusteringProgress* progress = nullptr);

// Measures of clusters whose members have these distances.
double IntraClusterEntropy(const Matrix& distances, const Clusters& clusters);
double InterClusterSeparation(const Matrix& distances, const Clusters& clusters);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_CLUSTERING_H_
