#include "core/prior/blocks/prediction_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/counter_random.h"
#include "core/base/out_of_memory.h"

namespace slipstream {
namespace {

// Points are computed in blocks, the last of which is padded to a multiple of kPanel: products of
// matrices with so many columns round each column the same way, and so do functions of so many
// numbers. (Small matrices are multiplied otherwise: they get whole blocks.)
constexpr Index kBlock = 32;
constexpr Index kPanel = 4;
// k(P, x) are kept as long as they take less than this part of all bytes; those of results always.
constexpr size_t kCrossesPart = 4;
constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostSets = 8;
constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

CachedPoints::Key FingerprintOfPoint(const PointMatrix& x, Index row) {
  CachedPoints::Key key = {1, 2};
  for (Index j = 0; j < x.cols(); ++j) {
    const auto bits = std::bit_cast<uint64_t>(x(row, j) + 0.0);  // -0 and 0 are alike.
    key[0] = CounterRandomBits(key[0], bits, 0);
    key[1] = CounterRandomBits(key[1], bits, 1);
  }
  return key;
}

}  // namespace

CachedPoints::CachedPoints(PointMatrix points) : x(std::move(points)) {
  keys.reserve(static_cast<size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    keys.push_back(FingerprintOfPoint(x, i));
    for (size_t lane = 0; lane < 2; ++lane) {
      all[lane] = CounterRandomBits(all[lane], keys.back()[lane], lane);
    }
  }
}

// What is asked for, and what is known of it step by step.
class PredictionCache::Request {
 public:
  Request(const CachedPoints& wanted, const CachedPoints* with_results, bool has_variances)
      : x(wanted), with_variances(has_variances), results(with_results) {
    const Index count = results == nullptr ? 0 : results->x.rows();
    there = {Vector::Constant(x.x.rows(), kNotComputed),
             Vector::Constant(x.x.rows(), kNotComputed)};
    between.setConstant(x.x.rows(), count, kNotComputed);
    reduced_cross.resize(static_cast<size_t>(count));
    is_lacking.resize(static_cast<size_t>(count), true);
    if (count > 0) crosses.resize(static_cast<size_t>(x.x.rows()));
  }

  // Whether k(P, x) is needed.
  bool IsIncomplete(Index point) const {
    return std::isnan(there.mean[point]) || (with_variances && std::isnan(there.variance[point]));
  }

  // Whether the points are the results themselves.
  bool AreResults() const { return results != nullptr && results->all == x.all; }

  const CachedPoints& x;
  bool with_variances;
  const CachedPoints* results;  // Null: none.
  Predictions there;
  Matrix between;                                            // One column a result.
  std::vector<std::shared_ptr<const Vector>> reduced_cross;  // By result.
  std::vector<bool> is_lacking;                        // Whether one of its covariances is unknown.
  std::vector<std::shared_ptr<const Vector>> crosses;  // By point, where there are results.
  bool has_changed = false;
};

PredictionCache::PredictionCache(std::shared_ptr<const KernelExpansion> process, size_t most_bytes,
                                 std::shared_ptr<ByteBudget> shared)
    : process_(std::move(process)), most_bytes_(most_bytes), shared_(std::move(shared)) {}

PredictionCache::~PredictionCache() { Clear(); }

std::vector<uint32_t> PredictionCache::PlacesOf(const CachedPoints& x) const {
  std::vector<uint32_t> places;
  places.reserve(x.keys.size());
  for (const CachedPoints::Key& key : x.keys) {
    const auto found = places_.find(key);
    places.push_back(found == places_.end() ? kNowhere : found->second);
  }
  return places;
}

void PredictionCache::Find(Request& request) const {
  const std::lock_guard lock(mutex_);
  const auto known = sets_.find(request.x.all);
  const std::vector<uint32_t> looked_up =
      known == sets_.end() ? PlacesOf(request.x) : std::vector<uint32_t>();
  const std::vector<uint32_t>& places = known == sets_.end() ? looked_up : known->second;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= points_.size()) continue;
    const Point& point = points_[places[i]];
    request.there.mean[static_cast<Index>(i)] = point.mean;
    request.there.variance[static_cast<Index>(i)] = point.variance;
    if (!request.crosses.empty()) request.crosses[i] = point.cross;
  }
  const uint32_t last = places.empty() ? 0 : *std::max_element(places.begin(), places.end());
  for (size_t j = 0; j < request.reduced_cross.size(); ++j) {
    const auto found = results_.find(request.results->keys[j]);
    if (found == results_.end()) continue;
    request.reduced_cross[j] = found->second.reduced_cross;
    const std::vector<double>& covariances = found->second.covariances;
    auto column = request.between.col(static_cast<Index>(j));
    const bool are_all = last < covariances.size();
    for (size_t i = 0; i < places.size(); ++i) {
      if (are_all || places[i] < covariances.size()) {
        column[static_cast<Index>(i)] = covariances[places[i]];
      }
    }
    request.is_lacking[j] = column.hasNaN();
  }
}

