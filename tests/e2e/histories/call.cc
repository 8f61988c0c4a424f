#include "tests/e2e/histories/call.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slipstream::histories {
namespace {

const char* NameOf(Verb verb) {
  constexpr const char* kNames[] = {"Suggest", "Observe", "Heartbeat", "Release", "Report",
                                    "Update",  "Add",     "Get",       "List",    "lease end"};
  return kNames[static_cast<int>(verb)];
}

const char* NameOf(Answer answer) {
  constexpr const char* kNames[] = {"given", "refused", "not found", "lost"};
  return kNames[static_cast<int>(answer)];
}

std::string Milliseconds(int64_t us) {
  return us == Call::kNever ? "never" : absl::StrCat(us / 1000 % 10'000'000, ".", us / 100 % 10);
}

}  // namespace

std::string TrialSight::Text() const {
  std::string text = absl::StrCat("#", number, " ", v1::Trial::State_Name(state));
  if (!worker.empty()) absl::StrAppend(&text, " by ", worker);
  if (objective.has_value()) absl::StrAppend(&text, " gave ", *objective);
  if (first > 0) absl::StrAppend(&text, " repeats ", first);
  if (next > 0) absl::StrAppend(&text, " repeated by ", next);
  if (report_count > 0) {
    absl::StrAppend(&text, " ", report_count, " reports to ", last_step.value_or(-1), ": ",
                    last_value.value_or(-1));
  }
  if (note.has_value() && !note->empty()) absl::StrAppend(&text, " '", *note, "'");
  if (has_end.value_or(false)) absl::StrAppend(&text, " over");
  return text;
}

std::string Call::Text() const {
  std::string text = absl::StrCat(Milliseconds(start_us), "-", Milliseconds(end_us), " client ",
                                  client, " ", NameOf(verb));
  if (!worker.empty()) absl::StrAppend(&text, " by ", worker);
  if (count > 0) absl::StrAppend(&text, " of ", count);
  if (!numbers.empty()) absl::StrAppend(&text, " #", absl::StrJoin(numbers, " #"));
  if (outcome.has_value()) absl::StrAppend(&text, " ", v1::Trial::State_Name(*outcome));
  if (verb == Verb::kReport) absl::StrAppend(&text, " step ", step);
  if (value.has_value()) absl::StrAppend(&text, " value ", *value);
  if (!note.empty()) absl::StrAppend(&text, " '", note, "'");
  absl::StrAppend(&text, " -> ", NameOf(answer));
  for (const TrialSight& trial : trials) absl::StrAppend(&text, "; ", trial.Text());
  return text;
}

}  // namespace slipstream::histories
