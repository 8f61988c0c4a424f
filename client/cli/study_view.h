// Studies and their spaces as tables.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/session.h"
#include "client/cli/source_titles.h"
#include "client/cli/table.h"
#include "google/protobuf/map.h"
#include "google/protobuf/repeated_field.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

// For example "helping".
std::string TransferStateText(v1::TransferSummary::State state);
// The same of a study, with what TransferText explains: "helping reversed", "helping so far",
// "given up", "helped, then given up", "not used"; empty where nothing is known.
std::string TransferWord(const v1::Study& study);
// "helping; its start was better than one without sources, with a probability of 98%; the model
// with sources counts for 93%, and made a result 1.80 times as likely (1.20 to 2.70), by 12
// results", or why they are not used; empty for a study without sources or trials.
std::string TransferText(const v1::Study& study);
// For example "active".
std::string StateText(v1::Study::State state);
// For example "maximize accuracy".
std::string MetricText(const v1::Metric& metric);
// For example "maximize accuracy, minimize latency".
std::string MetricsText(const google::protobuf::RepeatedPtrField<v1::Metric>& metrics);
// For example "stage=test, team=vision", ordered by key.
std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels);

// A recipe's axes with the names of their ingredients, in the order in which people read them.
std::vector<Field> IngredientsOf(const v1::Recipe& recipe);
// The names and options that the recipe has, for example
// "prior=scaml acquisition=log_ei ucb_multiplier=3".
std::string RecipeText(const v1::Recipe& recipe);

// One row per study; in files with every column, for people with those that tell something.
Table StudiesTable(const std::vector<v1::Study>& studies, Format format);
// One row per parameter.
Table ParametersTable(const v1::SearchSpace& space);

// Prints studies in the session's format, each with its age in JSON.
void PrintStudies(const std::vector<v1::Study>& studies, Session& session);

// How a study stands, as far as it is known.
struct Standing {
  std::optional<v1::Trial> best = {};
  // Trials that did not succeed, or not yet, by their states.
  std::map<v1::Trial::State, int64_t> without_success = {};
  // Of the study's first sources.
  SourceTitles source_titles = {};
};

// The full names of the source tasks that PrintStudy names, those with the largest shares of the
// latest suggestion first; it only counts the others.
std::vector<std::string> FirstSources(const v1::Study& study);

// Prints one study in the session's format, as a table in full and with how it stands.
void PrintStudy(const v1::Study& study, Session& session, const Standing& standing = {});

// Prints what is known of one study without how it stands: its row of StudiesTable, or itself in
// JSON.
void PrintStudyAlone(const v1::Study& study, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_
