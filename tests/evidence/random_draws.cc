#include "tests/evidence/random_draws.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kInitialPoints = 5;
// Keeps these draws different from those of a strategy with the same seed.
constexpr uint64_t kInitialSalt = 0x696e697469616c;
constexpr size_t kWaves = 256;
constexpr uint64_t kWaveSalt = 0x7761766573;
constexpr uint64_t kTailLane = 1 << 16;  // Beyond all dimensions.
constexpr int kMatern52Freedom = 5;

struct Wave {
  std::vector<double> frequency;
  double amplitude = 0;
  double phase = 0;
};

// The factor for a normal frequency: the spectral density of a Matern kernel is
// Student's t distribution with 2 nu degrees of freedom.
double TailFactor(ProcessShape::Kernel kernel, uint64_t seed, uint64_t wave) {
  if (kernel == ProcessShape::Kernel::kSquaredExponential) return 1;
  double chi_squared = 0;
  for (uint64_t i = 0; i < kMatern52Freedom; ++i) {
    chi_squared += std::pow(StandardNormal(seed, wave, kTailLane + i), 2);
  }
  return std::sqrt(kMatern52Freedom / chi_squared);
}

Wave DrawWave(const ProcessShape& shape, size_t dimension, uint64_t seed, uint64_t index) {
  Wave wave;
  const double scale = TailFactor(shape.kernel, seed, index) / shape.lengthscale;
  for (size_t i = 0; i < dimension; ++i) {
    wave.frequency.push_back(scale * StandardNormal(seed, index, i + 1));
  }
  // A cosine and a sine with normal amplitudes are one wave with a Rayleigh amplitude
  // and a uniform phase.
  const double radius = 1 - CounterRandomUniform(seed, index, 0);
  wave.amplitude = std::sqrt(-2 * std::log(radius) * shape.variance / kWaves);
  wave.phase = 2 * std::numbers::pi * CounterRandomUniform(seed, index, 1);
  return wave;
}

}  // namespace

double StandardNormal(uint64_t seed, uint64_t index, uint64_t lane) {
  const double radius = 1 - CounterRandomUniform(seed, index, 2 * lane);  // Never 0.
  const double angle = 2 * std::numbers::pi * CounterRandomUniform(seed, index, 2 * lane + 1);
  return std::sqrt(-2 * std::log(radius)) * std::cos(angle);
}

std::function<double(RawPoint)> DrawProcess(const ProcessShape& shape, size_t dimension,
                                            uint64_t seed) {
  std::vector<Wave> waves;
  for (uint64_t i = 0; i < kWaves; ++i) {
    waves.push_back(DrawWave(shape, dimension, seed ^ kWaveSalt, i));
  }
  const auto shared = std::make_shared<const std::vector<Wave>>(std::move(waves));
  return [shared](RawPoint x) {
    double sum = 0;
    for (const Wave& wave : *shared) {
      double angle = wave.phase;
      for (size_t i = 0; i < x.size(); ++i) angle += wave.frequency[i] * x[i];
      sum += wave.amplitude * std::cos(angle);
    }
    return sum;
  };
}

std::vector<double> RandomPlace(const SearchSpace& space, uint64_t seed, uint64_t index) {
  std::vector<double> place;
  for (size_t i = 0; i < space.dimension(); ++i) {
    place.push_back(CounterRandomUniform(seed, index, i));
  }
  return place;
}

Configuration RandomConfiguration(const SearchSpace& space, uint64_t seed, uint64_t index) {
  return space.Sample(RandomPlace(space, seed, index));
}

std::vector<Point> RandomInitialPoints(const SearchSpace& space, uint64_t seed) {
  std::vector<Point> points;
  for (uint64_t i = 0; i < kInitialPoints; ++i) {
    points.push_back({RandomConfiguration(space, seed ^ kInitialSalt, i), {}});
  }
  return points;
}

std::vector<size_t> RandomRows(size_t rows, size_t count, uint64_t seed, uint64_t lane) {
  std::vector<size_t> places(rows);
  std::iota(places.begin(), places.end(), size_t{0});
  count = std::min(count, rows);
  for (size_t i = 0; i < count; ++i) {
    const double part = CounterRandomUniform(seed, i, lane);
    std::swap(places[i], places[i + static_cast<size_t>(part * static_cast<double>(rows - i))]);
  }
  places.resize(count);
  return places;
}

void SetRangeByDraws(uint64_t seed, uint64_t points, Problem& problem) {
  double count = 0;
  problem.worst = problem.best;
  problem.mean = 0;
  for (uint64_t i = 0; i < points; ++i) {
    const double value = problem.value({RandomConfiguration(*problem.space, seed, i), {}});
    if (std::isnan(value)) continue;
    problem.worst = std::max(problem.worst, value);
    problem.mean += (value - problem.mean) / ++count;
  }
}

}  // namespace slipstream::evidence
