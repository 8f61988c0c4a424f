#include "client/cli/trial_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/cli/duration_text.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/study_view.h"
#include "client/cli/times.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWidestReason = 60;

bool IsNumeric(const v1::Parameter& parameter) {
  return !parameter.has_categorical_domain() && !parameter.has_boolean_domain();
}

std::string ValueText(const v1::Trial& trial, const std::string& parameter, Numbers numbers) {
  const auto found = trial.configuration().values().find(parameter);
  if (found == trial.configuration().values().end()) return "";
  return numbers == Numbers::kExact ? FormatValue(found->second) : RoundValue(found->second);
}

std::string MeasuredText(const v1::Trial& trial, const std::string& metric, Numbers numbers) {
  const auto found = trial.measurement().metrics().find(metric);
  if (found == trial.measurement().metrics().end()) return "";
  return numbers == Numbers::kExact ? FormatNumber(found->second) : RoundNumber(found->second);
}

std::string DurationText(absl::Duration duration, Format format) {
  return format == Format::kTable ? RoundDuration(duration) : FormatNumber(ExactSeconds(duration));
}

// In tables only what some trial has; in CSV every column, in seconds.
void AddTimes(const std::vector<v1::Trial>& trials, Format format, Table* table) {
  for (const TrialTime& column : kTrialTimes) {
    const bool any = std::any_of(trials.begin(), trials.end(), [&column](const v1::Trial& trial) {
      return column.of(trial).has_value();
    });
    if (format == Format::kTable && !any) continue;
    table->columns.push_back({column.head, Align::kRight});
    for (size_t i = 0; i < trials.size(); ++i) {
      const Took took = column.of(trials[i]);
      table->rows[i].push_back(took.has_value() ? DurationText(*took, format) : "");
    }
  }
}

// A column of texts, only where some trial has one.
void AddTexts(const std::string& head, const std::vector<v1::Trial>& trials,
              const std::function<std::string(const v1::Trial&)>& text_of, Table* table) {
  std::vector<std::string> texts;
  for (const v1::Trial& trial : trials) texts.push_back(text_of(trial));
  const bool any = std::any_of(texts.begin(), texts.end(),
                               [](const std::string& text) { return !text.empty(); });
  if (!any) return;
  table->columns.push_back({head});
  for (size_t i = 0; i < texts.size(); ++i) table->rows[i].push_back(std::move(texts[i]));
}

// Gives each column of a file a name of its own: a metric with a parameter's name is
// "measured NAME", and where one of the two is called "state", the trial's is "trial_state". The
// prefix is repeated as long as the name is taken.
void TellApart(const v1::Study& study, Table* table) {
  const size_t first = 2;  // After "trial" and "state".
  const size_t first_metric = first + static_cast<size_t>(study.space().parameters_size());
  const size_t first_after = first_metric + static_cast<size_t>(study.metrics_size());
  std::set<std::string> taken;
  const auto take = [&](size_t begin, size_t end, absl::string_view prefix) {
    for (size_t i = begin; i < end; ++i) {
      std::string& head = table->columns[i].head;
      while (!taken.insert(head).second) head = absl::StrCat(prefix, head);
    }
  };
  take(first, first_metric, "");
  take(first_metric, first_after, "measured ");
  take(0, first, "trial_");
  take(first_after, table->columns.size(), "trial_");
}

// The worker's or the server's words; for people, of a STALE trial without any, that it has no
// lease any more.
std::string ReasonOf(const v1::Trial& trial, Format format) {
  const bool is_stale = trial.state() == v1::Trial::STALE;
  const bool says_it = format == Format::kTable && is_stale && trial.reason().empty();
  return says_it ? "lease ran out" : trial.reason();
}

// The trials of the same configuration that came after this one and before it, if any.
std::string RequeuedAs(const v1::Trial& trial) {
  return trial.requeued_as().empty() ? "" : ShortTrialName(trial.requeued_as());
}

std::string RequeueOf(const v1::Trial& trial) {
  return trial.requeue_of().empty() ? "" : ShortTrialName(trial.requeue_of());
}

