#include "core/calibration/consistent.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// Makes pseudo points independent of what the wrapped
// calibration draws.
constexpr uint64_t kPseudoPointStream = 0x70736575646F;

bool IsWordAt(const CoordinateKinds& kinds, Index coordinate) {
  return !kinds.empty() && kinds[static_cast<size_t>(coordinate)] == CoordinateKind::kWord;
}

std::vector<double> DifferentValues(const Vector& column) {
  std::vector<double> values(column.begin(), column.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Uniform over the unit interval along numbers, over the values of `x` along
// categories.
PointMatrix DrawPseudoPoints(const CoordinateKinds& kinds, const PointMatrix& x, Index count,
                             uint64_t seed) {
  const uint64_t own_seed = CounterRandomBits(seed, kPseudoPointStream, 0);
  PointMatrix points(count, x.cols());
  for (Index d = 0; d < x.cols(); ++d) {
    const std::vector<double> words =
        IsWordAt(kinds, d) ? DifferentValues(x.col(d)) : std::vector<double>();
    for (Index i = 0; i < count; ++i) {
      const double u =
          CounterRandomUniform(own_seed, static_cast<uint64_t>(i), static_cast<uint64_t>(d));
      points(i, d) =
          words.empty() ? u : words[static_cast<size_t>(u * static_cast<double>(words.size()))];
    }
  }
  return points;
}

// The first of equal rows.
PointMatrix WithoutEqualRows(const PointMatrix& points) {
  std::vector<Index> kept;
  for (Index i = 0; i < points.rows(); ++i) {
    const bool is_new = std::none_of(kept.begin(), kept.end(), [&points, i](Index earlier) {
      return points.row(earlier) == points.row(i);
    });
    if (is_new) kept.push_back(i);
  }
  return points(kept, Eigen::all);
}

// The squared distance of each row of `x` from the point.
Vector SquaredDistancesFrom(const CoordinateKinds& kinds, const PointMatrix& x,
                            ConstVectorView point) {
  Vector squares = Vector::Zero(x.rows());
  for (Index d = 0; d < x.cols(); ++d) {
    const auto column = x.col(d).array();
    if (IsWordAt(kinds, d)) {
      squares.array() += (column != point[d]).cast<double>();
    } else {
      squares.array() += (column - point[d]).square();
    }
  }
  return squares;
}

// For each of the points the row of `x` that is nearest to it; of several that
// are, the i-th point takes the i-th, in turn.
std::vector<Index> NearestRows(const CoordinateKinds& kinds, const PointMatrix& x,
                               const PointMatrix& points) {
  std::vector<Index> nearest;
  for (Index i = 0; i < points.rows(); ++i) {
    const Vector squares = SquaredDistancesFrom(kinds, x, points.row(i).transpose());
    const double least = squares.minCoeff();
    std::vector<Index> rows;
    for (Index j = 0; j < squares.size(); ++j) {
      if (squares[j] == least) rows.push_back(j);
    }
    nearest.push_back(rows[static_cast<size_t>(i) % rows.size()]);
  }
  return nearest;
}

class Consistent : public Calibration {
 public:
  Consistent(std::unique_ptr<Calibration> wrapped, const ConsistentOptions& options)
      : wrapped_(std::move(wrapped)), options_(options) {}

 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData& input) const override {
    // A label that no pseudo point has would go unnoticed.
    if (!input.data.x.allFinite() || !input.data.y.allFinite()) {
      return absl::FailedPreconditionError("observations must be finite");
    }
    const bool is_fixed =
        std::all_of(model.beliefs.begin(), model.beliefs.end(),
                    [](const HyperparameterBelief& belief) { return belief.is_fixed(); });
    if (is_fixed) return wrapped_->Calibrate(model, input);
    const Index count =
        std::min(options_.points_per_result * input.data.y.size(), options_.most_points);
    const TrainingData pseudo = PseudoData(model.kinds, input.data, count, input.seed);
    SLIPSTREAM_ASSIGN_OR_RETURN(
        Calibrated result,
        wrapped_->Calibrate(WithOpenNoise(model), {pseudo, input.seed, input.deadline}));
    result.diagnostics.emplace_back("pseudo_points", static_cast<double>(pseudo.y.size()));
    const HyperparameterBelief& noise = NoiseBelief(model);
    if (noise.is_fixed()) {
      for (Hyperparameters& member : result.members) member.log_noise_variance = noise.lower;
    }
    return result;
  }

  static const HyperparameterBelief& NoiseBelief(const Model& model) {
    return model.beliefs[static_cast<size_t>(model.kernel->parameter_count())];
  }

  static Model WithOpenNoise(Model model) {
    if (!NoiseBelief(model).is_fixed()) return model;
    const HyperparameterBelief open = NoiseBelief(DefaultModel(Numbers(1), ModelOptions()));
    model.beliefs[static_cast<size_t>(model.kernel->parameter_count())] = open;
    return model;
  }

  std::unique_ptr<Calibration> wrapped_;
  ConsistentOptions options_;
};

}  // namespace

TrainingData PseudoData(const CoordinateKinds& kinds, const TrainingData& data, Index count,
                        uint64_t seed) {
  assert(data.y.size() > 0);
  assert(kinds.empty() || static_cast<Index>(kinds.size()) == data.x.cols());
  PointMatrix points = WithoutEqualRows(DrawPseudoPoints(kinds, data.x, count, seed));
  TrainingData pseudo = RowsOf(data, NearestRows(kinds, data.x, points));
  pseudo.x = std::move(points);
  return pseudo;
}

std::unique_ptr<Calibration> MakeConsistent(std::unique_ptr<Calibration> wrapped,
                                            const ConsistentOptions& options) {
  return std::make_unique<Consistent>(std::move(wrapped), options);
}

namespace {

constexpr Option<ConsistentOptions> kConsistentOptions[] = {
    OptionAt<&ConsistentOptions::points_per_result>(
        {"pseudo_points", "points a result", 1, 10, true,
         "consistent draws this many evenly spread points for each result"}),
};

constexpr Conflict kConsistentConflicts[] = {
    {.axis = RecipeAxis::kCalibration,
     .other = "fixed",
     .reason = "which leaves it nothing to estimate"},
};

}  // namespace

const CalibrationRow kConsistent = {
    .about = {.name = "consistent",
              .summary = "Calibrated to evenly spread points, each with the value of its nearest "
                         "result",
              .source = "UHE-BO: Ha et al., arXiv 2306.06844, equation 2",
              .options = [] { return OptionSet(ConsistentOptions(), kConsistentOptions); },
              .conflicts = kConsistentConflicts},
    .wrap =
        [](std::unique_ptr<Calibration> wrapped, const OptionSet& options) {
          return MakeConsistent(std::move(wrapped), options.As<ConsistentOptions>());
        },
};

}  // namespace slipstream
