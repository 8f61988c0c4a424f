#include "core/prior/blocks/ranking.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace slipstream {
namespace {

// A factor that, with a clamp, turns all differences but those below 1e-300 into -1, 0 or 1.
constexpr double kToSign = 1e300;

// Adds 1 to the loss of each draw whose `difference` is below 0 although it should not be, or the
// reverse.
template <typename Differences>
void AddMisranked(const Differences& difference, bool should_be_below, Vector& losses) {
  if (should_be_below) {
    losses.array() += 1 - (difference * -kToSign).max(0.0).min(1.0);
  } else {
    losses.array() += (difference * -kToSign).max(0.0).min(1.0);
  }
}

// Counts the pairs that predictions of the same results misrank, by sorting: Knight, "A computer
// method for calculating Kendall's tau with ungrouped data", 1966.
class MisrankedCounter {
 public:
  explicit MisrankedCounter(const Vector& y)
      : order_(static_cast<size_t>(y.size())), values_(order_.size()), merged_(order_.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) { return y[a] < y[b]; });
    for (size_t first = 0, end = 1; first < order_.size(); first = end++) {
      while (end < order_.size() && y[order_[end]] == y[order_[first]]) ++end;
      if (end - first > 1) ties_.emplace_back(first, end);
    }
  }

  // As RankingLoss. A pair of different predictions and different results is misranked in both
  // orders or in none, one that ties in only one of the two in one.
  template <typename Predicted>
  double Loss(const Predicted& predicted) {
    for (size_t i = 0; i < order_.size(); ++i) values_[i] = predicted[order_[i]];
    double loss = 0;
    for (const auto& [first, end] : ties_) {
      Sort(first, end);
      loss += PairsAmong(end - first) - 2 * TiesIn(first, end);
    }
    loss += 2 * Sort(0, values_.size());
    return loss + TiesIn(0, values_.size());
  }

 private:
  static double PairsAmong(size_t count) {
    return 0.5 * static_cast<double>(count) * static_cast<double>(count - 1);
  }

  // Pairs of equal values in a part that is sorted.
  double TiesIn(size_t first, size_t end) const {
    double pairs = 0;
    for (size_t next = first + 1; first < end; first = next++) {
      while (next < end && values_[next] == values_[first]) ++next;
      pairs += PairsAmong(next - first);
    }
    return pairs;
  }

  // Returns how many pairs were in descending order.
  double Sort(size_t first, size_t end) {
    constexpr size_t kFew = 8;
    if (end - first <= kFew) return SortFew(first, end);
    const size_t middle = first + (end - first) / 2;
    double descending = Sort(first, middle) + Sort(middle, end);
    size_t left = first;
    size_t right = middle;
    for (size_t i = first; i < end; ++i) {
      const bool is_left = right == end || (left < middle && !(values_[right] < values_[left]));
      if (!is_left) descending += static_cast<double>(middle - left);
      merged_[i] = values_[is_left ? left++ : right++];
    }
    std::copy(merged_.begin() + static_cast<ptrdiff_t>(first),
              merged_.begin() + static_cast<ptrdiff_t>(end),
              values_.begin() + static_cast<ptrdiff_t>(first));
    return descending;
  }

  double SortFew(size_t first, size_t end) {
    size_t descending = 0;
    for (size_t i = first; i < end; ++i) {
      const double value = values_[i];
      size_t place = i;
      for (; place > first && value < values_[place - 1]; --place) {
        values_[place] = values_[place - 1];
      }
      values_[place] = value;
      descending += i - place;
    }
    return static_cast<double>(descending);
  }

  std::vector<Index> order_;                     // The results' places, the worst first.
  std::vector<std::pair<size_t, size_t>> ties_;  // Parts of it with equal results.
  std::vector<double> values_;
  std::vector<double> merged_;
};

}  // namespace

double RankingLoss(const Vector& predicted, const Vector& y) {
  return MisrankedCounter(y).Loss(predicted);
}

