#include "client/cli/study_comparison.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_view.h"
#include "client/cli/times.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of trials after which the best values are compared, ascending.
constexpr int kCheckpoints[] = {10, 25, 50};

struct ComparedStudy {
  v1::Study study;  // What a comparison needs of it.
  std::optional<v1::Trial> best = {};
  // By checkpoint: the best value of that many trials, the first ones with an outcome. Missing
  // where the study has fewer of them, or none of them has succeeded.
  std::map<int, double> best_after = {};
  int ended = 0;  // Trials with an outcome, counted up to the last checkpoint.

  const v1::Metric& metric() const { return study.metrics(0); }
  std::optional<double> ValueOf(const v1::Trial& trial) const {
    const auto& metrics = trial.measurement().metrics();
    const auto found = metrics.find(metric().name());
    if (trial.state() != v1::Trial::SUCCEEDED || found == metrics.end()) return std::nullopt;
    return found->second;
  }
};

absl::StatusOr<ComparedStudy> ReadStudyToCompare(const std::string& name, Session& session) {
  v1::GetStudyRequest request;
  request.set_name(name);
  for (const char* path :
       {"name", "metrics", "space.parameters", "trial_count", "succeeded_trial_count"}) {
    request.mutable_read_mask()->add_paths(path);
  }
  ASSIGN_OR_RETURN(v1::Study study, session.client().GetStudy(request));
  if (study.metrics().empty()) return absl::InternalError(absl::StrCat(name, " has no metric"));
  return ComparedStudy{std::move(study)};
}

// A value that is better for one study may be worse for another one.
absl::Status CheckDirections(const std::vector<ComparedStudy>& studies) {
  const ComparedStudy& first = studies.front();
  for (const ComparedStudy& other : studies) {
    if (other.metric().goal() == first.metric().goal()) continue;
    return UsageError(absl::StrCat("studies of different directions cannot be compared: ",
                                   ShortStudyName(first.study.name()), " is to ",
                                   MetricText(first.metric()), ", and ",
                                   ShortStudyName(other.study.name()), " to ",
                                   MetricText(other.metric())));
  }
  return absl::OkStatus();
}

absl::Status ReadBestValues(ComparedStudy* compared, Session& session) {
  const std::string& name = compared->study.name();
  ASSIGN_OR_RETURN(std::vector<v1::Trial> best, session.client().BestTrials(name));
  if (!best.empty()) compared->best = std::move(best.front());
  v1::ListTrialsRequest request;
  request.set_study(name);
  request.set_page_size(*std::rbegin(kCheckpoints));
  for (const char* path : {"state", "measurement"}) request.mutable_read_mask()->add_paths(path);
  for (const v1::Trial::State state : {v1::Trial::SUCCEEDED, v1::Trial::FAILED,
                                       v1::Trial::INFEASIBLE, v1::Trial::STOPPED}) {
    request.add_states(state);
  }
  const bool up = compared->metric().goal() == v1::Metric::MAXIMIZE;
  std::optional<double> incumbent;
  return session.client().ListAllTrials(std::move(request), [&](const v1::Trial& trial) {
    const std::optional<double> value = compared->ValueOf(trial);
    const bool is_better = value.has_value() && (!incumbent.has_value() ||
                                                 (up ? *value > *incumbent : *value < *incumbent));
    if (is_better) incumbent = value;
    const int count = ++compared->ended;
    const bool is_checkpoint = std::count(std::begin(kCheckpoints), std::end(kCheckpoints), count);
    if (is_checkpoint && incumbent.has_value()) compared->best_after[count] = *incumbent;
    return count < *std::rbegin(kCheckpoints);
  });
}

