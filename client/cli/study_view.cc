#include "client/cli/study_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/duration_text.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/source_titles.h"
#include "client/cli/space_grammar.h"
#include "client/cli/times.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWidestDomain = 80;
constexpr int kMostSourcesShown = 8;

// The source tasks' shares of the latest suggestion by their names, of those that have one. Empty
// if no share is known, or if it says nothing, because there is only one source task.
std::map<std::string, double> SharesOf(const v1::Study& study) {
  std::map<std::string, double> shares;
  if (study.source_tasks_size() < 2 || !study.transfer().unused_because().empty()) return shares;
  for (const auto& source : study.transfer().sources()) {
    shares[source.source_task()] = source.weight();
  }
  return shares;
}

// "SVM on digits (497da28ad75f), 8bf396a898b3 and 12 more", each with its share, if any is known:
// "96% SVM on digits (497da28ad75f), 0% 8bf396a898b3".
std::string SourcesText(const v1::Study& study, const SourceTitles& titles) {
  const std::map<std::string, double> shares = SharesOf(study);
  std::vector<std::string> shown;
  for (const std::string& name : FirstSources(study)) {
    const auto share = shares.find(name);
    const double percent = share == shares.end() ? 0 : 100 * share->second;
    shown.push_back((shares.empty() ? "" : absl::StrFormat("%.0f%% ", percent)) +
                    SourceText(name, titles));
  }
  const int others = study.source_tasks_size() - static_cast<int>(shown.size());
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      others > 0 ? absl::StrCat(" and ", others, " more") : "");
}

std::string LeaseText(const v1::LeasePolicy& policy) {
  const absl::Duration duration =
      absl::Seconds(policy.duration().seconds()) + absl::Nanoseconds(policy.duration().nanos());
  if (duration == absl::ZeroDuration()) return "never end";
  const std::string ends = absl::StrCat("end after ", ExactDuration(duration));
  if (policy.max_requeues() == 0) return absl::StrCat(ends, ", then the configuration is dropped");
  return absl::StrCat(ends, ", then the configuration is queued again, at most ",
                      policy.max_requeues(), policy.max_requeues() == 1 ? " time" : " times");
}

std::string StoppingText(const v1::EarlyStopping& stopping) {
  std::string text = stopping.rule();
  const std::map<std::string, double> options(stopping.options().begin(), stopping.options().end());
  for (const auto& [name, value] : options) absl::StrAppend(&text, " ", name, "=", value);
  return text;
}

// Below this share the model with sources is no longer asked.
constexpr double kLeastShare = 0.05;

bool IsGivenUp(const v1::TransferSummary& transfer) {
  return transfer.state() != v1::TransferSummary::UNKNOWN && transfer.share() < kLeastShare;
}

// The state of transfer in a few words; "given up" once the model with sources no longer counts.
std::string TransferStanding(const v1::TransferSummary& transfer) {
  if (!IsGivenUp(transfer)) return TransferStateText(transfer.state());
  const bool helped = transfer.state() == v1::TransferSummary::HELPING;
  return helped ? "helped, then given up" : "given up";
}

// Whether the sources help by the opposite of what they say. A few results can be the opposite by
// chance.
bool HelpsReversed(const v1::TransferSummary& transfer) {
  return transfer.reversed() && transfer.state() == v1::TransferSummary::HELPING;
}

// "helping", with what a reader would not expect of sources that help: that the latest suggestion
// takes the opposite of what they say, or does not use them.
std::string StandingText(const v1::TransferSummary& transfer) {
  std::string text = TransferStanding(transfer);
  if (IsGivenUp(transfer)) return text;
  if (HelpsReversed(transfer)) {
    absl::StrAppend(&text,
                    ", with their signs reversed, as results are the opposite of what the sources "
                    "say (were these recorded with the wrong sign?)");
  }
  if (transfer.sources().empty()) {
    absl::StrAppend(&text,
                    " so far, but the latest suggestion does not use them, as each has a weight of "
                    "0");
  }
  return text;
}

// "its start was better than one without sources, with a probability of 98%".
std::string StartText(const v1::TransferSummary::Start& start) {
  const double surest = std::max(start.better(), start.worse());
  if (surest < 1 - start.better() - start.worse()) {
    return "its start was as good as one without sources";
  }
  return absl::StrFormat("its start was %s than one without sources, with a probability of %s%%",
                         start.better() >= start.worse() ? "better" : "worse",
                         surest > 0.995 ? "over 99" : absl::StrFormat("%.0f", 100 * surest));
}

