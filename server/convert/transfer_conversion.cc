#include "server/convert/transfer_conversion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "server/convert/study_conversion.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

// Null if the provenance does not say it.
const v1::Provenance::Fact* FindFact(const v1::Provenance& provenance, absl::string_view name) {
  for (const v1::Provenance::Fact& fact : provenance.facts()) {
    if (fact.name() == name) return &fact;
  }
  return nullptr;
}

// 0 where there is none. An imported provenance may say anything.
double NumberOf(const v1::Provenance& provenance, absl::string_view name) {
  const v1::Provenance::Fact* const fact = FindFact(provenance, name);
  return fact == nullptr || !std::isfinite(fact->number()) ? 0 : fact->number();
}

int64_t CountOf(const v1::Provenance& provenance, absl::string_view name) {
  return static_cast<int64_t>(std::clamp(NumberOf(provenance, name), 0.0, 1e15));
}

v1::TransferSummary::Start StartOf(const v1::Provenance& provenance) {
  v1::TransferSummary::Start start;
  start.set_trials(CountOf(provenance, "start_trials"));
  start.set_better(NumberOf(provenance, "start_better"));
  start.set_worse(NumberOf(provenance, "start_worse"));
  return start;
}

// "helping" is HELPING; STATE_UNSPECIFIED for a word that is no state.
v1::TransferSummary::State StateOf(const std::string& word) {
  v1::TransferSummary::State state = v1::TransferSummary::STATE_UNSPECIFIED;
  v1::TransferSummary::State_Parse(absl::AsciiStrToUpper(word), &state);
  return state;
}

}  // namespace

std::optional<v1::TransferSummary> UnusedTransfer(const v1::Study& study) {
  const std::string& preset = study.algorithm().preset();
  const bool has_sources = !study.source_tasks().empty();
  if (!has_sources && preset == kDefaultPreset) return std::nullopt;
  const std::optional<bool> uses_sources = UsesSources(study.algorithm());
  if (!uses_sources.has_value() || *uses_sources == has_sources) return std::nullopt;
  v1::TransferSummary summary;
  summary.set_state(v1::TransferSummary::UNKNOWN);
  summary.set_unused_because(absl::StrCat("the recipe of ", preset,
                                          has_sources
                                              ? " makes no use of source tasks"
                                              : " uses source tasks, and the study has none"));
  return summary;
}

absl::StatusOr<v1::TransferSummary> TransferSummaryOf(
    const v1::Algorithm& algorithm, const std::vector<TrialProvenance>& provenances,
    bool with_shares) {
  const bool learns = LearnsFromSources(algorithm);
  v1::TransferSummary summary;
  bool is_weighed = false;  // Whether a suggestion has told the sources' weights.
  for (const TrialProvenance& each : provenances) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const v1::Provenance provenance,
                                StoredProvenance(each.number, each.provenance));
    // Studies that fill the space at first have no reason for that, and those that do not learn
    // from sources do without them for another one.
    const bool is_without = provenance.rung() == v1::Provenance::WITHOUT_TRANSFER ||
                            (learns && provenance.rung() == v1::Provenance::QUASI_RANDOM);
    summary.set_unused_because(is_without ? provenance.rung_reason() : "");
    const v1::Provenance::Fact* const state = FindFact(provenance, "transfer");
    if (state == nullptr || StateOf(state->text()) == v1::TransferSummary::STATE_UNSPECIFIED) {
      continue;
    }
    const double share = NumberOf(provenance, "transfer_share");
    summary.set_state(StateOf(state->text()));
    summary.set_share(share);
    summary.set_results(CountOf(provenance, "transfer_results"));
    summary.set_gain(NumberOf(provenance, "transfer_gain"));
    summary.set_gain_low(NumberOf(provenance, "transfer_gain_low"));
    summary.set_gain_high(NumberOf(provenance, "transfer_gain_high"));
    // Suggestions in between that do not use the sources say nothing of them.
    const v1::Provenance::Fact* const unused_here = FindFact(provenance, "sources_unused_here");
    if (unused_here == nullptr) {
      *summary.mutable_sources() = provenance.sources();
      summary.set_reversed(FindFact(provenance, "reversed") != nullptr);
      is_weighed = true;
    } else if (!is_weighed) {
      summary.set_unused_because(unused_here->text());
    }
    summary.clear_start();
    if (CountOf(provenance, "start_trials") > 0) *summary.mutable_start() = StartOf(provenance);
    if (!with_shares) continue;
    v1::TransferSummary::Share* const at = summary.add_shares();
    at->set_trial(each.number);
    at->set_share(share);
  }
  const bool is_unweighed = summary.state() == v1::TransferSummary::STATE_UNSPECIFIED;
  if (is_unweighed && !summary.unused_because().empty()) {
    summary.set_state(v1::TransferSummary::UNKNOWN);
  }
  return summary;
}

}  // namespace slipstream
