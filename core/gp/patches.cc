#include "core/gp/patches.h"

#include <algorithm>
#include <utility>

namespace slipstream {
namespace {

// The coordinate in which the points vary most; the first of equal ones.
Index WidestCoordinate(const PointMatrix& x, const std::vector<Index>& rows) {
  Vector sum = Vector::Zero(x.cols());
  Vector squares = Vector::Zero(x.cols());
  for (Index row : rows) {
    sum += x.row(row).transpose();
    squares += x.row(row).transpose().cwiseAbs2();
  }
  Index widest = 0;
  (squares - sum.cwiseAbs2() / static_cast<double>(rows.size())).maxCoeff(&widest);
  return widest;
}

// The middle value. Where the least one fills a half, the next larger one, so that the least makes
// the lower side alone; the least where there is no other.
double ThresholdOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double least = *std::min_element(values.begin(), middle + 1);
  if (*middle > least) return *middle;
  std::sort(middle, values.end());
  const auto larger = std::upper_bound(middle, values.end(), least);
  return larger != values.end() ? *larger : least;
}

}  // namespace

Patches::Patches(const PointMatrix& x, Index most) {
  std::vector<Index> all(static_cast<size_t>(x.rows()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  Divide(x, std::move(all), most);
}

size_t Patches::Divide(const PointMatrix& x, std::vector<Index> rows, Index most) {
  if (static_cast<Index>(rows.size()) > most) {
    const Index coordinate = WidestCoordinate(x, rows);
    std::vector<double> values;
    for (Index row : rows) values.push_back(x(row, coordinate));
    const double threshold = ThresholdOf(std::move(values));
    std::vector<Index> lower;
    std::vector<Index> upper;
    for (Index row : rows) (x(row, coordinate) < threshold ? lower : upper).push_back(row);
    if (!lower.empty() && !upper.empty()) {
      Node cut{coordinate, threshold, 0, 0};
      cut.lower = Divide(x, std::move(lower), most);
      cut.upper = Divide(x, std::move(upper), most);
      nodes_.push_back(cut);
      return nodes_.size() - 1;
    }
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
