#include "core/prior/cluster/clustering.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/cluster/naive_cluster.h"

namespace slipstream {
namespace {

constexpr NormalDistance kDistances[] = {NormalDistance::kJeffreys, NormalDistance::kWasserstein};

// Around the centre of each group: `spread` in every coordinate of the mean.
std::vector<PlacedNormal> Grouped(const std::vector<size_t>& groups, double spread,
                                  Index size = 12) {
  std::vector<PlacedNormal> members;
  for (size_t i = 0; i < groups.size(); ++i) {
    const NaiveNormal group = RandomNormal(size, 100 + groups[i], 0.3);
    const Vector mean = 4 * group.mean + RandomVector(size, -spread, spread, 500 + i);
    members.push_back(PlacedNormal::Of(mean, group.covariance).value());
  }
  return members;
}

Clusters ClustersFrom(const std::vector<size_t>& groups) {
  Clusters clusters;
  std::vector<size_t> seen;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto place = std::find(seen.begin(), seen.end(), groups[i]) - seen.begin();
    if (static_cast<size_t>(place) == seen.size()) {
      seen.push_back(groups[i]);
      clusters.emplace_back();
    }
    clusters[static_cast<size_t>(place)].push_back(i);
  }
  return clusters;
}

TEST(Clustering, FindsGroupsAndTheirNumber) {
  const std::vector<std::vector<size_t>> cases = {
      {0, 0, 1, 1},
      {0, 1, 0, 1, 2, 2, 0, 1, 2, 0},
      {3, 0, 1, 2, 2, 1, 0, 3, 3, 2, 1, 0, 0, 1, 2, 3},
      {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5},
  };
  for (const std::vector<size_t>& groups : cases) {
    for (NormalDistance distance : kDistances) {
      ClusteringOptions options;
      options.distance = distance;
      const Clustering found = ClusterNormals(Grouped(groups, 0.3), options).value();
      EXPECT_EQ(found.clusters, ClustersFrom(groups)) << groups.size();
      EXPECT_GT(found.inter_separation, 3 * found.intra_entropy);
    }
  }
}

Matrix WassersteinDistances(const std::vector<PlacedNormal>& members) {
  const auto count = static_cast<Index>(members.size());
  Matrix distances = Matrix::Zero(count, count);
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = 0; j < members.size(); ++j) {
      if (i == j) continue;
      distances(static_cast<Index>(i), static_cast<Index>(j)) =
          DistanceBetween(NormalDistance::kWasserstein, members[i], members[j]);
    }
  }
  return distances;
}

// Equations 10 and 11, pair by pair.
TEST(Clustering, IsJudgedByThePapersMetrics) {
  const std::vector<size_t> groups = {0, 1, 0, 1, 1, 2};
  const std::vector<PlacedNormal> members = Grouped(groups, 1.5);
  std::vector<NaiveNormal> naive;
  for (const PlacedNormal& member : members) naive.push_back({member.mean(), member.covariance()});
  double within_first = 0;
  double within_second = 0;
  double between = 0;
  double between_pairs = 0;
  for (size_t i = 0; i < 6; ++i) {
    for (size_t j = 0; j < 6; ++j) {
      const double distance = i == j ? 0 : NaiveWasserstein(naive[i], naive[j]);
      if (groups[i] != groups[j]) {
        between += distance;
        between_pairs += 1;
      } else if (groups[i] == 0) {
        within_first += distance / (2 * 1);
      } else if (groups[i] == 1) {
        within_second += distance / (3 * 2);
      }
    }
  }
  const Matrix distances = WassersteinDistances(members);
  // The third has no two members and does not count.
  EXPECT_NEAR(IntraClusterEntropy(distances, ClustersFrom(groups)),
              (within_first + within_second) / 2, 1e-8);
  EXPECT_NEAR(InterClusterSeparation(distances, ClustersFrom(groups)), between / between_pairs,
              1e-8);
}

double SumOfCosts(NormalDistance distance, const std::vector<PlacedNormal>& members,
                  const Clusters& clusters) {
  double sum = 0;
  for (const std::vector<size_t>& cluster : clusters) {
    std::vector<const PlacedNormal*> inside;
    for (size_t member : cluster) inside.push_back(&members[member]);
    const PlacedNormal centre = PlacedNormal::CentreOf(inside).value();
    for (const PlacedNormal* member : inside) {
      const double to_centre = DistanceBetween(distance, *member, centre);
      sum += distance == NormalDistance::kWasserstein ? to_centre * to_centre : to_centre;
    }
  }
  return sum;
}

