// Calls as requests, and answers as what clients saw of trials.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDED_CALL_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDED_CALL_H_

#include <cstdint>
#include <string>

#include "slipstream/v1/services.pb.h"
#include "tests/e2e/histories/call.h"

namespace slipstream::histories {

// What an answer shows of a trial. Some answers omit the note, and some the
// configuration, too.
enum class Shown { kOutline, kLeased, kWhole };

// The number in "studies/{study}/trials/{number}"; 0 for an empty name.
int64_t NumberOf(const std::string& trial_name);
TrialSight SightOf(const v1::Trial& trial, Shown shown);
// The same bytes for the same configuration.
std::string TextOf(const v1::Configuration& configuration);

// The request for a call on "studies/...", without a request id.
v1::SuggestRequest SuggestRequestOf(const Call& call, const std::string& study);
v1::ObserveRequest ObserveRequestOf(const Call& call, const std::string& study);
v1::HeartbeatRequest HeartbeatRequestOf(const Call& call, const std::string& study);
v1::ReleaseTrialsRequest ReleaseRequestOf(const Call& call, const std::string& study);
v1::ReportRequest ReportRequestOf(const Call& call, const std::string& study);
v1::UpdateTrialRequest UpdateRequestOf(const Call& call, const std::string& study);
// For a study as ExampleStudy; sets what configuration the call adds.
v1::AddTrialsRequest AddRequestOf(Call& call, const std::string& study, double learning_rate);
v1::GetTrialRequest GetRequestOf(const Call& call, const std::string& study);
v1::ListTrialsRequest ListRequestOf(const std::string& study);

// Take over what was answered.
void Take(const v1::SuggestResponse& response, Call& call);
void Take(const v1::HeartbeatResponse& response, Call& call);
void Take(const v1::ReleaseTrialsResponse& response, Call& call);
void Take(const v1::ReportResponse& response, Call& call);
void Take(const v1::AddTrialsResponse& response, Call& call);
void Take(const v1::ListTrialsResponse& response, Call& call);
// Observe, Update and Get are answered with a trial.
void Take(const v1::Trial& response, Call& call);

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDED_CALL_H_
