#include "server/store/lease_rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/status.h"
#include "server/store/answer_rules.h"
#include "server/store/event_rules.h"
#include "server/store/lease_clock.h"
#include "server/store/quota_rules.h"
#include "server/store/resource_message.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"

namespace slipstream::rules {
namespace {

absl::Status OutOfDate(const LeaseBatch& batch, absl::string_view what) {
  return absl::AbortedError(
      absl::StrCat("the plan for ", NameOfStudy(batch.study_id), " is out of date: ", what));
}

absl::Status NeedsPlan(const PreparedLease& lease, absl::string_view what) {
  return absl::AbortedError(
      absl::StrCat("leases of ", NameOfStudy(lease.study_id), " need a plan: ", what));
}

// In a study that is not ACTIVE trials are only handed out again.
absl::Status CheckStudy(const LeaseBatch& batch, const StudyHead& head) {
  const bool has_new =
      std::any_of(batch.grants.begin(), batch.grants.end(), [](const LeaseGrant& grant) {
        return !grant.queued.empty() || !grant.fresh.empty();
      });
  if (has_new && head.state != StudyState::kActive) return OutOfDate(batch, "it is not ACTIVE");
  if (head.trial_count != batch.expected_trial_count) {
    return OutOfDate(batch, absl::StrCat("it has ", head.trial_count, " trials, not ",
                                         batch.expected_trial_count));
  }
  return absl::OkStatus();
}

// A grant whose request id has been used aborts the batch: planning again finds
// its answer.
absl::Status CheckGuards(RowTransaction& rows, const LeaseBatch& batch) {
  std::set<std::string> ids;
  for (const LeaseGrant& grant : batch.grants) {
    const std::string& id = grant.guard.request_id;
    if (id.empty()) continue;
    const absl::StatusOr<std::optional<std::string>> earlier = FindAnswer(rows, grant.guard);
    const bool other_content = absl::IsInvalidArgument(earlier.status());
    if (!earlier.ok() && !other_content) return earlier.status();
    if (other_content || earlier->has_value() || !ids.insert(id).second) {
      return OutOfDate(batch, absl::StrCat("request id ", id, " has been used"));
    }
  }
  return absl::OkStatus();
}

// A grant that is carried out, with the queued and the fresh trials that it gets.
struct Granted {
  const LeaseGrant* grant = nullptr;
  std::vector<int64_t> queued = {};
  std::vector<const NewTrial*> fresh = {};
};

// Reads the trials that a batch leases, before anything is written.
class LeaseReader {
 public:
  LeaseReader(RowTransaction& rows, const LeaseBatch& batch) : rows_(rows), batch_(batch) {}

  // The trials of the grant that exist: again, then queued. ABORTED when one is
  // not as the plan saw it.
  absl::StatusOr<std::vector<TrialRecord>> Read(const Granted& granted) {
    const LeaseGrant& grant = *granted.grant;
    std::vector<TrialRecord> trials;
    for (const int64_t number : grant.again) {
      SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, ReadOne(number));
      if (trial.state != TrialState::kActive || trial.worker != grant.worker) {
        return Changed(number);
      }
      trials.push_back(std::move(trial));
    }
    for (const int64_t number : granted.queued) {
      SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, ReadOne(number));
      const bool first = taken_.insert(number).second;
      if (trial.state != TrialState::kRequested || !first) return Changed(number);
      trials.push_back(std::move(trial));
    }
    return trials;
  }

 private:
  absl::StatusOr<TrialRecord> ReadOne(int64_t number) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> trial,
                                rows_.FindTrial(batch_.study_key, number));
    if (!trial.has_value()) return Changed(number);
    return *std::move(trial);
  }

  absl::Status Changed(int64_t number) const {
    return OutOfDate(batch_, absl::StrCat("trial ", number, " has changed"));
  }

  RowTransaction& rows_;
  const LeaseBatch& batch_;
  std::set<int64_t> taken_;  // Queued trials of the grants so far.
};

// ABORTED when a trial is queued that the batch passes over: one was released after the plan was
// made, or the call that was to get it is gone.
absl::Status CheckQueue(RowTransaction& rows, const LeaseBatch& batch,
                        const std::vector<Granted>& grants) {
  if (!batch.passes_over_none) return absl::OkStatus();
  std::vector<int64_t> taken;
  bool has_fresh = false;
  for (const Granted& granted : grants) {
    taken.insert(taken.end(), granted.queued.begin(), granted.queued.end());
    has_fresh = has_fresh || !granted.fresh.empty();
  }
  std::sort(taken.begin(), taken.end());
  const size_t most = taken.size() + (has_fresh ? 1 : 0);
  if (most == 0) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<int64_t> queued,
                              rows.ListQueuedTrials(batch.study_key, static_cast<int>(most)));
  if (queued == taken) return absl::OkStatus();
  return OutOfDate(batch, "other trials are queued");
}