// All ways to make two clusters of seven.
TEST(Clustering, IsAboutAsGoodAsTheBestOfAll) {
  for (NormalDistance distance : kDistances) {
    const std::vector<PlacedNormal> members = Grouped({0, 0, 1, 1, 0, 1, 0}, 3);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned mask = 1; mask < 64; ++mask) {
      std::vector<size_t> groups(7, 0);
      for (size_t i = 0; i < 6; ++i) groups[i + 1] = (mask >> i) & 1;
      best = std::min(best, SumOfCosts(distance, members, ClustersFrom(groups)));
    }
    ClusteringOptions options;
    options.distance = distance;
    options.clusters = 2;
    options.starts = 10;
    const Clustering found = ClusterNormals(members, options).value();
    EXPECT_LE(SumOfCosts(distance, members, found.clusters), 1.05 * best);
  }
}

// Each member is where the paper's assignment puts it, without any bound.
TEST(Clustering, EndsWhereEachMemberIsWithItsNearestCentre) {
  for (NormalDistance distance : kDistances) {
    for (size_t count : {2, 3, 5}) {
      const std::vector<PlacedNormal> members =
          Grouped({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 2);
      ClusteringOptions options;
      options.distance = distance;
      options.clusters = count;
      const Clustering found = ClusterNormals(members, options).value();
      ASSERT_LE(found.clusters.size(), count);
      std::vector<PlacedNormal> centres;
      for (const std::vector<size_t>& cluster : found.clusters) {
        std::vector<const PlacedNormal*> inside;
        for (size_t member : cluster) inside.push_back(&members[member]);
        centres.push_back(PlacedNormal::CentreOf(inside).value());
      }
      for (size_t i = 0; i < centres.size(); ++i) {
        for (size_t member : found.clusters[i]) {
          const double own = DistanceBetween(distance, members[member], centres[i]);
          for (const PlacedNormal& other : centres) {
            EXPECT_GE(DistanceBetween(distance, members[member], other), own * (1 - 1e-9));
          }
        }
      }
    }
  }
}

TEST(Clustering, OfFewMembersHasNoMoreClustersThanMembers) {
  ClusteringOptions options;
  const std::vector<PlacedNormal> one = Grouped({0}, 1);
  EXPECT_EQ(ClusterNormals(one, options).value().clusters, (Clusters{{0}}));
  const std::vector<PlacedNormal> two = Grouped({0, 1}, 1);
  EXPECT_EQ(ClusterNormals(two, options).value().clusters, (Clusters{{0}, {1}}));
  EXPECT_EQ(ClusterNormals(Grouped({0, 1, 1}, 0.1), options).value().clusters,
            (Clusters{{0}, {1, 2}}));
  options.clusters = 6;
  EXPECT_EQ(ClusterNormals(two, options).value().clusters, (Clusters{{0}, {1}}));
  options.clusters = 1;
  EXPECT_EQ(ClusterNormals(two, options).value().clusters, (Clusters{{0, 1}}));
}

TEST(Clustering, KeepsEqualMembersTogether) {
  const std::vector<PlacedNormal> one = Grouped({0}, 1);
  const std::vector<PlacedNormal> same(8, one.front());
  for (NormalDistance distance : kDistances) {
    ClusteringOptions options;
    options.distance = distance;
    const Clustering found = ClusterNormals(same, options).value();
    EXPECT_EQ(found.clusters.size(), 1U);
    EXPECT_EQ(found.inter_separation, 0);
    EXPECT_LT(found.intra_entropy, 1e-3);
  }
}

TEST(Clustering, WithoutPlacesIsOneCluster) {
  const std::vector<PlacedNormal> none(5, PlacedNormal::Of(Vector(0), Matrix(0, 0)).value());
  EXPECT_EQ(ClusterNormals(none, {}).value().clusters.size(), 1U);
}

TEST(Clustering, IsTheSameEachTime) {
  const std::vector<PlacedNormal> members = Grouped({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2);
  const Clustering first = ClusterNormals(members, {}).value();
  const Clustering second = ClusterNormals(members, {}).value();
  EXPECT_EQ(first.clusters, second.clusters);
  EXPECT_EQ(first.intra_entropy, second.intra_entropy);
  EXPECT_EQ(first.inter_separation, second.inter_separation);
}

}  // namespace
}  // namespace slipstream
