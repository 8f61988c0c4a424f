#include "tests/e2e/histories/recording_client.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/messages.h"

namespace slipstream::histories {
namespace {

constexpr std::chrono::seconds kPatience(20);
constexpr State kOutcomes[] = {v1::Trial::SUCCEEDED, v1::Trial::SUCCEEDED,  v1::Trial::SUCCEEDED,
                               v1::Trial::FAILED,    v1::Trial::INFEASIBLE, v1::Trial::STOPPED};

// By the clock that the server's events tell.
int64_t NowUs() { return absl::GetCurrentTimeNanos() / 1000; }

bool IsLoss(grpc::StatusCode code) {
  return code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::DEADLINE_EXCEEDED ||
         code == grpc::StatusCode::CANCELLED || code == grpc::StatusCode::ABORTED;
}

}  // namespace

void CallCounts::Add(const CallCounts& other) {
  calls += other.calls;
  refused += other.refused;
  lost += other.lost;
  retries += other.retries;
  given_up += other.given_up;
  late += other.late;
}

RecordingClient::RecordingClient(CrashingServer* server, int client, std::string worker,
                                 unsigned seed)
    : server_(*server), client_(client), worker_(std::move(worker)), random_(seed) {}

void RecordingClient::CallOnce(const std::string& study) {
  const Known& known = known_[study];
  const int kind = Below(100);
  if (kind < 28 || known.states.empty()) {
    Suggest(study);
  } else if (kind < 52) {
    Observe(study, known);
  } else if (kind < 58) {
    Heartbeat(study, known);
  } else if (kind < 68) {
    Release(study, known);
  } else if (kind < 78) {
    Report(study, known);
  } else if (kind < 82) {
    Update(study, known);
  } else if (kind < 88) {
    Add(study);
  } else if (kind < 94) {
    Get(study, known);
  } else {
    Repeat(study, Begin(Verb::kList), &Stub::ListTrials, ListRequestOf(study));
  }
}

void RecordingClient::ReadAll(const std::string& study) {
  Call call = Begin(Verb::kList);
  const v1::ListTrialsRequest request = ListRequestOf(study);
  while (!Attempt(call, &Stub::ListTrials, request)) call.start_us = NowUs();
  Keep(study, std::move(call));
}

int64_t RecordingClient::AnyTrial(const Known& known) {
  return 1 + Below(static_cast<int>(known.states.rbegin()->first) + 1);
}

int64_t RecordingClient::MyTrial(const Known& known) {
  if (known.mine.empty() || Below(8) == 0) return AnyTrial(known);
  return known.mine[known.mine.size() - 1 - static_cast<size_t>(Below(2)) % known.mine.size()];
}

void RecordingClient::Suggest(const std::string& study) {
  Call call = Begin(Verb::kSuggest);
  call.worker = worker_;
  call.count = 1 + Below(3) / 2;
  v1::SuggestRequest request = SuggestRequestOf(call, study);
  Guard(study, std::move(call), &Stub::Suggest, std::move(request));
}

void RecordingClient::Observe(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kObserve);
  call.numbers = {MyTrial(known)};
  call.outcome = kOutcomes[Below(6)];
  if (call.outcome == v1::Trial::SUCCEEDED ||
      (call.outcome == v1::Trial::STOPPED && Below(2) == 0)) {
    call.value = Below(3);
  }
  const auto state = known.states.find(call.numbers.front());
  if (state != known.states.end() && state->second == v1::Trial::STALE) ++counts_.late;
  v1::ObserveRequest request = ObserveRequestOf(call, study);
  Guard(study, std::move(call), &Stub::Observe, std::move(request));
}

void RecordingClient::Heartbeat(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kHeartbeat);
  call.worker = worker_;
  if (Below(2) == 0) call.numbers = {MyTrial(known)};
  Repeat(study, call, &Stub::Heartbeat, HeartbeatRequestOf(call, study));
}

void RecordingClient::Release(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kRelease);
  const int kind = Below(3);
  if (kind > 0) call.worker = worker_;
  if (kind < 2) call.numbers = {MyTrial(known)};
  v1::ReleaseTrialsRequest request = ReleaseRequestOf(call, study);
  Guard(study, std::move(call), &Stub::ReleaseTrials, std::move(request));
}