TrialRecord FreshTrial(const NewTrial& fresh, int64_t number, int64_t now_ms) {
  TrialRecord trial;
  trial.number = number;
  trial.state = TrialState::kActive;
  trial.suggested = true;
  trial.configuration = fresh.configuration;
  trial.candidate = fresh.candidate;
  trial.create_ms = now_ms;
  return trial;
}

void Hold(const StudyHead& head, const LeaseGrant& grant, const LeaseMoment& moment,
          TrialRecord& trial) {
  // An imported trial that is queued may have a start, which was another worker's.
  const bool begins = trial.state == TrialState::kRequested || !trial.start_ms.has_value();
  if (begins) trial.start_ms = moment.wall_ms;
  trial.state = TrialState::kActive;
  trial.worker = grant.worker;
  trial.process = grant.process;
  RenewLease(head.lease, moment, trial);
}

// Without leases that end, a trial that is handed out again stays as it is.
bool StaysAsItIs(const StudyHead& head, const LeaseGrant& grant, const TrialRecord& trial) {
  return trial.state == TrialState::kActive && head.lease.duration_ms == 0 &&
         !trial.lease_end.has_value() && trial.process == grant.process;
}

// Leases the queued ones among `trials`, renews the others, and appends the fresh ones.
absl::Status WriteGrant(RowTransaction& rows, StudyHead& head, const Granted& granted,
                        const LeaseMoment& moment, std::vector<TrialRecord>& trials) {
  const LeaseGrant& grant = *granted.grant;
  for (TrialRecord& trial : trials) {
    if (StaysAsItIs(head, grant, trial)) continue;
    const bool is_new = trial.state == TrialState::kRequested;
    Hold(head, grant, moment, trial);
    SLIPSTREAM_RETURN_IF_ERROR(rows.UpdateLease(head.key, trial));
    if (!is_new) continue;
    SLIPSTREAM_RETURN_IF_ERROR(EmitTrialEvent(rows, EventKind::kTrialLeased, head.key, trial));
  }
  for (const NewTrial* const fresh : granted.fresh) {
    trials.push_back(FreshTrial(*fresh, ++head.trial_count, rows.now_ms()));
    Hold(head, grant, moment, trials.back());
    ++head.suggested_count;
    head.bytes += StoredBytesOf(*fresh);
    SLIPSTREAM_RETURN_IF_ERROR(rows.InsertTrial(head.key, trials.back(), fresh->provenance));
    SLIPSTREAM_RETURN_IF_ERROR(
        EmitTrialEvent(rows, EventKind::kTrialLeased, head.key, trials.back()));
  }
  std::string answer;
  if (grant.render) answer = grant.render(trials);
  return RememberAnswer(rows, grant.guard, std::move(answer));
}

// What the study has for the worker, oldest first: its own trials, then queued ones.
absl::Status TakeExisting(RowTransaction& rows, const PreparedLease& lease, LeaseGrant& grant) {
  const auto count = static_cast<size_t>(lease.count);
  SLIPSTREAM_ASSIGN_OR_RETURN(grant.again, rows.ListActiveTrials(lease.study_key, lease.worker));
  if (grant.again.size() >= count) {
    grant.again.resize(count);
    return absl::OkStatus();
  }
  const int missing = lease.count - static_cast<int>(grant.again.size());
  SLIPSTREAM_ASSIGN_OR_RETURN(grant.queued, rows.ListQueuedTrials(lease.study_key, missing));
  return absl::OkStatus();
}

// `count` prepared trials. ABORTED when there are not so many that hold.
absl::Status TakePrepared(RowTransaction& rows, const PreparedLease& lease, const StudyHead& head,
                          size_t count, LeaseGrant& grant) {
  PreparedTrials prepared =
      lease.prepared({head.trial_count, head.suggested_count, head.late_count},
                     static_cast<int>(count));
  if (prepared.trials.size() < count) return NeedsPlan(lease, "too little is prepared");
  for (const int64_t number : prepared.open) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<TrialRecord> trial,
                                rows.FindTrial(lease.study_key, number));
    if (!trial.has_value() || !IsOpen(trial->state)) {
      return NeedsPlan(lease, absl::StrCat("trial ", number, " has changed"));
    }
  }
  prepared.trials.resize(count);
  grant.fresh = std::move(prepared.trials);
  return absl::OkStatus();
}

