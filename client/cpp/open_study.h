// A study that this process has opened: its calls in the client's own words.
#ifndef SLIPSTREAM_CLIENT_CPP_OPEN_STUDY_H_
#define SLIPSTREAM_CLIENT_CPP_OPEN_STUDY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cpp/annotations.h"
#include "client/cpp/held_trial.h"
#include "client/cpp/lanes.h"
#include "client/cpp/meant_study.h"
#include "client/cpp/renewals.h"
#include "slipstream/messages/client.h"
#include "slipstream/new_study.h"
#include "slipstream/optimization.h"
#include "slipstream/records.h"
#include "slipstream/study.h"

namespace slipstream::client_internal {

// The study, created if there is none; FAILED_PRECONDITION if one exists that differs.
absl::StatusOr<v1::Study> CreateOrRead(Client& client, const client::NewStudy& asked);

// Thread-safe. client::Study says what the functions do. All are NOT_FOUND once the study was
// deleted, also if another one has its name.
class OpenStudy {
 public:
  OpenStudy(std::shared_ptr<Client> client, const v1::Study& study);

  const std::string& name() const { return study_.name(); }
  const std::string& worker() const { return lanes_->worker(); }
  const client::NewStudy& description() const { return description_; }
  const std::shared_ptr<Client>& client() const { return client_; }

  // CANCELLED if `is_wanted`, unless null, is false during a pause between attempts.
  absl::StatusOr<std::vector<std::shared_ptr<HeldTrial>>> Suggest(
      int count, const std::function<bool()>& is_wanted = nullptr);
  absl::StatusOr<std::vector<client::TrialRecord>> Trials();
  absl::StatusOr<std::optional<client::TrialRecord>> Best();
  // Queued, unless there is an outcome.
  absl::StatusOr<client::TrialRecord> Add(const client::Configuration& params,
                                          const std::optional<client::Outcome>& outcome);
  absl::StatusOr<client::TrialRecord> Find(int64_t number);
  absl::StatusOr<client::TrialRecord> Tell(int64_t number, const client::Outcome& outcome);
  absl::StatusOr<client::TrialRecord> Annotate(int64_t number,
                                               const client::Annotation& annotation);
  absl::StatusOr<client::NewStudy> Change(const client::StudyChange& change);
  absl::Status SetState(v1::Study::State state);

 private:
  // The study as it is now.
  absl::StatusOr<v1::Study> Read();
  absl::StatusOr<v1::Trial> ReadTrial(int64_t number);
  const std::string& metric() const;
  // Learns what an earlier life of the worker has left, unless that is known.
  absl::Status RecallLanes();

  const std::shared_ptr<Client> client_;
  const MeantStudy study_;
  const client::NewStudy description_;
  // Trials outlive the study that they come from.
  const std::shared_ptr<Lanes> lanes_;
  const std::shared_ptr<Renewals> renewals_;
  const std::shared_ptr<Annotations> annotations_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_OPEN_STUDY_H_