void PredictionCache::Compute(Request& request) const {
  const bool lacks_any = std::find(request.is_lacking.begin(), request.is_lacking.end(), true) !=
                         request.is_lacking.end();
  std::vector<Index> block;
  for (Index i = 0; i < request.x.x.rows(); ++i) {
    const bool lacks_cross = lacks_any && request.crosses[static_cast<size_t>(i)] == nullptr;
    if (lacks_cross || request.IsIncomplete(i)) block.push_back(i);
    const bool is_full = static_cast<Index>(block.size()) == kBlock;
    if (block.empty() || (!is_full && i + 1 < request.x.x.rows())) continue;
    ComputeBlock(request, block);
    request.has_changed = true;
    block.clear();
  }
  for (size_t j = 0; j < request.reduced_cross.size(); ++j) {
    if (request.is_lacking[j]) ComputeResult(request, j);
  }
}

void PredictionCache::ComputeBlock(Request& request, const std::vector<Index>& block) const {
  const KernelExpansion& process = *process_;
  const auto count = static_cast<Index>(block.size());
  const bool is_small = process.points.rows() < kBlock;
  const Index padded = (count + kPanel - 1) / kPanel * kPanel;
  PointMatrix x = PointMatrix::Zero(is_small ? kBlock : padded, request.x.x.cols());
  x.topRows(count) = request.x.x(block, Eigen::all);
  const Matrix cross = process.Cross(x);
  const double most = process.kernel->Variance(process.parameters);
  const bool lacks_variances =
      request.with_variances && std::any_of(block.begin(), block.end(), [&](Index i) {
        return std::isnan(request.there.variance[i]);
      });
  Matrix reduced;
  if (lacks_variances) reduced.noalias() = process.reduction * cross;
  for (Index place = 0; place < count; ++place) {
    const Index i = block[static_cast<size_t>(place)];
    // A copy, so that each dot product has the same alignment.
    auto own = std::make_shared<const Vector>(cross.col(place));
    request.there.mean[i] = own->dot(process.weights) + process.mean;
    if (lacks_variances) {
      const double left = most - own->dot(Vector(reduced.col(place)));
      request.there.variance[i] = std::max(left, kLeastVariancePart * most);
    }
    if (!request.crosses.empty()) request.crosses[static_cast<size_t>(i)] = std::move(own);
  }
}

void PredictionCache::ComputeResult(Request& request, size_t place) const {
  const KernelExpansion& process = *process_;
  const PointMatrix result = request.results->x.row(static_cast<Index>(place));
  if (request.reduced_cross[place] == nullptr) {
    const Matrix cross = process.Cross(result);
    request.reduced_cross[place] = std::make_shared<const Vector>(process.reduction * cross.col(0));
    request.has_changed = true;
  }
  const Index count = request.x.x.rows();
  if (count == 0) return;
  PointMatrix x = PointMatrix::Zero((count + kPanel - 1) / kPanel * kPanel, request.x.x.cols());
  x.topRows(count) = request.x.x;
  const Matrix covariances = process.kernel->Covariance(process.parameters, x, result);
  auto column = request.between.col(static_cast<Index>(place));
  for (Index i = 0; i < count; ++i) {
    const Vector& cross = *request.crosses[static_cast<size_t>(i)];
    column[i] = covariances(i, 0) - cross.dot(*request.reduced_cross[place]);
  }
  request.has_changed = true;
}

size_t PredictionCache::BytesOf(size_t points, size_t results, size_t crosses) const {
  constexpr size_t kBytesOfPlace = sizeof(CachedPoints::Key) + 2 * sizeof(size_t) + sizeof(Point);
  const auto size = static_cast<size_t>(process_->points.rows());
  return points * kBytesOfPlace + crosses * size * sizeof(double) +
         results * (size + points + 16) * sizeof(double);
}

size_t PredictionCache::BytesHeld() const {
  size_t bytes = BytesOf(points_.size(), results_.size(), crosses_);
  for (const auto& [key, places] : sets_) bytes += sizeof(key) + places.size() * sizeof(uint32_t);
  return bytes;
}

size_t PredictionCache::BytesAlone(const Request& request) const {
  const size_t points = request.x.keys.size();
  const size_t crosses = request.crosses.empty() ? 0 : std::min(points, MostCrosses(request));
  return BytesOf(points, request.reduced_cross.size(), crosses);
}

size_t PredictionCache::BytesWith(const Request& request) const {
  const auto new_among = [](const std::vector<CachedPoints::Key>& keys, const auto& known) {
    const auto is_new = [&known](const auto& key) { return !known.contains(key); };
    return static_cast<size_t>(std::count_if(keys.begin(), keys.end(), is_new));
  };
  const size_t points = new_among(request.x.keys, places_);
  const size_t results =
      request.results == nullptr ? 0 : new_among(request.results->keys, results_);
  size_t crosses = 0;
  for (size_t i = 0; i < request.crosses.size(); ++i) {
    const auto place = places_.find(request.x.keys[i]);
    crosses += place == places_.end() || points_[place->second].cross == nullptr ? 1 : 0;
  }
  if (!request.AreResults()) {
    const size_t most = MostCrosses(request);
    crosses = std::min(crosses, most - std::min(crosses_, most));
  }
  const size_t now = BytesOf(points_.size(), results_.size(), crosses_);
  return BytesHeld() - now +
         BytesOf(points_.size() + points, results_.size() + results, crosses_ + crosses);
}