// For people the reason and those links: "lease ran out; again as digits/9", "again for digits/3".
// In files the reason alone.
std::string ReasonWithLinks(const v1::Trial& trial, Format format) {
  const std::string reason = ReasonOf(trial, format);
  if (format == Format::kCsv) return reason;
  std::vector<std::string> parts;
  if (!reason.empty()) parts.push_back(reason);
  if (!trial.requeued_as().empty()) parts.push_back("again as " + RequeuedAs(trial));
  if (!trial.requeue_of().empty()) parts.push_back("again for " + RequeueOf(trial));
  return absl::StrJoin(parts, "; ");
}

Table TrialsTable(const v1::Study& study, const std::vector<v1::Trial>& trials, Numbers numbers,
                  Format format) {
  Table table;
  table.columns = {{"trial", Align::kLeft, kWhole}, {"state"}};
  for (const v1::Parameter& parameter : study.space().parameters()) {
    table.columns.push_back(
        {parameter.name(), IsNumeric(parameter) ? Align::kRight : Align::kLeft});
  }
  for (const v1::Metric& metric : study.metrics()) {
    table.columns.push_back({metric.name(), Align::kRight});
  }
  table.columns.push_back({"worker"});
  table.columns.push_back({"reason", Align::kLeft, kWidestReason});
  for (const v1::Trial& trial : trials) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {ShortTrialName(trial.name()), StateText(trial.state())};
    for (const v1::Parameter& parameter : study.space().parameters()) {
      row.push_back(ValueText(trial, parameter.name(), numbers));
    }
    for (const v1::Metric& metric : study.metrics()) {
      row.push_back(MeasuredText(trial, metric.name(), numbers));
    }
    row.push_back(trial.worker());
    row.push_back(ReasonWithLinks(trial, format));
  }
  AddTimes(trials, format, &table);
  AddTexts(
      "labels", trials, [](const v1::Trial& trial) { return LabelsText(trial.labels()); }, &table);
  AddTexts(
      "note", trials, [](const v1::Trial& trial) { return trial.note(); }, &table);
  if (format == Format::kCsv) {
    AddTexts("requeued_as", trials, RequeuedAs, &table);
    AddTexts("requeue_of", trials, RequeueOf, &table);
    TellApart(study, &table);
  }
  return table;
}

Numbers NumbersFor(Format format, Numbers in_tables) {
  return format == Format::kTable ? in_tables : Numbers::kExact;
}

void AppendTo(std::vector<Field>* fields, const std::vector<Field>& more) {
  fields->insert(fields->end(), more.begin(), more.end());
}

// The values of its parameters in the order of those that are given, others by name after them.
std::vector<Field> ConfigurationFields(const v1::Trial& trial, const v1::SearchSpace& space) {
  std::vector<Field> fields;
  const auto& values = trial.configuration().values();
  std::map<std::string, v1::ParameterValue> left(values.begin(), values.end());
  for (const v1::Parameter& parameter : space.parameters()) {
    const auto found = left.find(parameter.name());
    if (found == left.end()) continue;
    fields.push_back({found->first, FormatValue(found->second)});
    left.erase(found);
  }
  for (const auto& [name, value] : left) fields.push_back({name, FormatValue(value)});
  return fields;
}

std::vector<Field> TrialFields(const v1::Trial& trial, const v1::SearchSpace& space,
                               Format format) {
  std::vector<Field> fields = {{"trial", ShortTrialName(trial.name())},
                               {"state", StateText(trial.state())}};
  AppendTo(&fields, ConfigurationFields(trial, space));
  const auto& metrics = trial.measurement().metrics();
  for (const auto& [name, value] : std::map<std::string, double>(metrics.begin(), metrics.end())) {
    fields.push_back({absl::StrCat("measured ", name), FormatNumber(value)});
  }
  if (!trial.worker().empty()) fields.push_back({"worker", trial.worker()});
  const std::string reason = ReasonOf(trial, format);
  if (!reason.empty()) fields.push_back({"reason", reason});
  if (!trial.requeue_of().empty()) fields.push_back({"repeats", RequeueOf(trial)});
  return fields;
}

