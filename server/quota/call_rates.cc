#include "server/quota/call_rates.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "core/base/refusals.h"

namespace slipstream {
namespace {

double MostSaved(double rate) { return std::max(1.0, kMostSecondsSaved * rate); }

}  // namespace

CallRates::CallRates(Quotas* quotas, std::function<Time()> now, size_t most_projects)
    : quotas_(*quotas), now_(std::move(now)), most_projects_(most_projects) {}

absl::Status CallRates::Take(absl::string_view project) {
  const std::optional<double> rate = quotas_.Of(project).calls_per_second;
  if (!rate.has_value()) return absl::OkStatus();
  double missing = 0;
  {
    const std::lock_guard lock(mutex_);
    Account& account = Balance(project, *rate);
    missing = 1 - account.calls;
    if (missing <= 0) account.calls -= 1;
  }
  if (missing <= 0) return absl::OkStatus();
  const double seconds = missing / *rate;
  absl::Status refusal = quotas_.Refuse(
      QuotaKind::kCalls, project,
      absl::StrFormat("makes more calls than its quota of %g a second; the next one is accepted "
                      "in %.3g s",
                      *rate, seconds));
  // Rounded up: a little earlier the call would be refused again.
  return WithRetryDelay(std::move(refusal),
                        absl::Ceil(absl::Seconds(seconds), absl::Milliseconds(1)));
}

void CallRates::TakeAnyway(absl::string_view project) {
  const std::optional<double> rate = quotas_.Of(project).calls_per_second;
  if (!rate.has_value()) return;
  const std::lock_guard lock(mutex_);
  Account& account = Balance(project, *rate);
  account.calls = std::max(account.calls - 1, -MostSaved(*rate));
}

size_t CallRates::size() const {
  const std::lock_guard lock(mutex_);
  return accounts_.size();
}

CallRates::Account& CallRates::Balance(absl::string_view project, double rate) {
  const Time now = now_();
  const auto known = by_project_.find(project);
  if (known == by_project_.end()) return *Open(project, rate, now);
  accounts_.splice(accounts_.begin(), accounts_, known->second);
  Account& account = accounts_.front();
  const std::chrono::duration<double> passed = now - account.counted;
  account.calls = std::min(account.calls + rate * passed.count(), MostSaved(rate));
  account.counted = now;
  return account;
}

CallRates::Accounts::iterator CallRates::Open(absl::string_view project, double rate, Time now) {
  // Changes nothing if memory runs out.
  Accounts opened;
  opened.push_front({std::string(project), MostSaved(rate), now});
  by_project_.emplace(project, opened.begin());
  if (accounts_.size() >= most_projects_) {
    by_project_.erase(accounts_.back().project);
    accounts_.pop_back();
  }
  accounts_.splice(accounts_.begin(), opened);
  return accounts_.begin();
}

}  // namespace slipstream