size_t PredictionCache::MostCrosses(const Request& request) const {
  if (request.AreResults()) return request.x.keys.size();
  const size_t of_cross = static_cast<size_t>(process_->points.rows()) * sizeof(double);
  return most_bytes_ / kCrossesPart / std::max<size_t>(of_cross, 1) + 1;
}

void PredictionCache::Insert(const Request& request) {
  if (!request.has_changed) return;
  const std::lock_guard lock(mutex_);
  const absl::Status kept = OrOutOfMemory([&] {
    Keep(request);
    return absl::OkStatus();
  });
  if (!kept.ok()) Forget();
}

void PredictionCache::Keep(const Request& request) {
  const size_t most_crosses = MostCrosses(request);
  const bool is_full = !HasRoomFor(BytesWith(request));
  if (is_full) {
    // What is too large anyway is no reason to forget the rest.
    const size_t lent = shared_ == nullptr ? 0 : borrowed_ + shared_->left();
    if (BytesAlone(request) > most_bytes_ + lent) return;
    Forget();
    if (!HasRoomFor(BytesAlone(request))) return;
  }
  std::vector<uint32_t> places;
  for (size_t i = 0; i < request.x.keys.size(); ++i) {
    const auto [entry, is_new] =
        places_.try_emplace(request.x.keys[i], static_cast<uint32_t>(points_.size()));
    if (is_new) points_.push_back({kNotComputed, kNotComputed, nullptr});
    Point& point = points_[entry->second];
    point.mean = request.there.mean[static_cast<Index>(i)];
    const double variance = request.there.variance[static_cast<Index>(i)];
    if (!std::isnan(variance)) point.variance = variance;
    const bool has_room = request.AreResults() || crosses_ < most_crosses;
    if (has_room && !request.crosses.empty() && point.cross == nullptr &&
        request.crosses[i] != nullptr) {
      point.cross = request.crosses[i];
      ++crosses_;
    }
    places.push_back(entry->second);
  }
  for (size_t j = 0; j < request.reduced_cross.size(); ++j) {
    if (!request.is_lacking[j] && !is_full) continue;
    Result& result = results_[request.results->keys[j]];
    result.reduced_cross = request.reduced_cross[j];
    if (result.covariances.size() < points_.size()) {
      result.covariances.resize(points_.size(), kNotComputed);
    }
    const auto column = request.between.col(static_cast<Index>(j));
    for (size_t i = 0; i < places.size(); ++i) {
      result.covariances[places[i]] = column[static_cast<Index>(i)];
    }
  }
  if (sets_.size() >= kMostSets) sets_.clear();
  sets_.try_emplace(request.x.all, std::move(places));
}

Vector PredictionCache::Means(const CachedPoints& x) {
  Request request(x, nullptr, false);
  Answer(request);
  return std::move(request.there.mean);
}

Predictions PredictionCache::Predict(const CachedPoints& x) {
  Request request(x, nullptr, true);
  Answer(request);
  return std::move(request.there);
}

PredictionCache::Covariances PredictionCache::Between(const CachedPoints& results,
                                                      const CachedPoints& x) {
  Request request(x, &results, true);
  Answer(request);
  return {std::move(request.there), request.between.transpose()};
}

Matrix PredictionCache::Covariance(const CachedPoints& results, const CachedPoints& x) {
  Request request(x, &results, false);
  Answer(request);
  return request.between.transpose();
}

Matrix PredictionCache::ReducedCross(const CachedPoints& results) {
  const CachedPoints none(PointMatrix(0, results.x.cols()));
  Request request(none, &results, false);
  Answer(request);
  Matrix reduced(process_->points.rows(), results.x.rows());
  for (size_t j = 0; j < request.reduced_cross.size(); ++j) {
    reduced.col(static_cast<Index>(j)) = *request.reduced_cross[j];
  }
  return reduced;
}

void PredictionCache::Answer(Request& request) {
  Find(request);
  Compute(request);
  Insert(request);
}

bool PredictionCache::HasRoomFor(size_t bytes) {
  if (bytes <= most_bytes_ + borrowed_) return true;
  const size_t missing = bytes - most_bytes_ - borrowed_;
  if (shared_ == nullptr || !shared_->Take(missing)) return false;
  borrowed_ += missing;
  return true;
}

void PredictionCache::Forget() {
  // New ones, as cleared ones keep their memory.
  places_ = KeyMap<uint32_t>();
  points_ = std::vector<Point>();
  sets_ = KeyMap<std::vector<uint32_t>>();
  results_ = KeyMap<Result>();
  crosses_ = 0;
  if (shared_ != nullptr) shared_->Give(borrowed_);
  borrowed_ = 0;
}

void PredictionCache::Clear() {
  const std::lock_guard lock(mutex_);
  Forget();
}

size_t PredictionCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return BytesHeld();
}

}  // namespace slipstream
