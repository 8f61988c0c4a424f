// Whether source tasks help a study, judged by its own results.
//
// A model with the sources and one without both forecast the result of each suggestion. The
// forecasts are noted on the trial, and once it has ended its result tells which of the two was
// nearer: that is out-of-sample evidence. Earlier forecasts show whether a model is too sure of
// itself or not sure enough. Its deviations are corrected by that before it is judged, so the
// models are compared by where they expect results. All of it is a function of the study's history
// alone, so that a restart changes nothing.
#ifndef SLIPSTREAM_CORE_STRATEGY_TRANSFER_EVIDENCE_H_
#define SLIPSTREAM_CORE_STRATEGY_TRANSFER_EVIDENCE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/gp/output_transform.h"
#include "core/strategy/start_comparison.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// A model's normal distribution of a result, noise included.
struct Forecast {
  double mean = 0;
  double deviation = 1;
};

// What the two models expect of one result, on the scale of `transform`.
struct ForecastPair {
  Forecast without_sources;
  Forecast with_sources;
};

// `initial` is TransferEvidence::initial at the time.
Note ForecastNote(const ForecastPair& forecasts, double initial, const OutputTransform& transform);

enum class TransferState { kUnknown, kHelping, kNeutral, kHurting };

struct TransferEvidence {
  // The number of results that were forecast.
  size_t results = 0;
  // Whether all results of the study are equal, so that they tell nothing of the sources.
  bool is_constant = true;
  // The logarithm of how much more the model with sources weighs than the one without.
  // Earlier results count less and less, so that it stays bounded and can turn.
  double log_odds = 0;
  // By how much, in natural logarithms, the results before the first forecast were likelier with
  // the sources. It is noted when the first forecast is made.
  double initial = 0;
  // By how much, in natural logarithms, a result was likelier with the sources, none counting for
  // more than 2 either way: the mean over results, and an interval that has it with a probability
  // of about 95%. Those before the first forecast share half of `initial` equally. How much gains
  // vary is not known from these: they are one number.
  double gain = 0;
  double gain_low = 0;
  double gain_high = 0;
  // What the sources did for the first results, where that is known. EvidenceOf leaves it open.
  std::optional<StartComparison> start = {};

  // The part of the model with sources, from 0 to 1.
  double share() const;
  // Unknown before four forecasts, and while all results are equal. Helping or hurting if the
  // gain's interval excludes 0. If it has 0, the start decides where it was better or worse than
  // starts without sources with a probability of more than 97.5%.
  TransferState state() const;
  std::vector<Fact> Facts() const;
};

// The evidence of the trials in `ended`, which stand in the order of their numbers. `initial`
// counts where no forecast has been noted yet.
TransferEvidence EvidenceOf(absl::Span<const EndedTrial> ended, double initial);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_TRANSFER_EVIDENCE_H_
