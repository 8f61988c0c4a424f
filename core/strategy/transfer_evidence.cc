#include "core/strategy/transfer_evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/gp/normal.h"

namespace slipstream {
namespace {

constexpr absl::string_view kForecasts = "transfer_forecasts";
constexpr size_t kForecastNumbers = 5;

// The part of earlier evidence that is kept at each result, ...
constexpr double kMemory = 0.9;
// ... and the least log density that a result can have: larger surprises say no
// more, and a single one must not decide for ever.
constexpr double kLeastLogDensity = -6;
// The first results were not forecast, so their evidence counts less.
constexpr double kInitialPart = 0.5;
// The most that one result counts in the mean gain, so that a few large ones leave no doubt about
// many small ones of the same sign.
constexpr double kMostGain = 2;
// A model's deviations may be too small or too large by a factor. It is 1 as if so many results had
// shown that, ...
constexpr double kResultsOfFactorOne = 4;
// ... and no result shows more of it than one that is so many deviations off.
constexpr double kMostDeviationsOff = 5;
// A start is taken for better, or for worse, from this probability on.
constexpr double kSureOfStart = 0.975;
// Intervals are of so many results at least.
constexpr size_t kLeastCompared = 4;

struct NotedForecasts {
  ForecastPair forecasts;
  double initial = 0;
  OutputTransform transform;
};

std::optional<NotedForecasts> ForecastsOf(const Notes& notes) {
  const std::vector<double>* numbers = FindNote(notes, kForecasts);
  if (numbers == nullptr || numbers->size() < kForecastNumbers) return {};
  const absl::Span<const double> all(*numbers);
  std::optional<OutputTransform> transform =
      OutputTransform::FromNumbers(all.subspan(kForecastNumbers));
  if (!transform.has_value() || !(all[1] > 0) || !(all[3] > 0)) return {};
  if (std::isnan(all[4])) return {};  // Of a trial that was imported it may be any number.
  return NotedForecasts{{{all[0], all[1]}, {all[2], all[3]}}, all[4], *std::move(transform)};
}

// The forecasts of one model, whose deviations all have an unknown factor. A priori its square is
// scaled inverse chi-squared with 4 degrees of freedom and scale 1. After n results that were z_i
// of the model's deviations off, both discounted, the next one has Student's distribution with
// 4 + n degrees of freedom, and the model's deviation times sqrt((4 + sum z_i^2) / (4 + n))
// (Gelman and others 2013, section 2.6).
class Forecaster {
 public:
  // The logarithm of the result's density as it was forecast; then learns from it.
  double TakeIn(const Forecast& forecast, double value) {
    const double freedom = kResultsOfFactorOne + results_;
    const double factor = std::sqrt((kResultsOfFactorOne + squares_) / freedom);
    const double off = (value - forecast.mean) / forecast.deviation;
    const double density = LogStudentDensity(off / factor, freedom) - std::log(factor) -
                           std::log(forecast.deviation);
    const double counted = std::min(kMostDeviationsOff, std::abs(off));
    results_ = kMemory * results_ + 1;
    squares_ = kMemory * squares_ + counted * counted;
    return std::max(kLeastLogDensity, density);
  }

 private:
  static double LogStudentDensity(double value, double freedom) {
    int sign = 0;  // std::lgamma writes a global variable.
    return lgamma_r((freedom + 1) / 2, &sign) - lgamma_r(freedom / 2, &sign) -
           std::log(freedom * M_PI) / 2 -
           (freedom + 1) / 2 * std::log1p(value * value / freedom);
  }

  double results_ = 0;
  double squares_ = 0;
};

// Whether there are no two different results.
bool AreEqual(absl::Span<const EndedTrial> ended) {
  const EndedTrial* first = nullptr;
  for (const EndedTrial& trial : ended) {
    if (!InformsModels(trial)) continue;
    if (first == nullptr) first = &trial;
    if (*trial.value != *first->value) return false;
  }
  return true;
}

// Judges results one after the other.
class ForecasterPair {
 public:
  // By how much the result was likelier with the sources; none where that was not forecast.
  std::optional<double> GainOf(const EndedTrial& trial) {
    if (!InformsModels(trial)) return {};
    const std::optional<NotedForecasts> noted = ForecastsOf(trial.notes);
    if (!noted.has_value()) return {};
    const double value = noted->transform.Apply(*trial.value);
    return with_sources_.TakeIn(noted->forecasts.with_sources, value) -
           without_sources_.TakeIn(noted->forecasts.without_sources, value);
  }

