// The fixture of the service tests: a store, the services on it, and short ways to
// call them.
#ifndef SLIPSTREAM_TESTS_SERVER_SERVICE_SERVICE_FIXTURE_H_
#define SLIPSTREAM_TESTS_SERVER_SERVICE_SERVICE_FIXTURE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/service/answering.h"
#include "server/service/service.h"
#include "server/service/source_fitting.h"
#include "server/service/source_task_upload.h"
#include "server/store/store.h"
#include "tests/e2e/messages.h"
#include "tests/server/service/observed_store.h"

namespace slipstream {

// An empty store. All service tests get theirs here.
std::shared_ptr<Store> MakeTestStore();

// Returns when all that was waiting in `fitting` has run, including work that waits
// for fits which it asked for itself.
void WaitForFits(SourceFitting* fitting);

// A function that a test may replace while the services' threads call it.
class ReadHook {
 public:
  using Function = std::function<void(const std::string& verb)>;

  ReadHook& operator=(Function function);
  // No lock is held during the call, so that it may wait for the test.
  void operator()(const std::string& verb) const;

 private:
  mutable std::mutex mutex_;
  Function function_;  // May be empty.
};

class ServiceFixture : public ::testing::Test {
 protected:
  ServiceFixture();

  // Throws away all that the services keep in memory.
  void Restart();

  // Calls a method of one of the three services and waits for the answer, which goes
  // to `response` unless it is null.
  template <typename Backend, typename Request, typename Response>
  absl::Status Call(void (Backend::*method)(const Request*, Response*, Done),
                    const Request& request, Response* response = nullptr) {
    Response ignored;
    return Await([&](const Done& done) {
      (BackendOf(static_cast<Backend*>(nullptr)).*method)(
          &request, response != nullptr ? response : &ignored, done);
    });
  }
  // Registers the observations as one source task on ExampleStudy's space.
  absl::Status Register(const std::vector<v1::Observation>& observations,
                        v1::RegisterSourceTaskResponse* response,
                        v1::RegisterSourceTaskRequest::Header header = {});
  // The name of the source task that ExampleObservations become.
  std::string RegisterExample(int count, int task = 0);

  void Create(const v1::Study& study, const std::string& id = "s");
  void Delete(const std::string& id);
  // From now on there is no memory for reads of this verb.
  void RunOutOfMemoryIn(const std::string& verb);
  // Adds one measured trial for each loss.
  void AddResults(const std::vector<double>& losses);
  // One suggested trial.
  v1::Trial Suggest(const std::string& worker, const std::string& study = "studies/s");
  v1::Trial Observe(const std::string& trial, double loss);
  v1::Explanation Explain(const std::string& trial);

  // Called before every read of the services, with the verb's name.
  ReadHook before_read_;
  const std::shared_ptr<Store> store_;
  ObservedStore observed_store_;
  std::optional<Service> service_;

  static absl::Status Await(const std::function<void(const Done&)>& start);

 private:
  StudyService& BackendOf(StudyService*) { return service_->studies(); }
  TrialService& BackendOf(TrialService*) { return service_->trials(); }
  SourceTaskService& BackendOf(SourceTaskService*) { return service_->source_tasks(); }
  LeaseService& BackendOf(LeaseService*) { return service_->leases(); }
  ReportService& BackendOf(ReportService*) { return service_->reports(); }
};

// Expects an InvalidField on `field`.
void ExpectViolation(const absl::Status& status, const std::string& field);

// Observations of ExampleStudy whose losses depend on `task`.
std::vector<v1::Observation> ExampleObservations(int count, int task = 0);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_SERVICE_SERVICE_FIXTURE_H_