std::string ProcessText(const v1::WorkerProcess& process) {
  if (process.process_id() == 0) return process.host();
  return absl::StrCat(process.host(), process.host().empty() ? "" : ", ", "process ",
                      process.process_id());
}

// Further fields of a trial that is shown alone; some may be empty.
std::vector<Field> LifeFields(const v1::Trial& trial, Format format) {
  std::vector<Field> fields = {
      {"runs on", ProcessText(trial.worker_process())},
      {"queued again as", RequeuedAs(trial)},
      {"created", FormatTime(trial.create_time())},
      {"leased", FormatTime(trial.start_time())},
      {"lease ends", FormatTime(trial.lease_end_time())},
      {"ended", FormatTime(trial.end_time())},
  };
  for (const TrialTime& time : kTrialTimes) {
    const Took took = time.of(trial);
    if (took.has_value()) fields.push_back({time.head, DurationText(*took, format)});
  }
  fields.push_back({"labels", LabelsText(trial.labels())});
  fields.push_back({"note", trial.note()});
  if (trial.report_count() > 0) fields.push_back({"reports", absl::StrCat(trial.report_count())});
  return fields;
}

// The steps that were reported, with what was measured.
std::vector<Field> ReportFields(const v1::ListReportsResponse& reports, Format format) {
  std::vector<Field> fields;
  for (const v1::StepMeasurement& report : reports.reports()) {
    std::string value;
    for (const auto& [metric, number] : report.measurement().metrics()) {
      value = format == Format::kTable ? RoundNumber(number) : FormatNumber(number);
    }
    fields.push_back({absl::StrCat(report.step()), std::move(value)});
  }
  return fields;
}

Table ReportsTable(const std::vector<Field>& reports) {
  Table table;
  table.columns = {{"step", Align::kRight}, {"value", Align::kRight}};
  for (const Field& report : reports) table.rows.push_back({report.name, report.value});
  return table;
}

// Whether the algorithm took a point without any results, by which a model could be made.
bool IsBeforeModels(const v1::Provenance& provenance) {
  return provenance.preset() != "quasi_random" && provenance.facts_size() == 1 &&
         provenance.facts(0).name() == "sobol_index";
}

std::string RungText(const v1::Provenance& provenance) {
  const std::string reason =
      provenance.rung_reason().empty() ? "" : absl::StrCat(": ", provenance.rung_reason());
  switch (provenance.rung()) {
    case v1::Provenance::RECIPE:
      if (!IsBeforeModels(provenance)) return "the study's algorithm";
      return "the study's algorithm, as one of its first points, which fill the space evenly until "
             "there are results enough for a model";
    case v1::Provenance::WITHOUT_TRANSFER:
      return absl::StrCat("the study's algorithm without its source tasks", reason);
    case v1::Provenance::QUASI_RANDOM:
      return absl::StrCat("quasi-random points that fill the space evenly", reason);
    default:
      return "unknown";
  }
}

// "lr=0.3 layers=1.2" for "0.3 1.2". One for all parameters stays a number.
std::string LengthscalesText(const std::string& text, const v1::SearchSpace& space) {
  std::vector<std::string> parts = absl::StrSplit(text, ' ');
  if (static_cast<int>(parts.size()) != space.parameters_size()) return text;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = absl::StrCat(space.parameters(static_cast<int>(i)).name(), "=", parts[i]);
  }
  return absl::StrJoin(parts, " ");
}

// A prior is made of source tasks, and without any there is none.
std::string RecipeOf(const std::string& text, const v1::Study& study) {
  constexpr absl::string_view kPrior = "prior ";
  const bool has_prior = absl::StartsWith(text, kPrior) && !absl::StartsWith(text, "prior none");
  if (!has_prior || !study.source_tasks().empty()) return text;
  const size_t end = std::min(text.find(','), text.size());
  return absl::StrCat("prior none (the study has no source tasks, which ",
                      text.substr(kPrior.size(), end - kPrior.size()), " needs)",
                      text.substr(end));
}

