#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/resource_message.h"
#include "server/store/sqlite/trial_rows.h"
#include "server/store/sqlite/write_verbs.h"

namespace slipstream::sqlite {
namespace {

absl::Status OutOfDate(const LeaseBatch& batch, absl::string_view what) {
  return absl::AbortedError(
      absl::StrCat("the plan for ", NameOfStudy(batch.study_id), " is out of date: ", what));
}

absl::Status CheckStudy(const LeaseBatch& batch, const StudyHead& head) {
  if (head.state != StudyState::kActive) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfStudy(batch.study_id), " is not ACTIVE"));
  }
  if (head.trial_count != batch.expected_trial_count) {
    return OutOfDate(batch, absl::StrCat("it has ", head.trial_count, " trials, not ",
                                         batch.expected_trial_count));
  }
  return absl::OkStatus();
}

size_t FreshTrials(const LeaseBatch& batch) {
  size_t count = 0;
  for (const LeaseGrant& grant : batch.grants) count += grant.fresh.size();
  return count;
}

// A used id is no longer the plan's business: whoever plans again finds its
// answer.
absl::Status CheckGuards(WriteSession& session, const LeaseBatch& batch) {
  std::set<std::string> ids;
  for (const LeaseGrant& grant : batch.grants) {
    const std::string& id = grant.guard.request_id;
    if (id.empty()) continue;
    const absl::StatusOr<std::optional<std::string>> earlier = session.answers.Find(grant.guard);
    const bool other_content = absl::IsInvalidArgument(earlier.status());
    if (!earlier.ok() && !other_content) return earlier.status();
    if (other_content || earlier->has_value() || !ids.insert(id).second) {
      return OutOfDate(batch, absl::StrCat("request id ", id, " has been used"));
    }
  }
  return absl::OkStatus();
}

// Trials of a batch as they are before it, by number.
class LeaseReader {
 public:
  LeaseReader(WriteSession& session, const LeaseBatch& batch)
      : session_(session), batch_(batch) {}

  // The trials of `grant` that exist: again, then queued. ABORTED when one is
  // not what the plan took it for.
  absl::StatusOr<std::vector<TrialRecord>> Read(const LeaseGrant& grant) {
    std::vector<TrialRecord> trials;
    for (const int64_t number : grant.again) {
      SLIPSTREAM_ASSIGN_OR_RETURN(TrialRecord trial, ReadOne(number));
      if (trial.state != TrialState::kActive || trial.worker != grant.worker) {
        return Changed(number);
      }
      trials.push_back(std::move(trial));
    }
    for (const int64_t number : grant.queued) {
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
                                ReadTrial(session_.connection, batch_.study_key, number));
    if (!trial.has_value()) return Changed(number);
    return *std::move(trial);
  }

  absl::Status Changed(int64_t number) const {
    return OutOfDate(batch_, absl::StrCat("trial ", number, " has changed"));
  }

  WriteSession& session_;
  const LeaseBatch& batch_;
  std::set<int64_t> taken_;  // Queued trials that a grant has.
};

TrialRecord FreshTrial(const NewTrial& fresh, const std::string& worker, int64_t number,
                       int64_t now_ms) {
  TrialRecord trial;
  trial.number = number;
  trial.state = TrialState::kActive;
  trial.suggested = true;
  trial.configuration = fresh.configuration;
  trial.candidate = fresh.candidate;
  trial.worker = worker;
  trial.create_ms = now_ms;
  trial.start_ms = now_ms;
  return trial;
}

// Leases what is queued among `trials` and appends the fresh ones.
absl::Status WriteGrant(WriteSession& session, StudyHead& head, const LeaseGrant& grant,
                        std::vector<TrialRecord>& trials) {
  for (TrialRecord& trial : trials) {
    if (trial.state != TrialState::kRequested) continue;
    trial.state = TrialState::kActive;
    trial.worker = grant.worker;
    trial.start_ms = session.now_ms;
    SLIPSTREAM_RETURN_IF_ERROR(UpdateLease(session.connection, head.key, trial));
  }
  for (const NewTrial& fresh : grant.fresh) {
    trials.push_back(FreshTrial(fresh, grant.worker, ++head.trial_count, session.now_ms));
    ++head.suggested_count;
    SLIPSTREAM_RETURN_IF_ERROR(
        InsertTrial(session.connection, head.key, trials.back(), fresh.provenance));
  }
  std::string answer;
  if (grant.render) answer = grant.render(trials);
  return session.answers.Remember(grant.guard, answer);
}

absl::Status WriteLeases(WriteSession& session, const LeaseBatch& batch) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const StudyHead* head,
                              session.heads.FindByKey(batch.study_key, batch.study_id));
  SLIPSTREAM_RETURN_IF_ERROR(CheckStudy(batch, *head));
  SLIPSTREAM_RETURN_IF_ERROR(CheckGuards(session, batch));
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoomForTrials(session, *head, FreshTrials(batch)));
  LeaseReader reader(session, batch);
  std::vector<std::vector<TrialRecord>> trials;
  for (const LeaseGrant& grant : batch.grants) {
    SLIPSTREAM_ASSIGN_OR_RETURN(trials.emplace_back(), reader.Read(grant));
  }
  StudyHead& changed = session.heads.Change(*head);
  for (size_t i = 0; i < batch.grants.size(); ++i) {
    SLIPSTREAM_RETURN_IF_ERROR(WriteGrant(session, changed, batch.grants[i], trials[i]));
  }
  return absl::OkStatus();
}

class LeaseWrite : public PendingWrite {
 public:
  explicit LeaseWrite(LeaseBatch batch) : batch_(std::move(batch)) {}

  absl::Status Apply(WriteSession& session) override { return WriteLeases(session, batch_); }
  void Answer(absl::Status status) override {
    if (batch_.done) batch_.done(std::move(status));
  }

 private:
  LeaseBatch batch_;
};

}  // namespace

std::unique_ptr<PendingWrite> MakeLeaseWrite(LeaseBatch batch) {
  return std::make_unique<LeaseWrite>(std::move(batch));
}

}  // namespace slipstream::sqlite
