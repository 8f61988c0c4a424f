#include "core/sources/fitted_source.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/calibration/calibration.h"
#include "core/calibration/posterior.h"
#include "core/gp/feasible_surrogate.h"
#include "core/space/candidate_list.h"
#include "core/space/domain_value.h"
#include "core/space/encoded_points.h"
#include "core/space/space_key.h"
#include "core/space/space_mapping.h"

namespace slipstream {
namespace {

// About, with the entry's text and what the map takes for it.
constexpr size_t kBytesOfOutsidePoints = 2 * sizeof(OutsidePoints) + 64;

// One configuration of the study's space with what the source got there.
struct MappedResult {
  Configuration configuration;
  double mean = 0;
  double count = 0;
  bool is_infeasible = false;
};

// The value's number, if it is one.
std::optional<double> NumberIn(const NamedValue& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  if (const int64_t* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

void AddOutsideValue(const NamedValue& value, OutsidePoints& points) {
  const std::optional<double> number = NumberIn(value);
  const bool is_first = ++points.count == 1;
  if (is_first && !number.has_value()) points.text = slipstream::TextOf(value);
  if (!number.has_value()) return;
  points.least = is_first ? *number : std::min(points.least, *number);
  points.most = is_first ? *number : std::max(points.most, *number);
}

class PointCollector {
 public:
  PointCollector(const SourceTaskData& source, const SpaceMapping& mapping)
      : source_(source), mapping_(mapping) {
    // The index points into it.
    results_.reserve(source.points.size());
    counts_.points = source.points.size();
    for (const SourcePoint& point : source.points) Add(point);
  }

  std::vector<MappedResult>& results() { return results_; }
  SourceCounts& counts() { return counts_; }

  // The configurations at which a worker failed, as far as they have a place: one for each failure.
  std::vector<Configuration> Failures() const {
    std::vector<Configuration> failures;
    for (const Configuration* const failed : failed_) {
      std::optional<Configuration> mapped = mapping_.Map(*failed);
      if (mapped.has_value()) failures.push_back(*std::move(mapped));
    }
    return failures;
  }

  // Counts one of these as infeasible from now on, unless it has had a value.
  void AddInfeasible(Configuration configuration) {
    const auto found = index_.find(&configuration);
    const bool is_new = found == index_.end();
    if (!is_new && !results_[static_cast<size_t>(found->second)].is_infeasible) return;
    --counts_.no_result;
    ++counts_.infeasible;
    if (!is_new) return;
    results_.push_back({std::move(configuration), 0, 1, true});
    index_.try_emplace(&results_.back().configuration, static_cast<int64_t>(results_.size()) - 1);
  }

 private:
  void Add(const SourcePoint& point) {
    const bool is_infeasible = point.ending == Ending::kInfeasible;
    const bool is_measured =
        point.ending == Ending::kMeasured && point.value.has_value() && std::isfinite(*point.value);
    if (point.ending == Ending::kFailed) failed_.push_back(&point.configuration);
    if (!is_infeasible && !is_measured) {
      ++counts_.no_result;
      return;
    }
    std::optional<Configuration> mapped = mapping_.Map(point.configuration);
    if (!mapped.has_value()) return AddOutside(point.configuration);
    if (is_infeasible) ++counts_.infeasible;
    const auto found = index_.find(&*mapped);
    if (found == index_.end()) {
      results_.push_back({*std::move(mapped), is_infeasible ? 0 : *point.value, 1, is_infeasible});
      index_.try_emplace(&results_.back().configuration, static_cast<int64_t>(results_.size()) - 1);
      return;
    }
    MappedResult& result = results_[static_cast<size_t>(found->second)];
    if (is_infeasible) return;  // It has had a value here.
    if (result.is_infeasible) {
      result.is_infeasible = false;
      result.count = 0;
      result.mean = 0;
    }
    result.count += 1;
    result.mean += *point.value / result.count - result.mean / result.count;
  }

  void AddOutside(const Configuration& configuration) {
    ++counts_.outside;
    for (const auto& [parameter, namesake] : mapping_.OutsideBy(configuration)) {
      const NamedValue value =
          source_.space->NameValue(namesake, configuration.values[namesake]);
      AddOutsideValue(value, counts_.outside_by[parameter]);
    }
  }

  const SourceTaskData& source_;
  const SpaceMapping& mapping_;
  std::vector<MappedResult> results_;
  std::vector<const Configuration*> failed_;
  ConfigurationIndex index_;
  SourceCounts counts_;
};

// What each result costs; infinite for those without a value.
std::vector<double> CostsOf(const std::vector<MappedResult>& results, Goal goal) {
  std::vector<double> costs;
  for (const MappedResult& result : results) {
    costs.push_back(result.is_infeasible      ? std::numeric_limits<double>::infinity()
                    : goal == Goal::kMinimize ? result.mean
                                              : -result.mean);
  }
  return costs;
}

Smoothness SmoothnessOf(SourceKernel kernel) {
  switch (kernel) {
    case SourceKernel::kMatern52:
      break;
    case SourceKernel::kSquaredExponential:
      return Smoothness::kSquaredExponential;
    case SourceKernel::kMatern12:
      return Smoothness::kMatern12;
    case SourceKernel::kMatern32TimesMatern12:
    case SourceKernel::kMatern32:
      return Smoothness::kMatern32;
  }
  return Smoothness::kMatern52;
}

Model SourceModelOf(const SearchSpace& space, const SourceFitOptions& options) {
  const CoordinateKinds kinds = KindsOf(space);
  ModelOptions first;
  first.smoothness = SmoothnessOf(options.kernel);
  first.lengthscales = options.lengthscales;
  first.given = options.given;
  Model model = DefaultModel(kinds, first);
  if (options.kernel != SourceKernel::kMatern32TimesMatern12) return model;
  std::vector<std::unique_ptr<Kernel>> parts;
  parts.push_back(MakeStationary(Smoothness::kMatern32, kinds, options.lengthscales));
  parts.push_back(MakeStationary(Smoothness::kMatern12, kinds, options.lengthscales));
  const Index count = parts[1]->parameter_count();
  model.kernel = MakeProduct(std::move(parts));
  // The second part's lengthscales as the first's, its amplitude 1.
  std::vector<HyperparameterBelief> second(model.beliefs.begin(), model.beliefs.begin() + count);
  second.front() = {0, 1, 0, 0};
  model.beliefs.insert(model.beliefs.begin() + count, second.begin(), second.end());
  return model;
}

std::string TextOf(const GivenHyperparameters& given) {
  std::string text;
  for (const auto& value :
       {given.lengthscale, given.amplitude, given.noise_deviation, given.mean}) {
    absl::StrAppend(&text, " ", value.has_value() ? absl::StrFormat("%a", *value) : "learnt");
  }
  return text;
}

struct PreparedSource {
  TrainingData data;
  SourceCounts counts;
};

// The largest cost that counts among `costs`, of points `x`, of which infinite ones are no results.
double LargestSourceCost(const std::vector<double>& costs, const PointMatrix& x,
                         const SourceFitOptions& options) {
  // A scale that tasks share is what it is.
  if (options.scale.has_value() || options.reach == 0) {
    return std::numeric_limits<double>::infinity();
  }
  const std::vector<double> weights = CrowdingWeights(x);
  std::vector<double> finite;
  std::vector<double> finite_weights;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (!std::isfinite(costs[i])) continue;
    finite.push_back(costs[i]);
    finite_weights.push_back(weights[i]);
  }
  return LargestCost(finite, finite_weights, options.reach);
}

// As in a study, failures count as infeasible where their places, rather than chance, tell them.
// Those at configurations that have had a value speak for chance.
void AddFailures(const SearchSpace& space, PointCollector& collector) {
  const std::vector<Configuration> failures = collector.Failures();
  if (failures.empty()) return;
  std::vector<Configuration> feasible;
  std::vector<Configuration> infeasible;
  for (const MappedResult& result : collector.results()) {
    (result.is_infeasible ? infeasible : feasible).push_back(result.configuration);
  }
  if (feasible.empty()) return;
  const absl::StatusOr<bool> are_told =
      PlacesTellFailures(KindsOf(space), EncodeAll(space, feasible), EncodeAll(space, infeasible),
                         EncodeAll(space, failures));
  if (!are_told.value_or(false)) return;
  for (const Configuration& failure : failures) collector.AddInfeasible(failure);
}

// Without data where no point has a result and a place.
PreparedSource Prepare(const SourceTaskData& source, const SearchSpace& space,
                       const SpaceMapping& mapping, const SourceFitOptions& options) {
  PointCollector collector(source, mapping);
  AddFailures(space, collector);
  const std::vector<MappedResult>& results = collector.results();
  PreparedSource prepared{{}, collector.counts()};
  const bool is_measured = std::any_of(results.begin(), results.end(),
                                       [](const auto& result) { return !result.is_infeasible; });
  if (!is_measured) return prepared;
  const std::vector<double> all = CostsOf(results, source.goal);
  const std::vector<size_t> kept = BestAndEvenlySpread(all, options.most_points);
  prepared.counts.used = kept.size();
  prepared.counts.thinned = results.size() - kept.size();
  std::vector<Configuration> configurations;
  std::vector<double> costs;
  for (size_t place : kept) {
    configurations.push_back(results[place].configuration);
    costs.push_back(all[place]);
  }
  TrainingData& data = prepared.data;
  data.x = EncodeAll(space, configurations);
  data.y.resize(static_cast<Index>(kept.size()));
  data.repeats.resize(data.y.size());
  const double largest = LargestSourceCost(costs, data.x, options);
  const double sign = source.goal == Goal::kMinimize ? -1 : 1;
  std::vector<double> measured;
  for (double cost : costs) {
    if (!std::isfinite(cost)) continue;
    measured.push_back(-sign * std::min(cost, largest));
    prepared.counts.limited += cost > largest ? 1 : 0;
  }
  const Vector values =
      Eigen::Map<const Vector>(measured.data(), static_cast<Index>(measured.size()));
  const OutputTransform transform = options.scale.has_value()
                                        ? options.scale->WithSign(sign)
                                        : OutputTransform::Fit(options.warp, values, sign);
  const Vector scaled = transform.Apply(values);
  // Equal results have no deviation, and count as if it were 1.
  const bool are_equal = scaled.minCoeff() == scaled.maxCoeff();
  const double worst = scaled.minCoeff() - (are_equal && !options.scale.has_value() ? 1 : 0);
  Index next = 0;
  for (Index i = 0; i < data.y.size(); ++i) {
    const MappedResult& result = results[kept[static_cast<size_t>(i)]];
    data.y[i] = result.is_infeasible ? worst : scaled[next++];
    data.repeats[i] = result.count;
  }
  return prepared;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const FittedSource>> FitSource(const SourceTaskData& source,
                                                              const SearchSpace& space,
                                                              const SourceFitOptions& options,
                                                              Deadline deadline) {
  auto fitted = std::make_shared<FittedSource>();
  fitted->counts.points = source.points.size();
  fitted->own_bytes = sizeof(FittedSource);
  const absl::StatusOr<SpaceMapping> mapping = SpaceMapping::Create(*source.space, space);
  if (!mapping.ok()) {
    fitted->counts.outside = source.points.size();
    return fitted;
  }
  PreparedSource prepared = Prepare(source, space, *mapping, options);
  fitted->counts = prepared.counts;
  fitted->own_bytes += fitted->counts.outside_by.size() * kBytesOfOutsidePoints;
  if (prepared.data.y.size() == 0) return fitted;
  const Model model = SourceModelOf(space, options);
  const auto calibration = MakeMaximumPosterior(QuasiNewtonOptions());
  const TrainingData part =
      EvenlySpread(prepared.data, static_cast<Index>(options.most_calibrated));
  SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated calibrated,
                              calibration->Calibrate(model, {part, 0, deadline}));
  SLIPSTREAM_ASSIGN_OR_RETURN(fitted->model,
                              FitSourceModel(source.name, std::move(prepared.data), model.kernel,
                                             std::move(calibrated.members.front())));
  return fitted;
}

std::shared_ptr<const FittedSource> UnfittableSource(const SourceTaskData& source) {
  auto fitted = std::make_shared<FittedSource>();
  fitted->fit_failed = true;
  fitted->counts.points = source.points.size();
  fitted->own_bytes = sizeof(FittedSource);
  return fitted;
}

size_t FittedSource::bytes() const {
  return own_bytes + (model == nullptr ? 0 : MemoryBytes(*model));
}

std::string SourceLibrary::KeyOf(const SourceTaskData& source, const SearchSpace& space,
                                 const SourceFitOptions& options) {
  return absl::StrCat(source.name, "\n", source.points.size(), "\n",
                      static_cast<int>(options.kernel), " ", static_cast<int>(options.lengthscales),
                      " ", static_cast<int>(options.warp), " ", options.most_points, " ",
                      options.most_calibrated, " ",
                      options.scale.has_value() ? options.scale->Text() : "own", " ",
                      options.reach, " ", TextOf(options.given), "\n", SpaceKeyOf(space));
}

SourceLibrary::SourceLibrary(size_t bytes)
    : memo_(bytes, {[](const std::string& key, const FittedSource& source) {
                      return source.bytes() + key.size();
                    },
                    [](const FittedSource& source) {
                      if (source.model != nullptr) source.model->cache->Clear();
                    }}) {}

absl::StatusOr<std::shared_ptr<const FittedSource>> SourceLibrary::Get(
    const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
    const SourceFitOptions& options) {
  const auto fit = [&]() -> absl::StatusOr<std::shared_ptr<const FittedSource>> {
    auto fitted = FitSource(*source, space, options, Deadline::Infinite());
    return fitted.ok() ? *std::move(fitted) : UnfittableSource(*source);
  };
  return memo_.Get(KeyOf(*source, space, options), fit);
}

}  // namespace slipstream
