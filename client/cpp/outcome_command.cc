#include "client/cpp/outcome_command.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cpp/overloaded.h"
#include "client/cpp/parameter_text.h"
#include "client/cpp/study_name.h"
#include "slipstream/client_options.h"
#include "slipstream/messages/reason_text.h"

namespace slipstream::client_internal {
namespace {

using client::Outcome;
using client::TrialRecord;

using Words = std::vector<std::string>;

// In quotes, if a shell would take it apart.
std::string QuotedWord(const std::string& word) {
  constexpr absl::string_view kPlain = "_-.,:/@%+=";
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(kPlain, c);
  });
  return is_plain ? word : absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string JoinWords(const Words& words) {
  return absl::StrJoin(words, " ", [](std::string* out, const std::string& word) {
    absl::StrAppend(out, QuotedWord(word));
  });
}

Words Begin(const std::string& address) {
  if (address == kDefaultAddress) return {"slipstream"};
  return {"slipstream", "--address", address};
}

std::string StudyOf(const TrialRecord& trial) {
  return StudyNameOf(trial.name.substr(0, trial.name.find("/trials/"))).Short();
}

// As --set takes it: up to its first "=" that has no backslash before it.
std::string EscapedName(const std::string& name) {
  return absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"=", "\\="}});
}

void AddOutcome(const Outcome& outcome, Words* words) {
  const auto add = [words](const char* flag, const std::string& text) {
    words->insert(words->end(), {flag, text});
  };
  const auto add_value = [&add](std::optional<double> value) {
    if (value.has_value()) add("--value", TextOf(client::Value(*value)));
  };
  std::visit(
      Overloaded{[&](double value) { add_value(value); },
                 [&](const client::Failed& failed) { add("--failed", ReasonText(failed.reason)); },
                 [&](const client::Infeasible& told) {
                   add("--infeasible", ReasonText(told.reason));
                 },
                 [&](const client::Stopped& stopped) {
                   add("--stopped", ReasonText(stopped.reason.value_or("")));
                   add_value(stopped.value);
                 }},
      outcome);
}

bool HasValue(const Outcome& outcome) {
  const auto* const stopped = std::get_if<client::Stopped>(&outcome);
  return stopped != nullptr ? stopped->value.has_value() : std::holds_alternative<double>(outcome);
}

}  // namespace

std::string CommandOf(const Outcome& outcome, const TrialRecord& trial,
                      const std::string& address) {
  Words words = Begin(address);
  words.insert(words.end(), {"observe", absl::StrCat(StudyOf(trial), "/", trial.number)});
  AddOutcome(outcome, &words);
  return JoinWords(words);
}

std::string AddingCommandOf(const Outcome& outcome, const TrialRecord& trial,
                            const std::string& address) {
  if (!HasValue(outcome)) return {};
  Words words = Begin(address);
  words.insert(words.end(), {"trial", "add", StudyOf(trial)});
  for (const auto& [name, value] : trial.params) {
    const auto* const choice = std::get_if<std::string>(&value);
    const std::string text = choice == nullptr ? TextOf(value) : *choice;
    words.insert(words.end(), {"--set", absl::StrCat(EscapedName(name), "=", text)});
  }
  AddOutcome(outcome, &words);
  return JoinWords(words);
}

}  // namespace slipstream::client_internal
