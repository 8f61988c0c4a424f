#include "tests/e2e/histories/lease_times.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace slipstream::histories {
namespace {

// The server reads its clock in whole milliseconds.
constexpr int64_t kClockStepUs = 2'000;

// Whether the answer shows that the worker held the trial, and so began the lease anew.
bool Renews(const Call& call, int64_t number) {
  if (call.verb != Verb::kSuggest && call.verb != Verb::kHeartbeat && call.verb != Verb::kReport) {
    return false;
  }
  for (size_t i = 0; i < call.trials.size(); ++i) {
    const bool held = call.verb != Verb::kHeartbeat || call.held[i];
    if (held && call.trials[i].number == number) {
      return call.trials[i].state == v1::Trial::ACTIVE;
    }
  }
  return false;
}

// That a worker, who is not always known, still held a trial.
struct Holding {
  int64_t number = 0;
  std::optional<std::string> worker;
};

// Which worker held which trials just before the call took effect, as far as the call shows it.
// It took effect at some moment between its beginning and its end.
std::vector<Holding> HeldBefore(const Call& call) {
  if (call.verb == Verb::kLeaseEnd) return {{call.numbers.front(), std::nullopt}};
  if (call.verb == Verb::kSuggest) return {};  // It may just have begun the lease.
  std::vector<Holding> holdings;
  for (const TrialSight& trial : call.trials) {
    if (trial.state != v1::Trial::ACTIVE) continue;
    Holding& holding = holdings.emplace_back();
    holding.number = trial.number;
    if (!trial.worker.empty()) holding.worker = trial.worker;
  }
  return holdings;
}

// Whether a call whose answer was lost may have begun or renewed the lease.
bool MayRenew(const Call& lost, const Holding& holding) {
  const bool is_named = std::count(lost.numbers.begin(), lost.numbers.end(), holding.number) > 0;
  if (lost.verb == Verb::kReport) return is_named;
  if (lost.verb != Verb::kSuggest && lost.verb != Verb::kHeartbeat) return false;
  return holding.worker.value_or(lost.worker) == lost.worker && (lost.numbers.empty() || is_named);
}

// When a lease has to have ended that the call began or renewed.
int64_t DueAfter(const Call& call, const Policy& policy, const Outages& outages) {
  int64_t due_us = (call.IsLost() ? call.given_up_us + kMarginUs : call.end_us) + policy.lease_us +
                   kSweepPeriodUs + kMarginUs;
  for (const Outage& outage : outages) {
    if (outage.end_us < call.start_us || outage.begin_us > due_us) continue;
    due_us += outage.end_us - outage.begin_us + kLostClockUs;
  }
  return due_us;
}

// The call after which the lease of what `shown` shows may have lasted longest; null if there is
// none.
const Call* LastRenewal(const std::vector<Call>& calls, const Call& shown, const Holding& holding,
                        const Policy& policy, const Outages& outages) {
  const Call* last = nullptr;
  for (const Call& call : calls) {
    if (&call == &shown || call.start_us > shown.end_us) continue;
    if (call.IsLost() ? !MayRenew(call, holding) : !Renews(call, holding.number)) continue;
    const bool is_later = last == nullptr || DueAfter(call, policy, outages) >
                                                 DueAfter(*last, policy, outages);
    if (is_later) last = &call;
  }
  return last;
}

}  // namespace

std::string EarlyLeaseEnd(const Policy& policy, const std::vector<Call>& calls) {
  for (const Call& end : calls) {
    if (end.verb != Verb::kLeaseEnd) continue;
    for (const Call& call : calls) {
      if (!Renews(call, end.numbers.front())) continue;
      if (end.start_us + kClockStepUs >= call.start_us + policy.lease_us) continue;
      return absl::StrCat(end.Text(), " is too early after ", call.Text());
    }
  }
  return {};
}

std::string OverdueLease(const Policy& policy, const Outages& outages,
                         const std::vector<Call>& calls) {
  for (const Call& shown : calls) {
    for (const Holding& holding : HeldBefore(shown)) {
      const Call* const last = LastRenewal(calls, shown, holding, policy, outages);
      if (last == nullptr || shown.start_us <= DueAfter(*last, policy, outages)) continue;
      return absl::StrCat("the lease of trial ", holding.number, " is overdue at ", shown.Text(),
                          " after ", last->Text());
    }
  }
  return {};
}

}  // namespace slipstream::histories