 private:
  Forecaster with_sources_;
  Forecaster without_sources_;
};

// The 97.5% quantile of Student's distribution (Abramowitz and Stegun 1972, 26.7.5), within 0.1%
// from 4 degrees of freedom on.
double StudentReach(double freedom) {
  const double z = StandardNormalQuantile(0.975);
  const double square = z * z;
  const double first = (square + 1) / 4;
  const double second = ((5 * square + 16) * square + 3) / 96;
  const double third = (((3 * square + 19) * square + 17) * square - 15) / 384;
  const double fourth =
      ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160;
  return z * (1 + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom);
}

absl::string_view NameOf(TransferState state) {
  switch (state) {
    case TransferState::kUnknown:
      return "unknown";
    case TransferState::kHelping:
      return "helping";
    case TransferState::kNeutral:
      return "neutral";
    case TransferState::kHurting:
      return "hurting";
  }
  return "unknown";
}

}  // namespace

Note ForecastNote(const ForecastPair& forecasts, double initial, const OutputTransform& transform) {
  const auto& [without, with] = forecasts;
  Note note{std::string(kForecasts),
            {without.mean, without.deviation, with.mean, with.deviation, initial}};
  const std::vector<double> numbers = transform.Numbers();
  note.values.insert(note.values.end(), numbers.begin(), numbers.end());
  return note;
}

double TransferEvidence::share() const { return 1 / (1 + std::exp(-log_odds)); }

TransferState TransferEvidence::state() const {
  if (results < kLeastCompared || is_constant) return TransferState::kUnknown;
  if (gain_low > 0) return TransferState::kHelping;
  if (gain_high < 0) return TransferState::kHurting;
  if (start.has_value() && start->better > kSureOfStart) return TransferState::kHelping;
  const bool was_worse = start.has_value() && start->worse > kSureOfStart;
  return was_worse ? TransferState::kHurting : TransferState::kNeutral;
}

std::vector<Fact> TransferEvidence::Facts() const {
  std::vector<Fact> facts = {{"transfer", std::string(NameOf(state()))},
                             {"transfer_share", share()},
                             {"transfer_results", static_cast<double>(results)}};
  if (state() != TransferState::kUnknown) {
    facts.push_back({"transfer_gain", gain});
    facts.push_back({"transfer_gain_low", gain_low});
    facts.push_back({"transfer_gain_high", gain_high});
  }
  if (start.has_value() && !is_constant) AppendAll(start->Facts(), facts);
  return facts;
}

TransferEvidence EvidenceOf(absl::Span<const EndedTrial> ended, double initial) {
  TransferEvidence evidence;
  evidence.is_constant = AreEqual(ended);
  evidence.initial = initial;
  for (const EndedTrial& trial : ended) {
    if (const auto noted = ForecastsOf(trial.notes)) {
      evidence.initial = noted->initial;
      break;
    }
  }
  evidence.log_odds =
      kInitialPart * std::clamp(evidence.initial, kLeastLogDensity, -kLeastLogDensity);
  double count = 0;
  double sum = 0;
  double squares = 0;
  const auto add = [&](double times, double gain) {
    const double counted = std::clamp(gain, -kMostGain, kMostGain);
    count += times;
    sum += times * counted;
    squares += times * counted * counted;
  };
  ForecasterPair forecasters;
  size_t before = 0;  // Results before the first forecast.
  for (const EndedTrial& trial : ended) {
    const std::optional<double> gain = forecasters.GainOf(trial);
    if (!gain.has_value()) {
      before += evidence.results == 0 && InformsModels(trial) ? 1 : 0;
      continue;
    }
    ++evidence.results;
    evidence.log_odds = kMemory * evidence.log_odds + *gain;
    add(1, *gain);
  }
  if (evidence.results == 0) return evidence;
  if (before > 0) {
    const auto times = static_cast<double>(before);
    add(times, kInitialPart * evidence.initial / times);
  }
  evidence.gain = sum / count;
  // The variance of gains has a scaled inverse chi-squared distribution a priori, with 1 degree of
  // freedom and scale 1: few equal results are no certainty. The results before the first forecast
  // have one gain in common, so they add one degree of freedom together. The mean gain then has
  // Student's distribution (Gelman and others 2013, section 3.2).
  const auto freedom = static_cast<double>(evidence.results + (before > 0 ? 1 : 0));
  const double variance = (squares - sum * evidence.gain + 1) / freedom;
  const double reach = StudentReach(freedom) * std::sqrt(variance / count);
  evidence.gain_low = evidence.gain - reach;
  evidence.gain_high = evidence.gain + reach;
  return evidence;
}

}  // namespace slipstream
