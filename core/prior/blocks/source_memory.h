// What a process in the form of an expansion says of points that are asked for
// again and again: a study's candidates, the points that its search begins with,
// and its results.
//
// Of each such point its mean and, where they were asked for, its variance and
// its covariances with results are kept, with k(P, x) for results to come; of
// each result also R k(P, x), from which covariances with it follow by
// k(x, x') - (R k(P, x))^T k(P, x'). Points are told apart by fingerprints of
// their coordinates.
//
// What is computed for a point takes the same operations in the same order
// whatever it is asked for with, so what is kept changes nothing, not the last
// bit. Bounded: what would grow too large begins anew. Thread-safe; no lock is
// held while computing.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MEMORY_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/gp/kernel_expansion.h"
#include "core/gp/surrogate.h"
#include "core/linalg/types.h"

namespace slipstream {

// Points with their fingerprints, which are computed once for all sources.
struct KeptPoints {
  using Key = std::array<uint64_t, 2>;

  explicit KeptPoints(PointMatrix points);
  KeptPoints() = default;

  PointMatrix x;
  std::vector<Key> keys;
  Key all = {3, 4};  // Of the points, in their order.
};

class SourceMemory {
 public:
  // Keeps at most about so many bytes.
  SourceMemory(std::shared_ptr<const KernelExpansion> process, size_t most_bytes);

  Vector Means(const KeptPoints& x);
  // Variances are at least 1e-12 of the kernel's.
  Predictions Predict(const KeptPoints& x);

  struct Covariances {
    Predictions at_points;
    Matrix between;  // cov(result_i, x_j).
  };
  Covariances Between(const KeptPoints& results, const KeptPoints& x);
  // That alone, which takes less where variances are not there yet.
  Matrix Covariance(const KeptPoints& results, const KeptPoints& x);
  // R k(P, x), one column a result.
  Matrix Pulled(const KeptPoints& results);

  // Of what is kept, approximate.
  size_t bytes() const;
  void Clear();

 private:
  // Of a point. NaN: not computed yet.
  struct Point {
    double mean;
    double variance;
    std::shared_ptr<const Vector> cross;  // k(P, x); null: not asked for with results.
  };
  struct Result {
    std::shared_ptr<const Vector> pulled;
    std::vector<double> covariances;  // By the points' places; NaN: not computed yet.
  };
  class Request;

  void Answer(Request& request);
  void Find(Request& request) const;
  // Called with the lock.
  std::vector<uint32_t> PlacesOf(const KeptPoints& x) const;
  void Compute(Request& request) const;
  void ComputeBlock(Request& request, const std::vector<Index>& block) const;
  void ComputeResult(Request& request, size_t place) const;
  void Insert(const Request& request);
  // Called with the lock.
  size_t BytesHeld() const;
  void Forget();

  const std::shared_ptr<const KernelExpansion> process_;
  const size_t most_bytes_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<KeptPoints::Key, uint32_t> places_;
  // Of the last few sets of points that are all there.
  absl::flat_hash_map<KeptPoints::Key, std::vector<uint32_t>> sets_;
  std::vector<Point> points_;
  absl::flat_hash_map<KeptPoints::Key, Result> results_;
  size_t crosses_ = 0;  // So many points have theirs.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MEMORY_H_