ProjectUsage UsageOf(absl::Span<const NewTrial* const> fresh) {
  ProjectUsage usage = {.trials = static_cast<int64_t>(fresh.size())};
  for (const NewTrial* const trial : fresh) usage.bytes += StoredBytesOf(*trial);
  return usage;
}

absl::Status NobodyWaits() {
  return absl::CancelledError("the caller no longer waits for the answer; nothing is leased");
}

// The grants that somebody still waits for, in their order, each with as many fresh trials as there
// is room for. A grant that is left without any trial is refused, or the whole batch is. What such
// a grant was to get goes to the next ones: queued trials because none is passed over, and fresh
// ones because the strategy will make those again that come after the leased ones.
class GrantsToCarryOut {
 public:
  GrantsToCarryOut(RowTransaction& rows, const LeaseBatch& batch, int64_t max_trials,
                   Quotas* quotas)
      : rows_(rows), batch_(batch), max_trials_(max_trials), quotas_(quotas) {}

  absl::StatusOr<std::vector<Granted>> Find(const StudyHead& head) {
    std::vector<Granted> found;
    ProjectUsage usage;
    std::vector<int64_t> queued;         // Those that are left for this grant and the next ones.
    std::vector<const NewTrial*> fresh;  // Likewise.
    for (const LeaseGrant& grant : batch_.grants) {
      queued.insert(queued.end(), grant.queued.begin(), grant.queued.end());
      for (const NewTrial& trial : grant.fresh) fresh.push_back(&trial);
      const size_t wanted = grant.queued.size() + grant.fresh.size();
      const size_t of_queued = std::min(wanted, queued.size());
      const auto last_queued = queued.begin() + static_cast<std::ptrdiff_t>(of_queued);
      const auto last_fresh = fresh.begin() + static_cast<std::ptrdiff_t>(wanted - of_queued);
      Granted granted = {&grant, {queued.begin(), last_queued}, {fresh.begin(), last_fresh}};
      const absl::Status may = FitToRoom(head, usage, granted);
      if (may.ok()) {
        usage += UsageOf(granted.fresh);
        queued.erase(queued.begin(), last_queued);
        fresh.erase(fresh.begin(),
                    fresh.begin() + static_cast<std::ptrdiff_t>(granted.fresh.size()));
        found.push_back(std::move(granted));
      } else if (IsOfOneGrant(may) && !rows_.failed() && grant.refuse) {
        grant.refuse(may);
      } else {
        return may;
      }
    }
    return found;
  }

 private:
  static bool IsOfOneGrant(const absl::Status& status) {
    return absl::IsResourceExhausted(status) || absl::IsCancelled(status);
  }

  // Leaves out the last fresh trials, for which there is no room beside `before`, the fresh trials
  // of the grants before. An error if that leaves nothing.
  absl::Status FitToRoom(const StudyHead& head, const ProjectUsage& before, Granted& granted) {
    // Trials that are leased after the caller has given all of its trials back would stay so.
    if (granted.grant->is_cancelled()) return NobodyWaits();
    SLIPSTREAM_RETURN_IF_ERROR(CheckRoomForAnswer(rows_, quotas_, granted.grant->guard));
    const absl::Span<const NewTrial* const> wanted = granted.fresh;
    absl::Status refusal = CheckRoom(head, before, wanted);
    if (!absl::IsResourceExhausted(refusal)) return refusal;
    size_t fits = 0;  // And one less than `too_many`, in the end.
    for (size_t too_many = wanted.size(); too_many - fits > 1;) {
      const size_t middle = (fits + too_many) / 2;
      absl::Status may = CheckRoom(head, before, wanted.first(middle));
      if (rows_.failed()) return may;
      (may.ok() ? fits : too_many) = middle;
      if (!may.ok()) refusal = std::move(may);
    }
    granted.fresh.resize(fits);
    const bool is_any_left = !granted.grant->again.empty() || !granted.queued.empty() || fits > 0;
    return is_any_left ? absl::OkStatus() : refusal;
  }

  absl::Status CheckRoom(const StudyHead& head, const ProjectUsage& before,
                         absl::Span<const NewTrial* const> trials) {
    if (trials.empty()) return absl::OkStatus();
    ProjectUsage fresh = before;
    fresh += UsageOf(trials);
    SLIPSTREAM_RETURN_IF_ERROR(
        CheckRoomForTrials(batch_.study_id, head, static_cast<size_t>(fresh.trials), max_trials_));
    return CheckQuota(rows_, quotas_, batch_.study_id, fresh);
  }

