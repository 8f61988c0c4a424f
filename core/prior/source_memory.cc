#include "core/prior/source_memory.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/counter_random.h"

namespace slipstream {
namespace {

// Points are computed so many at a time, the last ones together with points
// that are not asked for, to a multiple of kKeptPanel: products of matrices with
// so many columns round each of them the same way, and so do functions of so
// many numbers. (Of small matrices they do not: those get whole blocks.)
constexpr Index kKeptBlock = 32;
constexpr Index kKeptPanel = 4;
constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostSets = 8;
constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

KeptPoints::Key FingerprintOfPoint(const PointMatrix& x, Index row) {
  KeptPoints::Key key = {1, 2};
  for (Index j = 0; j < x.cols(); ++j) {
    const auto bits = std::bit_cast<uint64_t>(x(row, j) + 0.0);  // -0 and 0 are alike.
    key[0] = CounterRandomBits(key[0], bits, 0);
    key[1] = CounterRandomBits(key[1], bits, 1);
  }
  return key;
}

}  // namespace

KeptPoints::KeptPoints(PointMatrix points) : x(std::move(points)) {
  keys.reserve(static_cast<size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    keys.push_back(FingerprintOfPoint(x, i));
    for (size_t lane = 0; lane < 2; ++lane) {
      all[lane] = CounterRandomBits(all[lane], keys.back()[lane], lane);
    }
  }
}

// What is asked for and, step by step, known of it.
class SourceMemory::Request {
 public:
  Request(const KeptPoints& wanted, const KeptPoints* with_results, bool has_variances)
      : x(wanted), with_variances(has_variances), results(with_results) {
    const Index count = results == nullptr ? 0 : results->x.rows();
    there = {Vector::Constant(x.x.rows(), kNotComputed),
             Vector::Constant(x.x.rows(), kNotComputed)};
    between.setConstant(count, x.x.rows(), kNotComputed);
    pulled.resize(static_cast<size_t>(count));
  }

  bool IsComplete(Index point) const {
    return !std::isnan(there.mean[point]) &&
           (!with_variances || !std::isnan(there.variance[point])) &&
           !between.col(point).array().isNaN().any();
  }

  const KeptPoints& x;
  bool with_variances;
  const KeptPoints* results;  // Null: none.
  Predictions there;
  Matrix between;
  std::vector<std::shared_ptr<const Vector>> pulled;  // By result.
  bool has_changed = false;
};

SourceMemory::SourceMemory(std::shared_ptr<const KernelExpansion> process, size_t most_bytes)
    : process_(std::move(process)), most_bytes_(most_bytes) {}

std::vector<uint32_t> SourceMemory::PlacesOf(const KeptPoints& x) const {
  std::vector<uint32_t> places;
  places.reserve(x.keys.size());
  for (const KeptPoints::Key& key : x.keys) {
    const auto found = places_.find(key);
    places.push_back(found == places_.end() ? kNowhere : found->second);
  }
  return places;
}

void SourceMemory::Find(Request& request) const {
  const std::lock_guard lock(mutex_);
  const auto known = sets_.find(request.x.all);
  const std::vector<uint32_t> looked_up =
      known == sets_.end() ? PlacesOf(request.x) : std::vector<uint32_t>();
  const std::vector<uint32_t>& places = known == sets_.end() ? looked_up : known->second;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= points_.size()) continue;
    request.there.mean[static_cast<Index>(i)] = points_[places[i]].mean;
    request.there.variance[static_cast<Index>(i)] = points_[places[i]].variance;
  }
  for (size_t j = 0; j < request.pulled.size(); ++j) {
    const auto found = results_.find(request.results->keys[j]);
    if (found == results_.end()) continue;
    request.pulled[j] = found->second.pulled;
    const std::vector<double>& covariances = found->second.covariances;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] >= covariances.size()) continue;
      request.between(static_cast<Index>(j), static_cast<Index>(i)) = covariances[places[i]];
    }
  }
}

void SourceMemory::Compute(Request& request) const {
  for (size_t j = 0; j < request.pulled.size(); ++j) {
    if (request.pulled[j] != nullptr) continue;
    const Matrix cross = process_->Cross(request.results->x.row(static_cast<Index>(j)));
    request.pulled[j] = std::make_shared<const Vector>(process_->reduction * cross.col(0));
    request.has_changed = true;
  }
  std::vector<Index> block;
  for (Index i = 0; i < request.x.x.rows(); ++i) {
    if (!request.IsComplete(i)) block.push_back(i);
    const bool is_full = static_cast<Index>(block.size()) == kKeptBlock;
    if (block.empty() || (!is_full && i + 1 < request.x.x.rows())) continue;
    ComputeBlock(request, block);
    request.has_changed = true;
    block.clear();
  }
}