std::string FactText(const v1::Provenance::Fact& fact, const v1::Study& study, Format format) {
  if (fact.has_number()) {
    return format == Format::kTable ? RoundNumber(fact.number()) : FormatNumber(fact.number());
  }
  if (fact.name() == "lengthscales") return LengthscalesText(fact.text(), study.space());
  if (fact.name() == "recipe") return RecipeOf(fact.text(), study);
  if (fact.name() == "contrast") {
    return "this point only fills the space evenly: its result, far from where the models would "
           "have looked, tells whether the source tasks are right about this study";
  }
  return fact.text();
}

// People see the heaviest ones, rounded.
constexpr int kMostWeightsShown = 8;

int ShownWeights(const v1::Provenance& provenance, Format format) {
  const int count = provenance.sources_size();
  return format == Format::kTable && count > kMostWeightsShown + 1 ? kMostWeightsShown : count;
}

std::vector<Field> WeightFields(const v1::Provenance& provenance, const SourceTitles& titles,
                                Format format) {
  std::vector<Field> fields;
  const int count = provenance.sources_size();
  const int shown = ShownWeights(provenance, format);
  for (int i = 0; i < shown; ++i) {
    const auto& source = provenance.sources(i);
    const std::string name = SourceText(source.source_task(), titles);
    if (format == Format::kTable) {
      fields.push_back({"source weight", absl::StrCat(RoundNumber(source.weight()), " ", name)});
    } else {
      fields.push_back({absl::StrCat("weight of ", name), FormatNumber(source.weight())});
    }
  }
  double others = 0;
  for (int i = shown; i < count; ++i) others += provenance.sources(i).weight();
  if (shown < count) {
    fields.push_back({"source weight", absl::StrCat(RoundNumber(others), " of ", count - shown,
                                                    " others in total")});
  }
  return fields;
}

std::vector<Field> ProvenanceFields(const v1::Provenance& provenance, const SourceTitles& titles,
                                    Format format) {
  std::vector<Field> fields = {
      {"preset", provenance.preset()},
      {"server version", provenance.version()},
      {"seed", absl::StrCat(provenance.seed())},
      {"last trial seen", absl::StrCat(provenance.last_trial_seen())},
      {"suggested by", RungText(provenance)},
  };
  AppendTo(&fields, WeightFields(provenance, titles, format));
  return fields;
}

std::vector<Field> FactFields(const v1::Provenance& provenance, const v1::Study& study,
                              Format format) {
  std::vector<Field> fields;
  for (const auto& fact : provenance.facts()) {
    fields.push_back({fact.name(), FactText(fact, study, format)});
  }
  return fields;
}

Table FactsTable(const v1::Explanation& explanation, const v1::Study& study) {
  Table table;
  table.columns = {{"fact", Align::kLeft, kWhole},
                   {"value", Align::kLeft, kSentences},
                   {"what it says", Align::kLeft, kSentences}};
  for (const Field& fact : FactFields(explanation.provenance(), study, Format::kTable)) {
    const auto meaning = explanation.fact_meanings().find(fact.name);
    table.rows.push_back({fact.name, fact.value,
                          meaning == explanation.fact_meanings().end() ? "" : meaning->second});
  }
  return table;
}

std::vector<Field> ExplanationFields(const v1::Explanation& explanation, const v1::Study& study,
                                     const SourceTitles& titles, Format format) {
  std::vector<Field> fields = TrialFields(explanation.trial(), study.space(), format);
  if (!explanation.has_provenance()) {
    fields.push_back({"suggested by", "nobody: a person added the trial"});
    return fields;
  }
  AppendTo(&fields, ProvenanceFields(explanation.provenance(), titles, format));
  return fields;
}

