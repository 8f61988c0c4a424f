#include "core/gp/patches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/even_parts.h"

namespace slipstream {
namespace {

// The coordinate in which the points vary most, the first of equal ones; none where all points are
// equal. The spread is that of differences from the first point: sums of the coordinates' own
// squares would leave nothing but rounding where a coordinate is nearly constant. One that is
// constant is never taken.
std::optional<Index> WidestCoordinate(const PointMatrix& x, const std::vector<Index>& rows) {
  const Vector first = x.row(rows.front()).transpose();
  Vector difference(x.cols());
  Vector sum = Vector::Zero(x.cols());
  Vector squares = Vector::Zero(x.cols());
  Vector largest = Vector::Zero(x.cols());
  for (Index row : rows) {
    difference = x.row(row).transpose() - first;
    sum += difference;
    squares += difference.cwiseAbs2();
    largest = largest.cwiseMax(difference.cwiseAbs());
  }
  const Vector spread = squares - sum.cwiseAbs2() / static_cast<double>(rows.size());
  std::optional<Index> widest;
  for (Index i = 0; i < x.cols(); ++i) {
    if (!(largest[i] > 0)) continue;
    if (!widest.has_value() || spread[i] > spread[*widest]) widest = i;
  }
  return widest;
}

// The middle value. Where the least one fills a half, the next larger one, so that the least makes
// the lower side alone. The values are not all equal, so both sides have some.
double ThresholdOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double least = *std::min_element(values.begin(), middle + 1);
  if (*middle > least) return *middle;
  std::sort(middle, values.end());
  return *std::upper_bound(middle, values.end(), least);
}

}  // namespace

Patches::Patches(const PointMatrix& x, Index most) {
  std::vector<Index> all(static_cast<size_t>(x.rows()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  Divide(x, std::move(all), most);
}

size_t Patches::Divide(const PointMatrix& x, std::vector<Index> rows, Index most) {
  std::optional<Index> coordinate;
  if (static_cast<Index>(rows.size()) > most) coordinate = WidestCoordinate(x, rows);
  if (!coordinate.has_value()) return AddPatch(std::move(rows), most);
  std::vector<double> values;
  values.reserve(rows.size());
  for (Index row : rows) values.push_back(x(row, *coordinate));
  const double threshold = ThresholdOf(std::move(values));
  std::vector<Index> lower;
  std::vector<Index> upper;
  for (Index row : rows) (x(row, *coordinate) < threshold ? lower : upper).push_back(row);
  Node cut{*coordinate, threshold, 0, 0};
  cut.lower = Divide(x, std::move(lower), most);
  cut.upper = Divide(x, std::move(upper), most);
  nodes_.push_back(cut);
  return nodes_.size() - 1;
}

size_t Patches::AddPatch(std::vector<Index> rows, Index most) {
  if (static_cast<Index>(rows.size()) > most) {
    std::vector<Index> some;
    for (size_t place : FirstOfParts(rows.size(), static_cast<size_t>(most))) {
      some.push_back(rows[place]);
    }
    rows = std::move(some);
  }
  nodes_.push_back({-1, 0, rows_.size(), 0});
  rows_.push_back(std::move(rows));
  return nodes_.size() - 1;
}

size_t Patches::PatchOf(ConstVectorView x) const {
  const Node* node = &nodes_.back();
  while (node->coordinate >= 0) {
    node = &nodes_[x[node->coordinate] < node->threshold ? node->lower : node->upper];
  }
  return node->lower;
}

}  // namespace slipstream