void SourceMemory::ComputeBlock(Request& request, const std::vector<Index>& block) const {
  const KernelExpansion& process = *process_;
  const auto count = static_cast<Index>(block.size());
  const bool is_small = process.points.rows() < kKeptBlock;
  const Index padded = (count + kKeptPanel - 1) / kKeptPanel * kKeptPanel;
  PointMatrix x = PointMatrix::Zero(is_small ? kKeptBlock : padded, request.x.x.cols());
  x.topRows(count) = request.x.x(block, Eigen::all);
  const Matrix cross = process.Cross(x);
  const Vector means = (cross.transpose() * process.weights).array() + process.mean;
  request.there.mean(block) = means.head(count);
  const bool lacks_variances = std::any_of(
      block.begin(), block.end(), [&](Index i) { return std::isnan(request.there.variance[i]); });
  if (request.with_variances && lacks_variances) {
    const double most = process.kernel->Variance(process.parameters);
    const Matrix reduced = process.reduction * cross;
    const Vector taken = cross.cwiseProduct(reduced).colwise().sum().transpose();
    const Vector variances = (most - taken.array()).max(kLeastVariancePart * most);
    request.there.variance(block) = variances.head(count);
  }
  for (size_t j = 0; j < request.pulled.size(); ++j) {
    const auto row = static_cast<Index>(j);
    const Vector known = request.between(row, block).transpose();
    if (!known.array().isNaN().any()) continue;
    const PointMatrix result = request.results->x.row(row);
    Vector covariances = process.kernel->Covariance(process.parameters, x, result).col(0);
    covariances.noalias() -= cross.transpose() * *request.pulled[j];
    request.between(row, block) = covariances.head(count).transpose();
  }
}

size_t SourceMemory::BytesHeld() const {
  constexpr size_t kOfPlace = sizeof(KeptPoints::Key) + 2 * sizeof(size_t) + sizeof(Point);
  const size_t of_result = static_cast<size_t>(process_->points.rows()) + points_.size() + 16;
  size_t bytes = points_.size() * kOfPlace + results_.size() * of_result * sizeof(double);
  for (const auto& [key, places] : sets_) bytes += sizeof(key) + places.size() * sizeof(uint32_t);
  return bytes;
}

void SourceMemory::Insert(const Request& request) {
  if (!request.has_changed) return;
  const std::lock_guard lock(mutex_);
  if (BytesHeld() > most_bytes_) Forget();
  std::vector<uint32_t> places;
  for (size_t i = 0; i < request.x.keys.size(); ++i) {
    const auto [entry, is_new] =
        places_.try_emplace(request.x.keys[i], static_cast<uint32_t>(points_.size()));
    if (is_new) points_.push_back({kNotComputed, kNotComputed});
    Point& point = points_[entry->second];
    point.mean = request.there.mean[static_cast<Index>(i)];
    const double variance = request.there.variance[static_cast<Index>(i)];
    if (!std::isnan(variance)) point.variance = variance;
    places.push_back(entry->second);
  }
  for (size_t j = 0; j < request.pulled.size(); ++j) {
    Result& result = results_[request.results->keys[j]];
    result.pulled = request.pulled[j];
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] >= result.covariances.size()) {
        result.covariances.resize(points_.size(), kNotComputed);
      }
      result.covariances[places[i]] = request.between(static_cast<Index>(j), static_cast<Index>(i));
    }
  }
  if (sets_.size() >= kMostSets) sets_.clear();
  sets_.try_emplace(request.x.all, std::move(places));
}

Vector SourceMemory::Means(const KeptPoints& x) {
  Request request(x, nullptr, false);
  Find(request);
  Compute(request);
  Insert(request);
  return std::move(request.there.mean);
}

Predictions SourceMemory::Predict(const KeptPoints& x) {
  Request request(x, nullptr, true);
  Find(request);
  Compute(request);
  Insert(request);
  return std::move(request.there);
}

SourceMemory::Covariances SourceMemory::Between(const KeptPoints& results, const KeptPoints& x) {
  Request request(x, &results, true);
  Find(request);
  Compute(request);
  Insert(request);
  return {std::move(request.there), std::move(request.between)};
}

Matrix SourceMemory::Pulled(const KeptPoints& results) {
  const KeptPoints none(PointMatrix(0, results.x.cols()));
  Request request(none, &results, false);
  Find(request);
  Compute(request);
  Insert(request);
  Matrix pulled(process_->points.rows(), results.x.rows());
  for (size_t j = 0; j < request.pulled.size(); ++j) {
    pulled.col(static_cast<Index>(j)) = *request.pulled[j];
  }
  return pulled;
}

void SourceMemory::Forget() {
  places_.clear();
  points_ = {};
  sets_.clear();
  results_.clear();
}

void SourceMemory::Clear() {
  const std::lock_guard lock(mutex_);
  Forget();
}

size_t SourceMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return BytesHeld();
}

}  // namespace slipstream
