// A cache of what a process in the form of an expansion predicts at points that come again and
// again: a study's candidates, the points that its search begins with, and its results.
//
// Each point's mean is kept, where they were asked for its variance and its covariances with
// results, and k(P, x) for results to come; of each result R k(P, x) too, from which its covariance
// with a point follows as k(x, x') - (R k(P, x))^T k(P, x'). Points are told apart by fingerprints
// of their coordinates.
//
// A point's numbers take the same operations in the same order whatever it is asked for with, so
// the cache changes nothing, not the last bit. Bounded: a cache that would grow too large borrows
// bytes of a budget that caches share; where there are not enough left it is emptied, and so is one
// for which memory runs out; an answer that alone would be too large is not kept. Thread-safe; no
// lock is held while computing.
//
// Not a Memo (core/base/memo.h), which evicts one entry after the other: a result's covariances
// are stored by the places of all points, so that no point can go alone. And a request looks up
// hundreds of points under one lock, where a Memo would lock, reorder and share an entry for each.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_PREDICTION_CACHE_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_PREDICTION_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/base/byte_budget.h"
#include "core/gp/kernel_expansion.h"
#include "core/gp/surrogate.h"
#include "core/linalg/types.h"

namespace slipstream {

// Points with their fingerprints, which are computed once for the caches of all sources.
struct CachedPoints {
  using Key = std::array<uint64_t, 2>;

  explicit CachedPoints(PointMatrix points);
  CachedPoints() = default;

  PointMatrix x;
  std::vector<Key> keys;
  Key all = {3, 4};  // The fingerprint of all points in their order.
};

class PredictionCache {
 public:
  // Takes about `most_bytes` at most, and what `shared` lends; null: nothing.
  PredictionCache(std::shared_ptr<const KernelExpansion> process, size_t most_bytes,
                  std::shared_ptr<ByteBudget> shared = nullptr);
  ~PredictionCache();

  Vector Means(const CachedPoints& x);
  // Variances are at least 1e-12 of the kernel's.
  Predictions Predict(const CachedPoints& x);

  struct Covariances {
    Predictions at_points;
    Matrix between;  // cov(result_i, x_j).
  };
  Covariances Between(const CachedPoints& results, const CachedPoints& x);
  // `between` alone, which takes less where variances are not there yet.
  Matrix Covariance(const CachedPoints& results, const CachedPoints& x);
  // R k(P, x), one column a result.
  Matrix ReducedCross(const CachedPoints& results);

  // Approximate.
  size_t bytes() const;
  void Clear();

 private:
  // NaN: not computed yet.
  struct Point {
    double mean;
    double variance;
    std::shared_ptr<const Vector> cross;  // k(P, x); null: not asked for with results.
  };
  struct Result {
    std::shared_ptr<const Vector> reduced_cross;
    std::vector<double> covariances;  // By the points' places; NaN: not computed yet.
  };
  class Request;

  struct KeyHash {
    size_t operator()(const CachedPoints::Key& key) const noexcept { return key[0]; }
  };
  // Abseil's maps do not survive a failed allocation.
  template <typename Value>
  using KeyMap = std::unordered_map<CachedPoints::Key, Value, KeyHash>;

  void Answer(Request& request);
  void Find(Request& request) const;
  // Called with the lock.
  std::vector<uint32_t> PlacesOf(const CachedPoints& x) const;
  void Compute(Request& request) const;
  void ComputeBlock(Request& request, const std::vector<Index>& block) const;
  void ComputeResult(Request& request, size_t place) const;
  void Insert(const Request& request);
  // Called with the lock.
  void Keep(const Request& request);
  size_t BytesOf(size_t points, size_t results, size_t crosses) const;
  size_t BytesHeld() const;
  // What the answers would take alone, and all that is held once they are kept.
  size_t BytesAlone(const Request& request) const;
  size_t BytesWith(const Request& request) const;
  // How many points' `cross` may be there with the request's.
  size_t MostCrosses(const Request& request) const;
  // Whether there is room for so many in all.
  bool HasRoomFor(size_t bytes);
  void Forget();

  const std::shared_ptr<const KernelExpansion> process_;
  const size_t most_bytes_;
  const std::shared_ptr<ByteBudget> shared_;
  mutable std::mutex mutex_;
  size_t borrowed_ = 0;
  KeyMap<uint32_t> places_;
  // The places of the last few sets of points that are all there.
  KeyMap<std::vector<uint32_t>> sets_;
  std::vector<Point> points_;
  KeyMap<Result> results_;
  size_t crosses_ = 0;  // The number of points whose `cross` is there.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_PREDICTION_CACHE_H_
