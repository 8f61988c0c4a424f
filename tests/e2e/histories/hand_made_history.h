// Histories that are written down by hand, in milliseconds.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_HAND_MADE_HISTORY_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_HAND_MADE_HISTORY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/histories/call.h"

namespace slipstream::histories {

inline TrialSight Queued(int64_t number) {
  TrialSight sight;
  sight.number = number;
  return sight;
}

inline TrialSight Active(int64_t number, const std::string& worker) {
  TrialSight sight = Queued(number);
  sight.state = v1::Trial::ACTIVE;
  sight.worker = worker;
  return sight;
}

inline TrialSight Stale(int64_t number, const std::string& worker) {
  TrialSight sight = Active(number, worker);
  sight.state = v1::Trial::STALE;
  return sight;
}

inline TrialSight Succeeded(int64_t number, const std::string& worker, double value) {
  TrialSight sight = Active(number, worker);
  sight.state = v1::Trial::SUCCEEDED;
  sight.objective = value;
  return sight;
}

// From `start_ms` to `end_ms`, answered with these trials.
inline Call CallFrom(Verb verb, int64_t start_ms, int64_t end_ms,
                     std::vector<TrialSight> trials = {}) {
  Call call;
  call.verb = verb;
  call.start_us = start_ms * 1000;
  call.end_us = end_ms * 1000;
  call.answer = Answer::kGiven;
  call.trials = std::move(trials);
  return call;
}

inline Call Refused(Call call) {
  call.answer = Answer::kRefused;
  call.trials.clear();
  return call;
}

inline Call NotFound(Call call) {
  call.answer = Answer::kNotFound;
  call.trials.clear();
  return call;
}

inline Call Lost(Call call) {
  call.answer = Answer::kLost;
  call.given_up_us = call.end_us;
  call.end_us = Call::kNever;
  call.trials.clear();
  return call;
}

inline Call SuggestFrom(int64_t start_ms, int64_t end_ms, const std::string& worker,
                        const std::vector<int64_t>& given) {
  Call call = CallFrom(Verb::kSuggest, start_ms, end_ms);
  call.worker = worker;
  call.count = static_cast<int>(given.size());
  for (const int64_t number : given) call.trials.push_back(Active(number, worker));
  return call;
}

inline Call ObserveFrom(int64_t start_ms, int64_t end_ms, const std::string& worker, int64_t number,
                        double value) {
  Call call = CallFrom(Verb::kObserve, start_ms, end_ms, {Succeeded(number, worker, value)});
  call.numbers = {number};
  call.outcome = v1::Trial::SUCCEEDED;
  call.value = value;
  return call;
}

inline Call ReleaseFrom(int64_t start_ms, int64_t end_ms, const std::string& worker,
                        int64_t number) {
  Call call = CallFrom(Verb::kRelease, start_ms, end_ms, {Queued(number)});
  call.worker = worker;
  call.numbers = {number};
  return call;
}

inline Call HeartbeatFrom(int64_t start_ms, int64_t end_ms, const std::string& worker,
                          int64_t number, bool held) {
  Call call = CallFrom(Verb::kHeartbeat, start_ms, end_ms, {Active(number, worker)});
  call.worker = worker;
  call.numbers = {number};
  call.held = {held};
  return call;
}

inline Call ReportFrom(int64_t start_ms, int64_t end_ms, int64_t number, int64_t step, double value,
                       int64_t report_count, State state = v1::Trial::ACTIVE) {
  Call call = CallFrom(Verb::kReport, start_ms, end_ms, {Queued(number)});
  call.numbers = {number};
  call.step = step;
  call.value = value;
  call.trials.front().state = state;
  call.trials.front().report_count = report_count;
  return call;
}

inline Call UpdateFrom(int64_t start_ms, int64_t end_ms, TrialSight shown, std::string note) {
  shown.note = note;
  Call call = CallFrom(Verb::kUpdate, start_ms, end_ms, {shown});
  call.numbers = {shown.number};
  call.note = std::move(note);
  return call;
}

inline Call AddFrom(int64_t start_ms, int64_t end_ms, int64_t number,
                    const std::string& configuration) {
  Call call = CallFrom(Verb::kAdd, start_ms, end_ms, {Queued(number)});
  call.configuration = configuration;
  call.trials.front().configuration = configuration;
  return call;
}

inline Call GetFrom(int64_t start_ms, int64_t end_ms, TrialSight shown) {
  Call call = CallFrom(Verb::kGet, start_ms, end_ms, {shown});
  call.numbers = {shown.number};
  return call;
}

// Told at `end_ms` of what happened at `start_ms`.
inline Call LeaseEndFrom(int64_t start_ms, int64_t end_ms, int64_t number) {
  Call call = CallFrom(Verb::kLeaseEnd, start_ms, end_ms);
  call.numbers = {number};
  return call;
}

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_HAND_MADE_HISTORY_H_
