#include "core/prior/blocks/source_points.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/base/even_parts.h"

namespace slipstream {
namespace {

// The number of points that each source, given their sizes, contributes.
std::vector<Index> SourceQuotas(const std::vector<Index>& sizes, Index most, Index most_each) {
  const auto taken = [&](Index each) {
    Index sum = 0;
    for (Index size : sizes) sum += std::min(size, each);
    return sum;
  };
  // The largest number of each that is not too many together.
  Index each = 0;
  Index above = 1 + (sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end()));
  above = std::min(above, most_each + (most_each < above ? 1 : 0));
  while (above - each > 1) {
    const Index middle = each + (above - each) / 2;
    (taken(middle) <= most ? each : above) = middle;
  }
  std::vector<Index> quotas;
  std::vector<size_t> larger;
  for (size_t i = 0; i < sizes.size(); ++i) {
    quotas.push_back(std::min(sizes[i], each));
    if (sizes[i] > each && each < most_each) larger.push_back(i);
  }
  // The remainder goes to sources that are spread evenly.
  const auto rest = static_cast<size_t>(std::max<Index>(0, most - taken(each)));
  for (size_t place : FirstOfParts(larger.size(), rest)) ++quotas[larger[place]];
  return quotas;
}

// Rows of `part` below those of `whole`.
template <typename Part>
void AppendSourceRows(const Part& part, Part& whole) {
  if (part.rows() == 0) return;
  Part both(whole.rows() + part.rows(), part.cols());
  both << whole, part;
  whole = std::move(both);
}

Vector KnownNoiseRows(const TrainingData& data) {
  return data.known_noise.size() > 0 ? data.known_noise : Vector::Zero(data.y.size());
}

}  // namespace

std::vector<Index> SpreadRows(const Vector& y, Index most) {
  const Index size = y.size();
  std::vector<Index> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  if (size <= most) return order;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return y[a] > y[b]; });
  std::vector<Index> rows;
  for (Index i = 0; i < most; ++i) {
    const Index place = most == 1 ? 0 : PartBegin(i, size - 1, most - 1);
    rows.push_back(order[static_cast<size_t>(place)]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

SourcePoints CollectPoints(const SourceModels& sources, Index most, Index most_each) {
  std::vector<Index> sizes;
  for (const auto& source : sources) sizes.push_back(source->data.y.size());
  SourcePoints points;
  points.counts = SourceQuotas(sizes, most, most_each);
  points.all = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  const Index size = std::accumulate(points.counts.begin(), points.counts.end(), Index{0});
  const Index dimension = sources.empty() ? 0 : sources.front()->data.x.cols();
  points.data = {PointMatrix(size, dimension), Vector(size), Vector(size), Vector(size), {}};
  Index first = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const TrainingData& data = sources[i]->data;
    const Index count = points.counts[i];
    const std::vector<Index> rows = SpreadRows(data.y, count);
    points.data.x.middleRows(first, count) = data.x(rows, Eigen::all);
    points.data.y.segment(first, count) = data.y(rows);
    points.data.repeats.segment(first, count) = data.repeats(rows);
    points.data.known_noise.segment(first, count) = KnownNoiseRows(data)(rows);
    first += count;
  }
  return points;
}

Matrix MeansOf(const SourceModels& sources, const PointMatrix& x) {
  const CachedPoints points(x);
  Matrix means(x.rows(), static_cast<Index>(sources.size()));
  for (size_t s = 0; s < sources.size(); ++s) {
    means.col(static_cast<Index>(s)) = sources[s]->cache->Means(points);
  }
  return means;
}

TrainingData Joined(const TrainingData& results, const SourcePoints& points) {
  TrainingData joined{results.x, results.y, results.repeats, KnownNoiseRows(results), {}};
  if (results.y.size() == 0) joined.x.resize(0, points.data.x.cols());
  AppendSourceRows(points.data.x, joined.x);
  AppendSourceRows(points.data.y, joined.y);
  AppendSourceRows(points.data.repeats, joined.repeats);
  AppendSourceRows(points.data.known_noise, joined.known_noise);
  if (results.spreads.size() > 0) {
    joined.spreads = Vector::Constant(joined.y.size(), kUnknownSpread);
    joined.spreads.head(results.y.size()) = results.spreads;
  }
  return joined;
}

Vector PartsOf(const SourcePoints& points, const Vector& weights) {
  Vector parts = Vector::Zero(static_cast<Index>(points.counts.size()));
  const double sum = weights.sum();
  if (!(sum > 0)) return parts;
  Index first = weights.size() - points.size();
  for (size_t i = 0; i < points.counts.size(); ++i) {
    parts[static_cast<Index>(i)] = weights.segment(first, points.counts[i]).sum() / sum;
    first += points.counts[i];
  }
  return parts / std::max(1.0, parts.sum());
}

std::string CountOf(const SourcePoints& points) {
  return absl::StrCat(points.size(), " of ", points.all);
}

}  // namespace slipstream
