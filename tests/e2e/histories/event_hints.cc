#include "tests/e2e/histories/event_hints.h"

#include <algorithm>
#include <cstdint>

#include "tests/e2e/histories/recorded_call.h"

namespace slipstream::histories {
namespace {

using Event = v1::StudyEvent;

// Times of events are whole milliseconds.
constexpr int64_t kClockStepUs = 1'000;

int64_t TimeOf(const Event& event) {
  return event.time().seconds() * 1'000'000 + event.time().nanos() / 1'000;
}

// Whether the call may have caused the event.
bool Fits(const Call& call, const Event& event, int64_t number) {
  const auto names = [&](const std::vector<int64_t>& numbers) {
    return std::count(numbers.begin(), numbers.end(), number) > 0;
  };
  const bool shows = std::any_of(call.trials.begin(), call.trials.end(),
                                 [&](const TrialSight& trial) { return trial.number == number; });
  switch (call.verb) {
    case Verb::kSuggest:
      return event.kind() == Event::TRIAL_LEASED && event.worker() == call.worker &&
             (shows || call.IsLost());
    case Verb::kObserve:
      return event.kind() == Event::TRIAL_ENDED && names(call.numbers);
    case Verb::kRelease:
      return (event.kind() == Event::TRIAL_RELEASED || event.kind() == Event::TRIAL_WITHDRAWN) &&
             (shows || (call.IsLost() && names(call.numbers)));
    case Verb::kReport:
      return event.kind() == Event::TRIAL_REPORTED && names(call.numbers);
    case Verb::kAdd:
      return (event.kind() == Event::TRIAL_QUEUED || event.kind() == Event::TRIAL_ENDED) && shows;
    case Verb::kLeaseEnd:
      return event.kind() == Event::TRIAL_STALE && names(call.numbers);
    default:
      return false;
  }
}

}  // namespace

void AddLeaseEnds(const std::vector<ToldEvent>& events, std::vector<Call>& calls) {
  for (const ToldEvent& told : events) {
    if (told.event.kind() != Event::TRIAL_STALE) continue;
    Call call;
    call.client = -1;
    call.verb = Verb::kLeaseEnd;
    call.start_us = TimeOf(told.event);
    call.end_us = told.told_us;
    call.answer = Answer::kGiven;
    call.numbers = {NumberOf(told.event.trial())};
    calls.push_back(std::move(call));
  }
}

void HintMoments(const std::vector<ToldEvent>& events, std::vector<Call>& calls) {
  std::vector<Call*> waiting;
  for (Call& call : calls) waiting.push_back(&call);
  // Those with an answer come first, as they are more certain.
  std::stable_partition(waiting.begin(), waiting.end(),
                        [](const Call* call) { return !call->IsLost(); });
  int64_t moment_us = 0;
  for (const ToldEvent& told : events) {
    const int64_t time_us = TimeOf(told.event);
    moment_us = std::max(moment_us + 1, time_us);
    const int64_t number = NumberOf(told.event.trial());
    const auto cause = std::find_if(waiting.begin(), waiting.end(), [&](const Call* call) {
      return call->start_us <= time_us + kClockStepUs && time_us <= call->end_us &&
             Fits(*call, told.event, number);
    });
    if (cause == waiting.end()) continue;
    (*cause)->moment_us = moment_us;
    waiting.erase(cause);
  }
}

}  // namespace slipstream::histories