// The trial's name and state, then its configuration, come first. A parameter that has the name of
// another field, such as "seed", becomes "parameter seed".
void TellApart(const v1::Trial& trial, std::vector<Field>* fields) {
  const size_t first = 2;
  const size_t end = first + trial.configuration().values().size();
  std::set<std::string> others;
  for (size_t i = 0; i < fields->size(); ++i) {
    if (i < first || i >= end) others.insert((*fields)[i].name);
  }
  for (size_t i = first; i < end; ++i) {
    std::string& name = (*fields)[i].name;
    if (others.count(name) > 0) name = absl::StrCat("parameter ", name);
  }
}

Table FieldsTable(const std::vector<Field>& fields) {
  Table table;
  table.columns = {{"field"}, {"value"}};
  for (const Field& field : fields) table.rows.push_back({field.name, field.value});
  return table;
}

}  // namespace

std::string StateText(v1::Trial::State state) {
  return absl::AsciiStrToLower(v1::Trial::State_Name(state));
}

void PrintTrials(const v1::Study& study, const std::vector<v1::Trial>& trials, Numbers numbers,
                 Session& session) {
  if (session.format() == Format::kJson) {
    Json array = Json::array();
    for (const v1::Trial& trial : trials) array.push_back(JsonWithTimes(trial));
    return session.Print(JsonDocument(array));
  }
  session.Print(
      TrialsTable(study, trials, NumbersFor(session.format(), numbers), session.format()));
}

void PrintTrial(const v1::Study& study, const v1::Trial& trial, Session& session) {
  if (session.format() == Format::kJson) {
    return session.Print(JsonDocument(JsonWithTimes(trial)));
  }
  session.Print(TrialsTable(study, {trial}, NumbersFor(session.format(), Numbers::kRounded),
                            session.format()));
}

std::string LeaseLeft(const google::protobuf::Timestamp& lease_end, Format format) {
  return DurationText(Until(lease_end), format);
}

void PrintWholeTrial(const v1::Trial& trial, const v1::SearchSpace& space,
                     const v1::ListReportsResponse& reports, Session& session) {
  if (session.format() == Format::kJson) {
    Json document = JsonWithTimes(trial);
    document.update(JsonOf(reports));
    return session.Print(JsonDocument(document));
  }
  std::vector<Field> fields = TrialFields(trial, space, session.format());
  AppendTo(&fields, WithoutEmpty(LifeFields(trial, session.format())));
  const std::vector<Field> steps = ReportFields(reports, session.format());
  if (session.format() == Format::kCsv) {
    for (const Field& step : steps) {
      fields.push_back({absl::StrCat("report at step ", step.name), step.value});
    }
  }
  TellApart(trial, &fields);
  if (session.format() == Format::kCsv) return session.Print(FieldsTable(fields));
  session.Print(fields);
  if (steps.empty()) return;
  session.Print("\n");
  session.Print(ReportsTable(steps));
}

std::vector<std::string> HeaviestSources(const v1::Explanation& explanation) {
  const auto& sources = explanation.provenance().sources();
  const int shown = ShownWeights(explanation.provenance(), Format::kTable);
  std::vector<std::string> names;
  for (int i = 0; i < shown; ++i) names.push_back(sources[i].source_task());
  return names;
}

void PrintExplanation(const v1::Explanation& explanation, const v1::Study& study,
                      const SourceTitles& titles, Session& session) {
  if (session.format() == Format::kJson) {
    Json document = JsonOf(explanation);
    document["trial"] = JsonWithTimes(explanation.trial());
    return session.Print(JsonDocument(document));
  }
  std::vector<Field> fields = ExplanationFields(explanation, study, titles, session.format());
  if (session.format() == Format::kCsv) {
    AppendTo(&fields, FactFields(explanation.provenance(), study, Format::kCsv));
  }
  TellApart(explanation.trial(), &fields);
  if (session.format() == Format::kCsv) return session.Print(FieldsTable(fields));
  session.Print(fields);
  if (explanation.provenance().facts().empty()) return;
  session.Print("\n");
  session.Print(FactsTable(explanation, study));
}

}  // namespace slipstream::cli