  RowTransaction& rows_;
  const LeaseBatch& batch_;
  const int64_t max_trials_;
  Quotas* const quotas_;
};

// Carries out a batch whose plan is for the study as `head` says.
absl::Status CarryOut(RowTransaction& rows, const LeaseBatch& batch, StudyHead& head,
                      int64_t max_trials, Quotas* quotas) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Granted> grants,
                              GrantsToCarryOut(rows, batch, max_trials, quotas).Find(head));
  LeaseReader reader(rows, batch);
  std::vector<std::vector<TrialRecord>> trials;
  for (const Granted& granted : grants) {
    SLIPSTREAM_ASSIGN_OR_RETURN(trials.emplace_back(), reader.Read(granted));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckQueue(rows, batch, grants));
  LeaseMoment moment = {0, rows.now_ms()};
  if (head.lease.duration_ms > 0) {
    SLIPSTREAM_ASSIGN_OR_RETURN(moment, PresentMoment(rows));
  }
  const int64_t trial_count = head.trial_count;
  for (size_t i = 0; i < grants.size(); ++i) {
    SLIPSTREAM_RETURN_IF_ERROR(WriteGrant(rows, head, grants[i], moment, trials[i]));
  }
  if (!grants.empty()) SLIPSTREAM_RETURN_IF_ERROR(NoteChangeOfTrials(rows, head));
  return head.trial_count > trial_count ? rows.UpdateCounts(head) : absl::OkStatus();
}

}  // namespace

absl::Status LeaseTrials(RowTransaction& rows, const LeaseBatch& batch, int64_t max_trials,
                         Quotas* quotas) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyHead> head, rows.FindStudyHead(batch.study_key));
  if (!head.has_value()) return StudyNotFound(batch.study_id);
  SLIPSTREAM_RETURN_IF_ERROR(CheckStudy(batch, *head));
  SLIPSTREAM_RETURN_IF_ERROR(CheckGuards(rows, batch));
  return CarryOut(rows, batch, *head, max_trials, quotas);
}

absl::StatusOr<std::vector<TrialRecord>> LeasePrepared(RowTransaction& rows,
                                                       const PreparedLease& lease,
                                                       int64_t max_trials, Quotas* quotas) {
  if (lease.is_cancelled()) return NobodyWaits();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyHead> head, rows.FindStudyHead(lease.study_key));
  if (!head.has_value()) return StudyNotFound(lease.study_id);
  if (head->state != StudyState::kActive) return NeedsPlan(lease, "it is not ACTIVE");
  if (lease.study_create_ms.value_or(head->create_ms) != head->create_ms) {
    return NeedsPlan(lease, "another study is meant");
  }
  LeaseGrant grant;
  grant.worker = lease.worker;
  grant.process = lease.process;
  SLIPSTREAM_RETURN_IF_ERROR(TakeExisting(rows, lease, grant));
  const size_t missing =
      static_cast<size_t>(lease.count) - grant.again.size() - grant.queued.size();
  if (missing > 0) {
    SLIPSTREAM_RETURN_IF_ERROR(TakePrepared(rows, lease, *head, missing, grant));
  }
  std::vector<TrialRecord> leased;
  grant.render = [&leased](const std::vector<TrialRecord>& trials) {
    leased = trials;
    return std::string();
  };
  LeaseBatch batch;
  batch.study_key = lease.study_key;
  batch.study_id = lease.study_id;
  batch.grants.push_back(std::move(grant));
  SLIPSTREAM_RETURN_IF_ERROR(CarryOut(rows, batch, *head, max_trials, quotas));
  return leased;
}

absl::StatusOr<LeasePlan> PlanLeases(RowSnapshot& rows, int64_t study_key,
                                     const std::string& study_id,
                                     const std::vector<std::string>& workers, int max_queued) {
  SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<StudyRecord> study, rows.FindStudySummary(study_key));
  if (!study.has_value()) return StudyNotFound(study_id);
  LeasePlan plan;
  plan.study = *std::move(study);
  for (const std::string& worker : workers) {
    SLIPSTREAM_ASSIGN_OR_RETURN(plan.active.emplace_back(),
                                rows.ListActiveTrials(study_key, worker));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(plan.queued,
                              rows.ListQueuedTrials(study_key, std::max(max_queued, 0)));
  return plan;
}

}  // namespace slipstream::rules