// "0.93, by digits/3"; empty without a best trial.
std::string BestText(const v1::Study& study, const std::optional<v1::Trial>& best) {
  if (!best.has_value() || study.metrics().empty()) return "";
  const auto& metrics = best->measurement().metrics();
  const auto found = metrics.find(study.metrics(0).name());
  if (found == metrics.end()) return "";
  return absl::StrCat(FormatNumber(found->second), ", by ", ShortTrialName(best->name()));
}

// "9: 5 succeeded, 1 active, 3 failed".
std::string TrialsText(const v1::Study& study, const Standing& standing) {
  std::vector<std::string> parts = {absl::StrCat(study.succeeded_trial_count(), " succeeded")};
  int64_t others = study.trial_count() - study.succeeded_trial_count();
  for (const auto& [state, count] : standing.without_success) {
    const std::string name = absl::AsciiStrToLower(v1::Trial::State_Name(state));
    parts.push_back(absl::StrCat(count, " ", name));
    others -= count;
  }
  if (others > 0) parts.push_back(absl::StrCat(others, others == 1 ? " other" : " others"));
  return absl::StrCat(study.trial_count(), ": ", absl::StrJoin(parts, ", "));
}

std::vector<Field> StudyFields(const v1::Study& study, const Standing& standing) {
  return {
      {"study", ShortStudyName(study.name())},
      {"title", study.display_name()},
      {"state", StateText(study.state())},
      {"objective", MetricsText(study.metrics())},
      {"preset", study.algorithm().preset()},
      {"recipe", RecipeText(study.algorithm().recipe())},
      {"seed", study.has_seed() ? absl::StrCat(study.seed()) : ""},
      {"source tasks", SourcesText(study, standing.source_titles)},
      {"transfer", TransferText(study)},
      {"labels", LabelsText(study.labels())},
      {"leases", LeaseText(study.lease_policy())},
      {"early stopping", StoppingText(study.early_stopping())},
      {"trials", study.trial_count() == 0 ? "0" : TrialsText(study, standing)},
      {"best", BestText(study, standing.best)},
      {"candidates", study.space().has_candidates()
                         ? absl::StrCat(study.space().candidates().configurations_size())
                         : ""},
      {"created", FormatTime(study.create_time())},
      {"settings changed", FormatTime(study.update_time())},
      {"last trial", FormatTime(study.last_trial_time())},
  };
}

std::string ConditionText(const v1::Parameter& parameter) {
  return parameter.has_condition() ? FormatCondition(parameter.condition()) : "";
}

std::string BestValueText(const v1::Study& study, Format format) {
  if (!study.has_best_value()) return "";
  return format == Format::kCsv ? FormatNumber(study.best_value())
                                : RoundNumber(study.best_value());
}

Table StudiesForFiles(const std::vector<v1::Study>& studies) {
  Table table;
  for (const char* head :
       {"study", "state", "objective", "trials", "succeeded", "sources", "transfer", "preset",
        "created", "title", "best", "last_trial", "labels"}) {
    table.columns.push_back({head});
  }
  for (const v1::Study& study : studies) {
    table.rows.push_back(
        {ShortStudyName(study.name()), StateText(study.state()), MetricsText(study.metrics()),
         absl::StrCat(study.trial_count()), absl::StrCat(study.succeeded_trial_count()),
         absl::StrCat(study.source_tasks_size()), TransferWord(study), study.algorithm().preset(),
         FormatTime(study.create_time()), study.display_name(),
         BestValueText(study, Format::kCsv), FormatTime(study.last_trial_time()),
         LabelsText(study.labels())});
  }
  return table;
}

// "20 of 24", or "20" if all trials have succeeded.
std::string SucceededText(const v1::Study& study) {
  const int64_t all = study.trial_count();
  const int64_t succeeded = study.succeeded_trial_count();
  return all == succeeded ? absl::StrCat(all) : absl::StrCat(succeeded, " of ", all);
}

// "3, helping"; empty without sources.
std::string SourcesWord(const v1::Study& study) {
  if (study.source_tasks().empty()) return "";
  const std::string transfer = TransferWord(study);
  return absl::StrCat(study.source_tasks_size(), transfer.empty() ? "" : ", ", transfer);
}

