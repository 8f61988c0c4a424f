// Studies and their spaces as tables.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_

#include <string>
#include <vector>

#include "client/cli/session.h"
#include "client/cli/table.h"
#include "google/protobuf/map.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

// "active".
std::string StateText(v1::Study::State state);
// "maximize accuracy".
std::string MetricText(const v1::Metric& metric);
// "stage=test, team=vision", by key.
std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels);

// "scaml map log_ei ucb_multiplier=3": the names and options it has.
std::string RecipeText(const v1::Recipe& recipe);

Table StudiesTable(const std::vector<v1::Study>& studies);
// One row per parameter.
Table ParametersTable(const v1::SearchSpace& space);

// One study in the session's format; in full for people.
void PrintStudy(const v1::Study& study, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_VIEW_H_
