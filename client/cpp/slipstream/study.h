// The C++ client of a Slipstream server.
//
//   using namespace slipstream::client;
//   auto study = CreateOrLoad({.id = "digits",
//                              .space = {{"lr", Log(1e-5, 1)}, {"layers", Integer(1, 8)}},
//                              .maximize = "accuracy"});
//   auto best = study->Optimize(
//       [](Trial& trial) { return Train(*trial.Number("lr"), *trial.Integer("layers")); },
//       {.trials = 30, .workers = 4});
//
// Calls are retried when the network or the server fails temporarily. That is safe: each change
// carries a request id, and the server makes it only once, even across a restart.
//
// No header of this folder includes protobuf or gRPC; those of slipstream/messages do, for programs
// that want the protocol's messages, and describe the errors that all calls return.
//
// Fork before a study is opened, if at all: a process that was forked later cannot use it, as
// gRPC's threads are not in it. There calls return FAILED_PRECONDITION, and nothing is given back.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_STUDY_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_STUDY_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/client_options.h"
#include "slipstream/errors.h"
#include "slipstream/new_study.h"
#include "slipstream/optimization.h"
#include "slipstream/records.h"
#include "slipstream/trial.h"

namespace slipstream {
class Client;
}  // namespace slipstream

namespace slipstream::client_internal {
class Background;
class OpenStudy;
class OptimizationLoop;
}  // namespace slipstream::client_internal

namespace slipstream::client {

// What Study::Change changes; what is left out stays as it is.
struct StudyChange {
  std::optional<std::string> title = {};
  // These come beside the labels that the study has. One of the same key is replaced, and one
  // without a value is removed.
  std::map<std::string, std::optional<std::string>> labels = {};
  // As in NewStudy, for leases from now on. Training runs in progress renew theirs as often as
  // before, so do not shorten leases meanwhile.
  std::optional<std::chrono::nanoseconds> lease = {};
  std::optional<int> requeues = {};
};

// One optimisation on a server, made by CreateOrLoad or Load. Thread-safe; copies are the same
// study. Processes and machines that open the same study share it. The last copy to be destroyed
// waits for the asynchronous calls.
class Study {
 public:
  Study(std::shared_ptr<client_internal::OpenStudy> open,
        std::shared_ptr<client_internal::Background> background);

  // The id, for example "digits".
  const std::string& id() const;
  // The name on the server, "studies/{id}" or "projects/{project}/studies/{id}".
  const std::string& name() const;
  // The study's definition, with the server's choices where none was given.
  const NewStudy& description() const;
  // The id under which this process asks for trials.
  const std::string& worker() const;

  // The next trial, or as many as `count`, 1 to 1,000. A process that was restarted under the same
  // worker's id gets its unfinished trials first. OUT_OF_RANGE once every candidate has been
  // suggested, RESOURCE_EXHAUSTED once the study or its project may not have more trials; a list of
  // trials is shorter than asked for when fewer are left. Also RESOURCE_EXHAUSTED where the system
  // has no thread that could renew leases.
  absl::StatusOr<Trial> Suggest();
  absl::StatusOr<std::vector<Trial>> Suggest(int count);
  // The same without waiting. At most ClientOptions::background calls wait; a further one is
  // RESOURCE_EXHAUSTED at once.
  std::future<absl::StatusOr<Trial>> SuggestAsync();

  // Evaluates suggestions and returns the best trial of the study, nothing if there is none. An
  // exception that leaves the objective ends the optimisation and is thrown again here. A trial
  // that somebody else has ended meanwhile, as an operator does, keeps that outcome and ends
  // nothing. A study that is paused or completed meanwhile, here or elsewhere, ends the
  // optimisation; before its first trial that is FAILED_PRECONDITION. A trial that is suggested
  // after the end of the time is given back. For processes or machines, run the same program
  // several times.
  absl::StatusOr<std::optional<TrialRecord>> Optimize(const Objective& objective,
                                                      const OptimizeOptions& options);

  // All trials by number, as they are now.
  absl::StatusOr<std::vector<TrialRecord>> Trials();
  // The best trial, nothing if none has succeeded.
  absl::StatusOr<std::optional<TrialRecord>> Best();
  // Queues a configuration, which becomes the next suggestion.
  absl::StatusOr<TrialRecord> Enqueue(const Configuration& params);
  // Adds a trial from elsewhere with its value or another outcome.
  absl::StatusOr<TrialRecord> Record(const Configuration& params, const Outcome& outcome);
  // An Outcome is not made of whole numbers, which are values, too.
  absl::StatusOr<TrialRecord> Record(const Configuration& params, double value) {
    return Record(params, Outcome(value));
  }
  // The trial with this number as it is now, whoever holds it.
  absl::StatusOr<TrialRecord> Find(int64_t number);
  // Records the outcome of the trial with this number, which another process may have asked for.
  // FAILED_PRECONDITION if it has a different outcome already.
  absl::StatusOr<TrialRecord> Tell(int64_t number, const Outcome& outcome);
  absl::StatusOr<TrialRecord> Tell(int64_t number, double value) {
    return Tell(number, Outcome(value));
  }
  // Writes labels and a note on the trial with this number and returns it; see Trial::Annotate.
  absl::StatusOr<TrialRecord> Annotate(int64_t number, const Annotation& annotation);

  // Changes the study and returns its description as it is then; description() stays as it was.
  // Changes in one process take turns, as labels and lease policies are read, changed and written
  // back.
  absl::StatusOr<NewStudy> Change(const StudyChange& change);

  // Stops suggestions for now, resumes them, or stops them for good. Results are always accepted.
  absl::Status Pause();
  absl::Status Resume();
  absl::Status Complete();

  // For calls that this class does not have; see slipstream/messages/client.h.
  const std::shared_ptr<Client>& messages() const;

 private:
  friend class client_internal::OptimizationLoop;

  // CANCELLED if it is not wanted any more during a pause between attempts.
  absl::StatusOr<Trial> SuggestIf(const std::function<bool()>& is_wanted);

  std::shared_ptr<client_internal::OpenStudy> open_;
  std::shared_ptr<client_internal::Background> background_;
};

// The study with this id, created if there is none. An existing one is compared with what is asked
// for, and FAILED_PRECONDITION names the differences; settings that were left out match any value,
// and so do the title and the labels.
absl::StatusOr<Study> CreateOrLoad(const NewStudy& asked, const ClientOptions& options = {});
// The same on the connection of an existing client.
absl::StatusOr<Study> CreateOrLoad(const NewStudy& asked, std::shared_ptr<Client> client);

// The study with this id, or of this full name, as it is. NOT_FOUND if there is none.
absl::StatusOr<Study> Load(const std::string& id, const ClientOptions& options = {});
absl::StatusOr<Study> Load(const std::string& id, std::shared_ptr<Client> client);

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_STUDY_H_
