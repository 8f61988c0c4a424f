#include "tests/evidence/misleading_sources.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>
#include <vector>

#include "core/base/counter_random.h"
#include "core/space/encoded_points.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kIndependentLane = 0x1d9e;
constexpr uint64_t kUnitLane = 0x07175;

std::vector<double*> ValuesOf(SourceTaskData& source) {
  std::vector<double*> values;
  for (SourcePoint& point : source.points) {
    if (point.value.has_value()) values.push_back(&*point.value);
  }
  return values;
}

// The same, the best one first.
std::vector<double*> RankedValuesOf(SourceTaskData& source) {
  std::vector<double*> values = ValuesOf(source);
  const double sign = source.goal == Goal::kMinimize ? 1 : -1;
  std::sort(values.begin(), values.end(),
            [sign](const double* a, const double* b) { return sign * *a < sign * *b; });
  return values;
}

SourceTaskData Negated(SourceTaskData source, uint64_t, uint64_t) {
  for (double* value : ValuesOf(source)) *value = -*value;
  return source;
}

// Where the source does best, it has its median.
SourceTaskData Masked(SourceTaskData source, uint64_t, uint64_t) {
  const std::vector<double*> values = RankedValuesOf(source);
  const double median = *values[values.size() / 2];
  for (size_t i = 0; i < values.size() / 4; ++i) *values[i] = median;
  return source;
}

// A smooth function that has nothing to do with the target's.
SourceTaskData Independent(SourceTaskData source, uint64_t seed, uint64_t place) {
  const auto dimension = source.space->dimension();
  const ProcessShape shape = {ProcessShape::Kernel::kMatern52,
                              0.3 * std::sqrt(static_cast<double>(dimension)), 1};
  const std::function<double(RawPoint)> function =
      DrawProcess(shape, dimension, CounterRandomBits(seed, place, kIndependentLane));
  for (SourcePoint& point : source.points) {
    if (!point.value.has_value()) continue;
    const PointMatrix x = EncodeAll(*source.space, absl::MakeConstSpan(&point.configuration, 1));
    *point.value = function(std::vector<double>(x.data(), x.data() + x.size()));
  }
  return source;
}

// Each source counts in a unit of its own, from another zero.
SourceTaskData Rescaled(SourceTaskData source, uint64_t seed, uint64_t place) {
  const double unit = std::pow(10, 6 * CounterRandomUniform(seed, place, kUnitLane) - 3);
  for (double* value : ValuesOf(source)) *value = unit * (*value + 5);
  return source;
}

// Numbers of half their size: as if a parameter had been written down in another unit. On a
// logarithmic scale it is half of the way from the lower end.
SourceTaskData InOtherUnits(SourceTaskData source, uint64_t, uint64_t) {
  const std::vector<Parameter>& parameters = source.space->parameters();
  for (SourcePoint& point : source.points) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      Value& value = point.configuration.values[i];
      const auto* domain = std::get_if<DoubleDomain>(&parameters[i].domain);
      if (domain == nullptr || !value.active()) continue;
      value = Value::Double(domain->scale == Scale::kLog ? std::sqrt(domain->min * value.number())
                                                         : (domain->min + value.number()) / 2);
    }
  }
  return source;
}

// As if runs that diverged, the worst fifth, had been written down with a penalty.
SourceTaskData Penalised(SourceTaskData source, uint64_t, uint64_t) {
  const std::vector<double*> values = RankedValuesOf(source);
  const double penalty = *values.back() + 1e6 * (*values.back() - *values.front());
  for (size_t i = values.size() - values.size() / 5; i < values.size(); ++i) *values[i] = penalty;
  return source;
}

constexpr Spoiling kSpoilings[] = {
    {"negated", "Its sources' values have the other sign", Negated},
    {"masked", "Its sources' best quarter looks like their median", Masked},
    {"independent", "Its sources are functions that have nothing to do with it", Independent},
    {"rescaled", "Each of its sources has a unit and a zero of its own", Rescaled},
    {"other_units", "Its sources' parameters are written in other units", InOtherUnits},
    {"penalised", "Its sources' worst fifth has got a penalty far behind the others", Penalised},
};

constexpr absl::string_view kDevelopment = "misleading_development";
constexpr absl::string_view kReported = "misleading";

constexpr SpoiledProblem kSpoiled[] = {
    {"branin_family", kDevelopment},
    {"hartmann3_family", kDevelopment},
    {"gaussian_pair", kDevelopment},
    {"svm/pendigits", kDevelopment},
    {"svm/A9A", kDevelopment},
    {"deepar/solar", kDevelopment},
    {"forrester_noisy_family", kDevelopment},
    {"hartmann3_noisy_family", kDevelopment},
    {"quadratic_noisy_family", kDevelopment},
    {"branin_noisy_family", kReported},
    {"hartmann6_noisy_family", kReported},
    {"alpine_noisy_family", kReported},
    {"normal_related_pair", kReported},
    {"bohachevsky_pair", kReported},
    {"svm/abalone", kReported},
    {"svm/W8A", kReported},
    {"svm/spambase", kReported},
    {"deepar/m4-Yearly", kReported},
};

}  // namespace

absl::Span<const Spoiling> Spoilings() { return kSpoilings; }

absl::Span<const SpoiledProblem> SpoiledProblems() { return kSpoiled; }

std::shared_ptr<const SourceTaskData> Spoiled(const Spoiling& spoiling,
                                              const SourceTaskData& source, uint64_t seed,
                                              uint64_t place) {
  return std::make_shared<const SourceTaskData>(spoiling.spoil(source, seed, place));
}

}  // namespace slipstream::evidence
