#include "core/stopping/stopping_rule.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"
#include "core/stopping/curve.h"
#include "core/stopping/patience.h"
#include "core/stopping/percentile.h"
#include "core/stopping/rungs.h"

namespace slipstream {
namespace {

class NeverStop final : public StoppingRule {
  StoppingAdvice DoAdvise(const StoppingView&) const override {
    return {false, "The study stops no training early."};
  }
};

const StoppingRow kNone = {
    .about = {.name = "none", .summary = "No training run is stopped early"},
    .make = [](const OptionSet&) -> std::unique_ptr<const StoppingRule> {
      return std::make_unique<NeverStop>();
    },
};

absl::StatusOr<const StoppingRow*> RowNamed(absl::string_view name) {
  const StoppingRow* const row = FindRow(StoppingRows(), name);
  if (row != nullptr) return row;
  const auto append_name = [](std::string* out, const StoppingRow* each) {
    absl::StrAppend(out, each->about.name);
  };
  return InvalidField("rule", name,
                      absl::StrCat("one of ", absl::StrJoin(StoppingRows(), ", ", append_name)));
}

std::string OptionsOf(const Choice<StoppingRow>& rule) {
  const std::vector<OptionInfo> infos = rule.options().Infos();
  if (infos.empty()) return absl::StrCat("absent: ", rule.name(), " has no options");
  const auto append_name = [](std::string* out, const OptionInfo& each) {
    absl::StrAppend(out, each.name);
  };
  return absl::StrCat("an option of ", rule.name(), ": ", absl::StrJoin(infos, ", ", append_name));
}

absl::Status SetOption(const std::string& name, double value, Choice<StoppingRow>& rule) {
  const std::string field = absl::StrCat("options[", name, "]");
  for (const OptionInfo& info : rule.options().Infos()) {
    if (info.name != name) continue;
    const bool fits =
        value >= info.least && value <= info.most && (!info.whole || value == std::floor(value));
    if (!fits) {
      return InvalidField(field, FormatNumber(value),
                          absl::StrCat(info.whole ? "a whole number from " : "from ",
                                       FormatNumber(info.least), " to ", FormatNumber(info.most)));
    }
    rule.options().Set(name, value);
    return absl::OkStatus();
  }
  return InvalidField(field, FormatNumber(value), OptionsOf(rule));
}

}  // namespace

StoppingAdvice StoppingRule::Advise(const StoppingView& view) const {
  if (view.running.reports.empty()) return {false, "The trial has reported nothing yet."};
  return DoAdvise(view);
}

absl::Span<const StoppingRow* const> StoppingRows() {
  static constexpr const StoppingRow* kRows[] = {&kNone,     &kMedianRule,    &kPercentileRule,
                                                 &kAshaRule, &kHyperbandRule, &kPatienceRule,
                                                 &kCurveRule};
  return kRows;
}

absl::StatusOr<std::unique_ptr<const StoppingRule>> MakeStoppingRule(
    absl::string_view name, const std::map<std::string, double>& options) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StoppingRow* const row, RowNamed(name));
  Choice<StoppingRow> rule(*row);
  for (const auto& [option, value] : options) {
    SLIPSTREAM_RETURN_IF_ERROR(SetOption(option, value, rule));
  }
  return row->make(rule.options());
}

}  // namespace slipstream
