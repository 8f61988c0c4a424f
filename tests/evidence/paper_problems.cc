#include "tests/evidence/paper_problems.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/counter_random.h"
#include "core/linalg/cholesky.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kPapersSalt = 0x706170657273;
constexpr size_t kPaperSourcePoints = 400;
constexpr size_t kPaperGrid = 120;

// The target's bump stands at `hundredths` / 100 in both coordinates, the source's a unit away.
template <int hundredths>
Objective BumpPairTask(uint64_t, uint64_t task) {
  const double centre = hundredths / 100.0 + (task == 0 ? 0 : 1 / std::numbers::sqrt2);
  return [=](RawPoint x) { return GaussianBump(centre, x); };
}

Objective BohachevskyTask(uint64_t, uint64_t task) {
  return task == 0 ? BohachevskyProduct : BohachevskySum;
}

// The source is a draw, and the target is that plus a draw of the difference.
Objective SumOfDrawsTask(uint64_t seed, uint64_t task) {
  using Kernel = ProcessShape::Kernel;
  const uint64_t own = CounterRandomBits(seed ^ kPapersSalt, 0, 0);
  const uint64_t other = CounterRandomBits(seed ^ kPapersSalt, 1, 0);
  const Objective source = DrawProcess({Kernel::kMatern52, 1.2, 1}, 2, other);
  if (task != 0) return source;
  const Objective difference = DrawProcess({Kernel::kSquaredExponential, 1, 0.8}, 2, own);
  return [=](RawPoint x) { return source(x) + difference(x); };
}

template <size_t dimension, size_t points>
Objective SpaceSampleTask(uint64_t seed, uint64_t) {
  const KernelSum sum = DrawFromSpace({dimension, points}, seed);
  return [sum](RawPoint x) { return sum.At(x); };
}

std::vector<Bounds> PaperBox(size_t dimension, double min, double max) {
  return std::vector<Bounds>(dimension, Bounds{min, max});
}

double GaussianKernel(RawPoint a, RawPoint b, double lengthscale) {
  double square = 0;
  for (size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::exp(-square / (2 * lengthscale * lengthscale));
}

std::vector<std::vector<double>> PlacesOf(size_t dimension, size_t points) {
  std::vector<std::vector<double>> grid = {{}};
  for (size_t i = 0; i < dimension; ++i) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& start : grid) {
      for (size_t place = 0; place < points; ++place) {
        longer.push_back(start);
        longer.back().push_back(static_cast<double>(place) / static_cast<double>(points - 1));
      }
    }
    grid = std::move(longer);
  }
  return grid;
}

}  // namespace

double KernelSum::At(RawPoint x) const {
  double sum = 0;
  for (size_t i = 0; i < centres.size(); ++i) {
    sum += coefficients[i] * GaussianKernel(centres[i], x, lengthscale);
  }
  return sum;
}

double KernelSum::Norm() const {
  double square = 0;
  for (size_t i = 0; i < centres.size(); ++i) square += coefficients[i] * At(centres[i]);
  return std::sqrt(square);
}

// Values with the covariance K = L L^T are L z with normal z, and K^-1 L z = L^-T z are the
// coefficients that interpolate them.
KernelSum DrawFromSpace(const SpaceSample& sample, uint64_t seed) {
  KernelSum sum = {sample.lengthscale, PlacesOf(sample.dimension, sample.points), {}};
  const auto count = static_cast<Index>(sum.centres.size());
  Matrix covariance(count, count);
  Matrix normal(count, 1);
  for (Index i = 0; i < count; ++i) {
    normal(i, 0) = StandardNormal(seed ^ kPapersSalt, static_cast<uint64_t>(i));
    for (Index j = 0; j < count; ++j) {
      covariance(i, j) = GaussianKernel(sum.centres[static_cast<size_t>(i)],
                                        sum.centres[static_cast<size_t>(j)], sample.lengthscale);
    }
  }
  Cholesky::Of(std::move(covariance)).value().SolveLowerTransposed(normal);
  sum.coefficients.assign(normal.data(), normal.data() + count);
  const double factor = sample.norm / sum.Norm();
  for (double& coefficient : sum.coefficients) coefficient *= factor;
  return sum;
}

std::vector<ContinuousProblem> PaperProblems() {
  const auto pair = [](absl::string_view name, absl::string_view summary, Goal goal,
                       std::vector<Bounds> box, Objective (*task)(uint64_t seed, uint64_t task)) {
    return ContinuousProblem{name, summary,      kPapers, goal, std::move(box),
                             task, std::nullopt, 0,       1,    kPaperSourcePoints};
  };
  const auto with_noise = [](ContinuousProblem problem, double target, double source) {
    problem.noise_deviation = std::sqrt(target);
    problem.source_noise_deviation = std::sqrt(source);
    return problem;
  };
  const auto on_grid = [](ContinuousProblem problem) {
    problem.levels = kPaperGrid;
    return problem;
  };
  return {
      // DeltaBO. It names neither the place nor the box of the bumps.
      with_noise(pair("delta_bumps", "A wide bump; its source's is a unit beside it",
                      Goal::kMaximize, PaperBox(2, 0, 1), BumpPairTask<20>),
                 0.01, 0.01),
      with_noise(pair("delta_bumps_wide", "The same in a box of twice the side", Goal::kMaximize,
                      PaperBox(2, -1, 1), BumpPairTask<-35>),
                 0.01, 0.01),
      with_noise(on_grid(pair("delta_bohachevsky", "A rippled bowl; its source has other ripples",
                              Goal::kMinimize, PaperBox(2, -2, 2), BohachevskyTask)),
                 0.06, 0.24),
      with_noise(on_grid(pair("delta_model", "A draw of a process, plus a smoother one",
                              Goal::kMaximize, PaperBox(2, -1, 1), SumOfDrawsTask)),
                 0.01, 0.1),
      // A-GP-UCB. The norm of 4 and the numbers of points are ours.
      {"space_sample1", "A function of norm 4 in a Gaussian kernel's space", kPapers,
       Goal::kMaximize, PaperBox(1, 0, 1), SpaceSampleTask<1, 12>, std::nullopt, 0.02},
      {"space_sample2", "The same in two dimensions", kPapers, Goal::kMaximize, PaperBox(2, 0, 1),
       SpaceSampleTask<2, 8>, std::nullopt, 0.02},
  };
}

}  // namespace slipstream::evidence
