#include "tests/evidence/minimum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/space/quasi_random.h"

namespace slipstream::evidence {
namespace {

constexpr size_t kScreened = 4096;
constexpr size_t kFollowed = 16;
constexpr uint64_t kScreenSeed = 1;
constexpr double kFirstStep = 0.03;  // As a fraction of a side's length.
constexpr double kLastStep = 1e-9;

using Function = std::function<double(absl::Span<const double>)>;

struct Place {
  double value = 0;
  std::vector<double> x;
};

std::vector<Place> Screen(const Function& function, const std::vector<Bounds>& box) {
  std::vector<Place> places;
  for (std::vector<double>& x : QuasiRandomPoints(box.size(), kScreenSeed, 0, kScreened)) {
    for (size_t i = 0; i < box.size(); ++i) x[i] = box[i].min + x[i] * (box[i].max - box[i].min);
    const double value = function(x);
    places.push_back({value, std::move(x)});
  }
  return places;
}

std::vector<Place> LowestPlaces(const Function& function, const std::vector<Bounds>& box) {
  std::vector<Place> places = Screen(function, box);
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.value < b.value; });
  places.resize(kFollowed);
  return places;
}

// Moves one coordinate by one step if that lowers the value.
bool StepDown(const Function& function, const std::vector<Bounds>& box, double step, Place& place) {
  for (size_t i = 0; i < box.size(); ++i) {
    const double before = place.x[i];
    for (const double direction : {-1.0, 1.0}) {
      const double moved = before + direction * step * (box[i].max - box[i].min);
      place.x[i] = std::clamp(moved, box[i].min, box[i].max);
      const double value = function(place.x);
      if (value < place.value) {
        place.value = value;
        return true;
      }
    }
    place.x[i] = before;
  }
  return false;
}

}  // namespace

double MinimumOf(const Function& function, const std::vector<Bounds>& box) {
  std::vector<Place> places = LowestPlaces(function, box);
  double lowest = places.front().value;
  for (Place& place : places) {
    double step = kFirstStep;
    while (step > kLastStep) {
      if (!StepDown(function, box, step, place)) step /= 2;
    }
    lowest = std::min(lowest, place.value);
  }
  return lowest;
}

double LowestOfSpread(const Function& function, const std::vector<Bounds>& box) {
  return LowestPlaces(function, box).front().value;
}

double MeanOf(const Function& function, const std::vector<Bounds>& box) {
  double sum = 0;
  for (const Place& place : Screen(function, box)) sum += place.value;
  return sum / static_cast<double>(kScreened);
}

}  // namespace slipstream::evidence
