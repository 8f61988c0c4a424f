// Groups of sources that resemble each other, and for each group one process that
// stands for it. Stages 1 and 2 of cm-BO
// (Nguyen, Huynh, Tran, Pham, Huynh, Nguyen, "Clustering-based meta Bayesian
// optimization with theoretical guarantee").
//
// Sources are compared by their posteriors' joint distribution at some places.
// (The paper fits them with the product of Matern 3/2 and Matern 1/2; here they
// come fitted.) The prototype of a group C is
// - its geometric centre, a function of any point: the mean of the members'
//   means and the mean (1/|C|, not 1/|C|^2) of their covariances, or of those of
//   some of them where there are many sources; or
// - its Wasserstein barycenter. Its mean is the mean of their means, also
//   anywhere. The paper knows its covariance on a grid only. Between points of
//   the grid it goes on as a process of the members' kernel does, with the
//   geometric means of their hyperparameters, which has that covariance at the
//   grid under a noise of 1e-4 of the kernel's variance. (Without any, a smooth
//   kernel is asked for what no function of it can do.) Far from the grid less
//   is known than the members know: the grid should be dense.
// Nothing here depends on the target.
#ifndef SLIPSTREAM_CORE_PRIOR_CLUSTER_PROTOTYPES_H_
#define SLIPSTREAM_CORE_PRIOR_CLUSTER_PROTOTYPES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/source_model.h"
#include "core/prior/cluster/barycenter.h"
#include "core/prior/cluster/clustering.h"
#include "core/prior/cluster/gaussian_distance.h"

namespace slipstream {

enum class SourceGrouping {
  kClusters,
  kTogether,    // One group of all.
  kIndividual,  // Each source on its own.
};

enum class PrototypeKind { kGeometricCentre, kWassersteinBarycenter };

struct PrototypeOptions {
  SourceGrouping grouping = SourceGrouping::kClusters;
  ClusteringOptions clustering = {};
  PrototypeKind kind = PrototypeKind::kGeometricCentre;
  // Places where sources are compared. From 33 sources on fewer, such that
  // comparing all pairs takes no longer.
  Index clustering_places = 100;
  // Places where prototypes are compared with the target, and the barycenters'
  // grid. The paper takes 300. A Wasserstein distance takes 0.5 ms at 100
  // places, 10 ms at 300, and a step takes one for each prototype; weights hardly
  // depend on the number. Fewer are taken where the matrices at them would take
  // more than kMostPrototypeBytes (ComparedPlaces).
  Index weight_places = 100;

  // With more sources than that, the mean covariance of centres is taken over so
  // many in all, of each group in proportion to its size and evenly among its
  // members; means are of all. (Every group has at least one.) MostCovariances
  // says how many unless it is given.
  std::optional<size_t> most_covariances = {};

  friend bool operator==(const PrototypeOptions&, const PrototypeOptions&) = default;
};

// The most that the square matrices at the places take. Enough for 100 prototypes
// at the paper's 300 places.
inline constexpr size_t kMostPrototypeBytes = size_t{256} << 20;

// Of how many sources centres have the covariances. Each costs a prediction and a new
// result O(n^2): unless the number is given, it is such that all together cost no more
// than 100 sources of 100 points do, but at least 8. So they are of all 49 sources of 50
// points that cm-BO's paper has.
size_t MostCovariances(const PrototypeOptions& options, const SourceModels& sources);

// At how many places `normals` normal distributions can be compared: as many as are
// wanted, but of more than 16 no more than keep their three matrices each within
// kMostPrototypeBytes.
Index ComparedPlaces(Index wanted, size_t normals);

struct Prototype {
  std::vector<size_t> members;  // Places of sources, ascending.
  std::vector<size_t> varying;  // Those whose covariances a centre has.
  // Its covariance where it is a barycenter of several; its mean is 0.
  std::shared_ptr<const KernelExpansion> barycenter;
  std::shared_ptr<PredictionCache> barycenter_cache;
  PlacedNormal at_places;
};

struct SourcePrototypes {
  PointMatrix places;  // Where prototypes are compared; no two alike.
  std::vector<Prototype> prototypes;
  std::optional<Clustering> clustering;  // Where there was one.
};

// Approximate, for caches.
size_t MemoryBytes(const SourcePrototypes& prototypes);

// The part of the prototypes of some sources at some places that has been computed. Its owner
// must know which.
struct PrototypeProgress {
  ClusteringProgress clustering;
  std::optional<SourcePrototypes> made;  // The groups, and the first of their prototypes.
  std::vector<std::vector<size_t>> groups;
  std::optional<Barycenter> barycenter;  // That of the next group.
};

// `places` has at least as many columns as points have coordinates; of its rows
// those are taken that are needed, evenly. FAILED_PRECONDITION when a covariance
// cannot be factorised. DEADLINE_EXCEEDED or CANCELLED when the deadline passed; a
// later call with the same arguments and `progress`, which may be null, goes on from
// there. The result is the same, bit for bit.
absl::StatusOr<SourcePrototypes> MakePrototypes(const SourceModels& sources,
                                                const PointMatrix& places,
                                                const PrototypeOptions& options,
                                                const Deadline& deadline = Deadline::Infinite(),
                                                PrototypeProgress* progress = nullptr);

// The prototype's process with its mean times `mean_weight` and its covariance times
// `covariance_weight`.
std::vector<AddedTerm> TermsOfPrototype(const Prototype& prototype, const SourceModels& sources,
                                        double mean_weight, double covariance_weight);

// At most `count` rows, evenly; of equal ones the first.
PointMatrix EvenlyChosen(const PointMatrix& places, Index count);

// What a prototype predicts at points, and between points and places.
struct PrototypeValues {
  Vector mean;
  Matrix within;
  Matrix to_places;
};

// The values at the first points are the same to the last bit, whatever points come
// after them.
PrototypeValues ValuesOf(const Prototype& prototype, const PointMatrix& places,
                         const SourceModels& sources, const PointMatrix& x);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_CLUSTER_PROTOTYPES_H_
