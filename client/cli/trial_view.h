// Trials as tables.
#ifndef SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_
#define SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_

#include <string>
#include <vector>

#include "client/cli/session.h"
#include "client/cli/source_titles.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream::cli {

// For example "succeeded".
std::string StateText(v1::Trial::State state);

// How a table shows numbers; in JSON and CSV they are always exact.
enum class Numbers { kRounded, kExact };

// Prints trials in the session's format, with a column for each parameter and
// metric of `study`, with the times of times.h, and with labels and notes where a trial has one. In
// CSV the reason is only what the worker or the server gave, and where a trial was queued again or
// repeats another, columns of their own name the other one; for people that is part of the reason.
void PrintTrials(const v1::Study& study, const std::vector<v1::Trial>& trials, Numbers numbers,
                 Session& session);

// Prints one trial in the same way with rounded numbers; one document in JSON.
void PrintTrial(const v1::Study& study, const v1::Trial& trial, Session& session);

// How long it is until then: "43 min" in tables, otherwise seconds.
std::string LeaseLeft(const google::protobuf::Timestamp& lease_end, Format format);

// Prints all that is known of one trial, with its parameters in the order of `space`; in CSV as a
// table of fields and values, with one of "report at step 3" for each report.
void PrintWholeTrial(const v1::Trial& trial, const v1::SearchSpace& space,
                     const v1::ListReportsResponse& reports, Session& session);

// The full names of the source tasks whose weights people are shown.
std::vector<std::string> HeaviestSources(const v1::Explanation& explanation);

// Prints where a trial came from; in CSV as a table of fields and values. `study` is the trial's:
// its parameters in order, and its source tasks. `titles` may lack some of the heaviest sources.
void PrintExplanation(const v1::Explanation& explanation, const v1::Study& study,
                      const SourceTitles& titles, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_