std::string AgeText(const google::protobuf::Timestamp& time) {
  return time.seconds() == 0 ? "" : RoundDuration(Since(time));
}

// A column for people.
struct StudyColumn {
  Column column;
  std::string (*text)(const v1::Study& study);
  bool may_be_missing = false;  // Left out if no study has a text.
};

// Narrow enough for terminals of 100 characters, as long as names and titles are short.
Table StudiesForPeople(const std::vector<v1::Study>& studies) {
  using v1::Study;
  const StudyColumn columns[] = {
      {{"study", Align::kLeft, kWhole}, [](const Study& s) { return ShortStudyName(s.name()); }},
      {{"state"}, [](const Study& s) { return StateText(s.state()); }},
      {{"objective"}, [](const Study& s) { return MetricsText(s.metrics()); }},
      {{"best", Align::kRight}, [](const Study& s) { return BestValueText(s, Format::kTable); }},
      {{"succeeded", Align::kRight}, SucceededText},
      {{"last trial", Align::kRight}, [](const Study& s) { return AgeText(s.last_trial_time()); }},
      {{"age", Align::kRight}, [](const Study& s) { return AgeText(s.create_time()); }},
      {{"sources"}, SourcesWord, true},
      {{"preset"}, [](const Study& s) { return s.algorithm().preset(); }},
      {{"title"}, [](const Study& s) { return s.display_name(); }, true},
      {{"labels"}, [](const Study& s) { return LabelsText(s.labels()); }, true}};
  Table table;
  table.rows.resize(studies.size());
  for (const StudyColumn& each : columns) {
    std::vector<std::string> texts;
    for (const Study& study : studies) texts.push_back(each.text(study));
    const bool any = std::any_of(texts.begin(), texts.end(),
                                 [](const std::string& text) { return !text.empty(); });
    if (each.may_be_missing && !any) continue;
    table.columns.push_back(each.column);
    for (size_t i = 0; i < texts.size(); ++i) table.rows[i].push_back(std::move(texts[i]));
  }
  return table;
}

// The study in JSON with what its fields leave out: the best trial, null without one, and the
// number of trials in each state.
Json JsonWithStanding(const v1::Study& study, const Standing& standing) {
  Json json = JsonWithAge(study, study.create_time());
  json["bestTrial"] = standing.best.has_value() ? JsonWithTimes(*standing.best) : Json(nullptr);
  Json& counts = json["trialsByState"] = Json::object();
  for (int state = v1::Trial::REQUESTED; state <= v1::Trial::WITHDRAWN; ++state) {
    const auto found = standing.without_success.find(static_cast<v1::Trial::State>(state));
    counts[v1::Trial::State_Name(state)] =
        found == standing.without_success.end() ? 0 : found->second;
  }
  counts[v1::Trial::State_Name(v1::Trial::SUCCEEDED)] = study.succeeded_trial_count();
  return json;
}

std::string DomainText(v1::Parameter parameter) {
  parameter.clear_default_value();
  parameter.clear_condition();
  parameter.clear_name();
  return FormatParameter(parameter).substr(1);  // Without the "=" after the name.
}

}  // namespace

std::vector<Field> IngredientsOf(const v1::Recipe& recipe) {
  return {{"prior", recipe.prior()},
          {"calibration", recipe.calibration()},
          {"acquisition", recipe.acquisition()},
          {"initial", recipe.initial()},
          {"exploration", recipe.exploration()}};
}

std::string RecipeText(const v1::Recipe& recipe) {
  std::vector<std::string> parts;
  for (const auto& [axis, name] : WithoutEmpty(IngredientsOf(recipe))) {
    parts.push_back(absl::StrCat(axis, "=", name));
  }
  const std::map<std::string, double> options(recipe.options().begin(), recipe.options().end());
  for (const auto& [name, value] : options) parts.push_back(absl::StrCat(name, "=", value));
  return absl::StrJoin(parts, " ");
}

std::vector<std::string> FirstSources(const v1::Study& study) {
  std::vector<std::string> names(study.source_tasks().begin(), study.source_tasks().end());
  std::map<std::string, double> shares = SharesOf(study);
  std::stable_sort(names.begin(), names.end(), [&shares](const auto& one, const auto& other) {
    return shares[one] > shares[other];
  });
  const bool has_more = names.size() > kMostSourcesShown + 1;  // One more takes no more space.
  if (has_more) names.resize(kMostSourcesShown);
  return names;
}

