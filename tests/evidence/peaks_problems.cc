#include "tests/evidence/peaks_problems.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"

namespace slipstream::evidence {
namespace {

// All but the highest bump, which has height 1, are between a least and a largest height and width.
struct PeaksShape {
  size_t dimension = 0;
  size_t peaks = 0;
  double highest_width = 0;
  double least_height = 0;
  double most_height = 0;
  double least_width = 0;
  double most_width = 0;
};

struct Peak {
  std::vector<double> centre;
  double height = 1;
  double width = 1;
};

constexpr size_t kHighest = 0;

// Lower bumps are so far away from the highest one, in at least one coordinate, that it shows
// beside them.
constexpr double kLeastDistance = 0.3;
constexpr uint64_t kSizeLane = 100;  // Lanes of coordinates are below.

double DistanceOf(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

std::vector<Peak> PeaksOf(const PeaksShape& shape, uint64_t seed) {
  std::vector<Peak> peaks;
  for (uint64_t index = 0; peaks.size() < shape.peaks; ++index) {
    Peak peak{std::vector<double>(shape.dimension), 1, shape.highest_width};
    for (size_t i = 0; i < shape.dimension; ++i) {
      peak.centre[i] = 0.05 + 0.9 * CounterRandomUniform(seed, index, i);
    }
    if (!peaks.empty()) {
      if (DistanceOf(peak.centre, peaks[kHighest].centre) < kLeastDistance) continue;
      const auto between = [&](double least, double most, uint64_t lane) {
        return least + (most - least) * CounterRandomUniform(seed, index, lane);
      };
      peak.height = between(shape.least_height, shape.most_height, kSizeLane);
      peak.width = between(shape.least_width, shape.most_width, kSizeLane + 1);
    }
    peaks.push_back(std::move(peak));
  }
  return peaks;
}

template <const PeaksShape& shape>
Objective PeaksTask(uint64_t seed, uint64_t) {
  return [peaks = PeaksOf(shape, seed)](RawPoint z) {
    double highest = 0;
    for (const Peak& peak : peaks) {
      double squares = 0;
      for (size_t i = 0; i < peak.centre.size(); ++i) {
        squares += (z[i] - peak.centre[i]) * (z[i] - peak.centre[i]);
      }
      highest = std::max(highest, peak.height * std::exp(-squares / (2 * peak.width * peak.width)));
    }
    return highest;
  };
}

template <const PeaksShape& shape>
ContinuousProblem PeaksProblem(absl::string_view group, absl::string_view name,
                               absl::string_view summary) {
  ContinuousProblem problem;
  problem.name = name;
  problem.summary = summary;
  problem.group = group;
  problem.goal = Goal::kMaximize;
  problem.box.assign(shape.dimension, {0, 1});
  problem.task = PeaksTask<shape>;
  problem.best = 1;
  return problem;
}

constexpr PeaksShape kTwo = {2, 2, 0.06, 0.7, 0.7, 0.2, 0.2};
constexpr PeaksShape kEight = {4, 8, 0.18, 0.4, 0.8, 0.15, 0.35};
constexpr PeaksShape kFive = {2, 5, 0.07, 0.5, 0.85, 0.08, 0.2};
constexpr PeaksShape kSix = {3, 6, 0.12, 0.5, 0.85, 0.12, 0.3};

}  // namespace

std::vector<ContinuousProblem> PeaksProblems() {
  return {
      PeaksProblem<kTwo>(kPeaksDevelopment, "two_peaks2", "A wide bump and a narrow, higher one"),
      PeaksProblem<kEight>(kPeaksDevelopment, "eight_peaks4",
                           "Eight bumps, of which one is clearly the highest"),
      PeaksProblem<kFive>(kPeaks, "five_peaks2", "Five bumps, of which the highest is narrow"),
      PeaksProblem<kSix>(kPeaks, "six_peaks3", "Six bumps, of which the highest is narrow"),
  };
}

}  // namespace slipstream::evidence