std::vector<size_t> BestRankers(const SourceModels& sources, const TrainingData& target,
                                size_t most) {
  std::vector<size_t> places(sources.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (places.size() <= most) return places;
  const CachedPoints results(target.x);
  MisrankedCounter counter(target.y);
  std::vector<double> losses;
  for (const auto& source : sources) losses.push_back(counter.Loss(source->cache->Means(results)));
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return losses[a] < losses[b]; });
  places.resize(most);
  std::sort(places.begin(), places.end());
  return places;
}

Vector RankingLosses(const Matrix& draws, const Vector& y) {
  // A pair in both orders: where y[j] < y[k], 0, 1 or 2 with the sign of what
  // was drawn at j less that at k; where they are equal, 1 unless these are too.
  Eigen::ArrayXd losses = Eigen::ArrayXd::Zero(draws.rows());
  double pairs = 0;
  for (Index j = 0; j < y.size(); ++j) {
    for (Index k = 0; k < j; ++k) {
      if (y[j] == y[k]) {
        losses += (draws.col(j).array() != draws.col(k).array()).cast<double>();
        continue;
      }
      const auto lower = draws.col(y[j] < y[k] ? j : k).array();
      const auto upper = draws.col(y[j] < y[k] ? k : j).array();
      losses += ((lower - upper) * kToSign).max(-1.0).min(1.0);
      pairs += 1;
    }
  }
  return losses + pairs;
}

Vector LeftOutLosses(const LeftOut& left_out, const Vector& y, const Matrix& common,
                     const Matrix& own) {
  const Matrix shared = common * left_out.common.transpose();
  Vector losses = Vector::Zero(common.rows());
  for (Index j = 0; j < y.size(); ++j) {
    for (Index k = 0; k < y.size(); ++k) {
      if (k == j) continue;
      const double mean = left_out.means(j, j) - left_out.means(k, j);
      const double spread = left_out.own(j, j) - left_out.own(k, j);
      AddMisranked(
          mean + shared.col(j).array() - shared.col(k).array() + spread * own.col(j).array(),
          y[j] < y[k], losses);
    }
  }
  return losses;
}

Vector LeftOutLossesAgainstResults(const LeftOut& left_out, const Vector& y, const Matrix& own) {
  const Vector deviations = left_out.Deviations();
  Vector losses = Vector::Zero(own.rows());
  for (Index j = 0; j < y.size(); ++j) {
    const Eigen::ArrayXd drawn = left_out.means(j, j) + deviations[j] * own.col(j).array();
    for (Index k = 0; k < y.size(); ++k) {
      if (k != j) AddMisranked(drawn - y[k], y[j] < y[k], losses);
    }
  }
  return losses;
}

Matrix MisrankedPairs(const Vector& left, const Vector& right, const Vector& y) {
  Matrix misranked = Matrix::Zero(y.size(), y.size());
  for (Index j = 0; j < y.size(); ++j) {
    for (Index k = 0; k < y.size(); ++k) {
      if (j != k && (left[j] < right[k]) != (y[j] < y[k])) misranked(j, k) = 1;
    }
  }
  return misranked;
}

Vector BootstrapLosses(const Matrix& misranked, const Matrix& counts) {
  return counts.cwiseProduct(counts * misranked).rowwise().sum();
}

Vector RankingWeights(const Matrix& losses) {
  const Index target = losses.cols() - 1;
  Vector wins = Vector::Zero(losses.cols());
  for (Index s = 0; s < losses.rows(); ++s) {
    const double least = losses.row(s).minCoeff();
    assert(std::isfinite(least));
    if (losses(s, target) == least) {
      wins[target] += 1;
      continue;
    }
    const Vector is_best = (losses.row(s).array() == least).cast<double>().transpose();
    wins += is_best / is_best.sum();
  }
  return wins / wins.sum();
}

double QuantileOf(Vector values, double part) {
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<Index>(place);
  const Index above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace slipstream