// The names of the first study's parameters in its order, then those that only others have.
std::vector<std::string> ParametersToCompare(const std::vector<ComparedStudy>& studies) {
  std::vector<std::string> names;
  for (const ComparedStudy& compared : studies) {
    for (const v1::Parameter& parameter : compared.study.space().parameters()) {
      const std::string& name = parameter.name();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// What is compared of a study; the names are the same for all. In CSV they have no spaces, but for
// those of parameters, and what a study does not have is empty; a table says so. A parameter that
// has the name of another field, such as "best", becomes "parameter best".
std::vector<Field> ComparedFields(const ComparedStudy& compared,
                                  const std::vector<std::string>& parameters, Format format) {
  const bool exact = format == Format::kCsv;
  const std::string missing = exact ? "" : "-";
  const auto number = [&](const std::optional<double>& value) {
    if (!value.has_value()) return missing;
    return exact ? FormatNumber(*value) : RoundNumber(*value);
  };
  const std::optional<v1::Trial>& best = compared.best;
  std::vector<Field> fields = {
      {"objective", MetricText(compared.metric())},
      {"trials", absl::StrCat(compared.study.trial_count())},
      {"succeeded", absl::StrCat(compared.study.succeeded_trial_count())},
      {"best", best.has_value() ? number(compared.ValueOf(*best)) : missing},
      {"best trial", best.has_value() ? ShortTrialName(best->name()) : missing}};
  for (const int count : kCheckpoints) {
    const auto found = compared.best_after.find(count);
    const bool is_known = found != compared.best_after.end();
    const bool is_to_come = !exact && compared.ended < count;
    fields.push_back({absl::StrCat("best after ", count),
                      is_to_come ? absl::StrCat("only ", compared.ended, " ended")
                      : is_known ? number(found->second)
                                 : missing});
  }
  std::set<std::string> taken = {"study"};
  for (Field& field : fields) {
    if (exact) field.name = absl::StrReplaceAll(field.name, {{" ", "_"}});
    taken.insert(field.name);
  }
  const v1::Trial none;
  const auto& values = (best.has_value() ? *best : none).configuration().values();
  for (const std::string& parameter : parameters) {
    const auto found = values.find(parameter);
    const std::string text = found == values.end() ? missing
                             : exact               ? FormatValue(found->second)
                                                   : RoundValue(found->second);
    fields.push_back({absl::StrCat(taken.count(parameter) > 0 ? "parameter " : "", parameter),
                      text});
  }
  return fields;
}

Json JsonOfComparison(const std::vector<ComparedStudy>& studies) {
  Json array = Json::array();
  for (const ComparedStudy& compared : studies) {
    Json& json = array.emplace_back();
    json["study"] = compared.study.name();
    json["metric"] = JsonOf(compared.metric());
    json["trials"] = compared.study.trial_count();
    json["succeeded"] = compared.study.succeeded_trial_count();
    json["best"] = nullptr;
    json["bestTrial"] = nullptr;
    if (compared.best.has_value()) {
      if (const auto value = compared.ValueOf(*compared.best)) json["best"] = *value;
      json["bestTrial"] = JsonWithTimes(*compared.best);
    }
    for (const int count : kCheckpoints) {
      const auto found = compared.best_after.find(count);
      json["bestAfter"][absl::StrCat(count)] =
          found == compared.best_after.end() ? Json(nullptr) : Json(found->second);
    }
  }
  return array;
}

// In files a row for each study, as in the list of studies; for people a column, so that the
// studies stand side by side.
Table ComparisonTable(const std::vector<ComparedStudy>& studies, Format format) {
  const std::vector<std::string> parameters = ParametersToCompare(studies);
  Table by_study;
  for (const ComparedStudy& compared : studies) {
    if (by_study.columns.empty()) by_study.columns = {{"study", Align::kLeft, kWhole}};
    std::vector<std::string>& row = by_study.rows.emplace_back();
    row.push_back(ShortStudyName(compared.study.name()));
    for (Field& field : ComparedFields(compared, parameters, format)) {
      if (by_study.rows.size() == 1) by_study.columns.push_back({field.name});
      row.push_back(std::move(field.value));
    }
  }
  if (format == Format::kCsv) return by_study;
  Table side_by_side;
  side_by_side.columns = {{"study", Align::kLeft, kWhole}};
  for (const auto& row : by_study.rows) {
    side_by_side.columns.push_back({row[0], Align::kLeft, kWhole});
  }
  for (size_t i = 1; i < by_study.columns.size(); ++i) {
    std::vector<std::string>& row = side_by_side.rows.emplace_back();
    row.push_back(by_study.columns[i].head);
    for (auto& study : by_study.rows) row.push_back(std::move(study[i]));
  }
  return side_by_side;
}

absl::Status CompareStudies(const std::vector<std::string>& texts, Session& session) {
  if (texts.size() < 2) return UsageError("which studies? Give the names of two or more");
  std::set<std::string> names;
  std::vector<ComparedStudy> studies;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(const std::string name, FullStudyName(text, session.project()));
    if (!names.insert(name).second) {
      return UsageError(absl::StrCat("study ", ShortStudyName(name), " is given twice"));
    }
    ASSIGN_OR_RETURN(studies.emplace_back(), ReadStudyToCompare(name, session));
  }
  RETURN_IF_ERROR(CheckDirections(studies));
  for (ComparedStudy& compared : studies) RETURN_IF_ERROR(ReadBestValues(&compared, session));
  if (session.format() == Format::kJson) {
    session.Print(JsonDocument(JsonOfComparison(studies)));
  } else {
    session.Print(ComparisonTable(studies, session.format()));
  }
  return absl::OkStatus();
}

}  // namespace

void AddStudyComparison(CLI::App* group, Action* chosen) {
  const auto studies = std::make_shared<std::vector<std::string>>();
  CLI::App* const command = group->add_subcommand(
      "compare",
      "Compares studies that have the same goal: their best values, those after the first 10, 25 "
      "and 50 trials that have an outcome, and the best parameters");
  command->add_option("studies", *studies, "Names of the studies, two or more")
      ->required()
      ->type_name("STUDY");
  ChooseAction(command, studies, CompareStudies, chosen);
}

}  // namespace slipstream::cli