void RecordingClient::Report(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kReport);
  call.numbers = {MyTrial(known)};
  call.step = Below(3);
  call.value = Below(5);
  Repeat(study, call, &Stub::Report, ReportRequestOf(call, study));
}

void RecordingClient::Update(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kUpdate);
  call.numbers = {AnyTrial(known)};
  call.note = absl::StrCat("note ", client_, " ", requests_);
  v1::UpdateTrialRequest request = UpdateRequestOf(call, study);
  Guard(study, std::move(call), &Stub::UpdateTrial, std::move(request));
}

void RecordingClient::Add(const std::string& study) {
  Call call = Begin(Verb::kAdd);
  if (Below(3) == 0) {
    call.outcome = v1::Trial::SUCCEEDED;
    call.value = Below(3);
  }
  // Each configuration is added once.
  const double learning_rate = 1e-4 * (1 + client_) + 1e-7 * static_cast<double>(requests_ % 1000);
  v1::AddTrialsRequest request = AddRequestOf(call, study, learning_rate);
  Guard(study, std::move(call), &Stub::AddTrials, std::move(request));
}

void RecordingClient::Get(const std::string& study, const Known& known) {
  Call call = Begin(Verb::kGet);
  call.numbers = {AnyTrial(known)};
  Repeat(study, call, &Stub::GetTrial, GetRequestOf(call, study));
}

template <typename Request, typename Response>
void RecordingClient::Guard(const std::string& study, Call call, Method<Request, Response> method,
                            Request request) {
  request.set_request_id(absl::StrCat(study, " ", client_, " ", ++requests_));
  while (!Attempt(call, method, request)) {
    if (GivesUp()) break;
    ++counts_.retries;
  }
  Keep(study, std::move(call));
}

template <typename Request, typename Response>
void RecordingClient::Repeat(const std::string& study, Call call, Method<Request, Response> method,
                             const Request& request) {
  while (!Attempt(call, method, request)) {
    // What reads may be left out of a history.
    if (call.verb == Verb::kReport || call.verb == Verb::kHeartbeat) Keep(study, call);
    if (GivesUp()) return;
    ++counts_.retries;
    call.start_us = NowUs();
  }
  Keep(study, std::move(call));
}

template <typename Request, typename Response>
bool RecordingClient::Attempt(Call& call, Method<Request, Response> method,
                              const Request& request) {
  grpc::ClientContext context;
  const bool impatient = Below(12) == 0;
  context.set_deadline(std::chrono::system_clock::now() +
                       (impatient ? std::chrono::microseconds(500 + Below(6000))
                                  : std::chrono::microseconds(kPatience)));
  Response response;
  const grpc::Status status = (*server_.connection().*method)(&context, request, &response);
  if (IsLoss(status.error_code())) {
    ++counts_.lost;
    call.given_up_us = NowUs();
    return false;
  }
  call.end_us = NowUs();
  call.answer = Answer::kGiven;
  if (status.ok()) {
    Take(response, call);
  } else if (status.error_code() == grpc::StatusCode::FAILED_PRECONDITION) {
    call.answer = Answer::kRefused;
  } else if (status.error_code() == grpc::StatusCode::NOT_FOUND) {
    call.answer = Answer::kNotFound;
  } else {
    failures_.push_back(
        absl::StrCat(call.Text(), ": ", status.error_code(), " ", status.error_message()));
  }
  return true;
}

Call RecordingClient::Begin(Verb verb) {
  Call call;
  call.client = client_;
  call.verb = verb;
  call.start_us = NowUs();
  ++counts_.calls;
  return call;
}

bool RecordingClient::GivesUp() {
  if (Below(5) > 0) return false;
  ++counts_.given_up;
  return true;
}

void RecordingClient::Keep(const std::string& study, Call call) {
  Known& known = known_[study];
  for (const TrialSight& trial : call.trials) {
    known.states[trial.number] = trial.state;
    if (call.verb == Verb::kSuggest) known.mine.push_back(trial.number);
  }
  const bool refused = call.answer == Answer::kRefused || call.answer == Answer::kNotFound;
  counts_.refused += refused ? 1 : 0;
  calls_[study].push_back(std::move(call));
}

}  // namespace slipstream::histories