std::string TransferStateText(v1::TransferSummary::State state) {
  return absl::AsciiStrToLower(v1::TransferSummary::State_Name(state));
}

std::string TransferWord(const v1::Study& study) {
  if (!study.has_transfer() || study.source_tasks().empty()) return "";
  if (!study.transfer().unused_because().empty()) return "not used";
  const v1::TransferSummary& transfer = study.transfer();
  const std::string standing = TransferStanding(transfer);
  if (IsGivenUp(transfer)) return standing;
  return absl::StrCat(standing, HelpsReversed(transfer) ? " reversed" : "",
                      transfer.sources().empty() ? " so far" : "");
}

std::string TransferText(const v1::Study& study) {
  if (!study.has_transfer()) {
    return study.source_tasks().empty() || study.trial_count() == 0
               ? ""
               : "not measured: no suggestion so far has compared a model with the sources to one "
                 "without, as auto does";
  }
  const v1::TransferSummary& transfer = study.transfer();
  if (!transfer.unused_because().empty()) {
    return absl::StrCat("not used: ", transfer.unused_because());
  }
  std::string text = StandingText(transfer);
  if (transfer.has_start()) absl::StrAppend(&text, "; ", StartText(transfer.start()));
  absl::StrAppendFormat(&text, "; the model with sources counts for %.0f%%",
                        100 * transfer.share());
  if (transfer.state() == v1::TransferSummary::UNKNOWN) return text;
  absl::StrAppendFormat(&text,
                        ", and made a result %.2f times as likely (%.2f to %.2f), judging by "
                        "%d results",
                        std::exp(transfer.gain()), std::exp(transfer.gain_low()),
                        std::exp(transfer.gain_high()), transfer.results());
  return text;
}

std::string StateText(v1::Study::State state) {
  return absl::AsciiStrToLower(v1::Study::State_Name(state));
}

std::string MetricText(const v1::Metric& metric) {
  return absl::StrCat(absl::AsciiStrToLower(v1::Metric::Goal_Name(metric.goal())), " ",
                      metric.name(), metric.noise() == v1::Metric::EXACT ? ", exact" : "");
}

std::string MetricsText(const google::protobuf::RepeatedPtrField<v1::Metric>& metrics) {
  return absl::StrJoin(metrics, ", ", [](std::string* out, const v1::Metric& metric) {
    out->append(MetricText(metric));
  });
}

std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels) {
  return absl::StrJoin(std::map<std::string, std::string>(labels.begin(), labels.end()), ", ",
                       absl::PairFormatter("="));
}

Table StudiesTable(const std::vector<v1::Study>& studies, Format format) {
  return format == Format::kCsv ? StudiesForFiles(studies) : StudiesForPeople(studies);
}

Table ParametersTable(const v1::SearchSpace& space) {
  Table table;
  table.columns = {
      {"parameter"}, {"domain", Align::kLeft, kWidestDomain}, {"default"}, {"only where"}};
  for (const v1::Parameter& parameter : space.parameters()) {
    table.rows.push_back({parameter.name(), DomainText(parameter),
                          FormatValue(parameter.default_value()), ConditionText(parameter)});
  }
  return table;
}

void PrintStudies(const std::vector<v1::Study>& studies, Session& session) {
  if (session.format() != Format::kJson) {
    return session.Print(StudiesTable(studies, session.format()));
  }
  Json array = Json::array();
  for (const v1::Study& study : studies) array.push_back(JsonWithAge(study, study.create_time()));
  session.Print(JsonDocument(array));
}

void PrintStudy(const v1::Study& study, Session& session, const Standing& standing) {
  if (session.format() == Format::kJson) {
    return session.Print(JsonDocument(JsonWithStanding(study, standing)));
  }
  if (session.format() == Format::kCsv) return PrintStudyAlone(study, session);
  session.Print(WithoutEmpty(StudyFields(study, standing)));
  session.Print("\n");
  session.Print(ParametersTable(study.space()));
}

void PrintStudyAlone(const v1::Study& study, Session& session) {
  if (session.format() == Format::kJson) {
    return session.Print(JsonDocument(JsonWithAge(study, study.create_time())));
  }
  session.Print(StudiesTable({study}, session.format()));
}

}  // namespace slipstream::cli
