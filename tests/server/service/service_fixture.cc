#include "tests/server/service/service_fixture.h"

#include <future>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "tests/testing/memory_store.h"

namespace slipstream {

std::shared_ptr<Store> MakeTestStore() { return MakeMemoryStore(); }

void WaitForFits(SourceFitting* fitting) {
  // One thread runs the work in order, and work runs at most twice: what waits now
  // has run for good when two more pieces of work have run one after the other.
  for (const char* name : {"first marker", "second marker"}) {
    std::promise<void> reached;
    fitting->PrepareTogether(name, [&reached] {
      reached.set_value();
      return absl::OkStatus();
    });
    reached.get_future().wait();
  }
}

ReadHook& ReadHook::operator=(Function function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  function_ = std::move(function);
  return *this;
}

void ReadHook::operator()(const std::string& verb) const {
  Function function;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    function = function_;
  }
  if (function) function(verb);
}

ServiceFixture::ServiceFixture()
    : store_(MakeTestStore()),
      observed_store_(store_.get(), [this](const std::string& verb) { before_read_(verb); }) {
  Restart();
}

void ServiceFixture::Restart() {
  service_.reset();
  service_.emplace(&observed_store_, ServiceOptions{.version = "test",
                                                    .lease_sweep_period = absl::InfiniteDuration(),
                                                    .prepare_ahead = false});
}

absl::Status ServiceFixture::Await(const std::function<void(const Done&)>& start) {
  std::promise<absl::Status> answered;
  start([&answered](absl::Status status) { answered.set_value(std::move(status)); });
  return answered.get_future().get();
}

absl::Status ServiceFixture::Register(const std::vector<v1::Observation>& observations,
                                      v1::RegisterSourceTaskResponse* response,
                                      v1::RegisterSourceTaskRequest::Header header) {
  v1::RegisterSourceTaskRequest message;
  *message.mutable_header() = std::move(header);
  v1::SourceTask* source = message.mutable_header()->mutable_source_task();
  *source->mutable_space() = ExampleStudy().space();
  *source->mutable_metrics() = ExampleStudy().metrics();
  for (const v1::Observation& observation : observations) {
    *message.add_observations() = observation;
  }
  auto upload = std::make_unique<SourceTaskUpload>();
  const absl::Status added = upload->Add(message);
  if (!added.ok()) return added;
  return Await([&](const Done& done) {
    service_->source_tasks().RegisterSourceTask(std::move(upload), response, done);
  });
}

std::string ServiceFixture::RegisterExample(int count, int task) {
  v1::RegisterSourceTaskResponse response;
  const absl::Status registered = Register(ExampleObservations(count, task), &response);
  EXPECT_TRUE(registered.ok()) << registered;
  return response.source_task().name();
}

void ServiceFixture::Create(const v1::Study& study, const std::string& id) {
  const absl::Status created = Call(&StudyService::CreateStudy, CreateRequest(study, id));
  ASSERT_TRUE(created.ok()) << created;
}

void ServiceFixture::Delete(const std::string& id) {
  v1::DeleteStudyRequest request;
  request.set_name(absl::StrCat("studies/", id));
  const absl::Status deleted = Call(&StudyService::DeleteStudy, request);
  ASSERT_TRUE(deleted.ok()) << deleted;
}

void ServiceFixture::RunOutOfMemoryIn(const std::string& verb) {
  before_read_ = [verb](const std::string& read) {
    if (read == verb) throw std::bad_alloc();
  };
}

void ServiceFixture::AddResults(const std::vector<double>& losses) {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  for (const double loss : losses) {
    const int i = request.observations_size();
    *request.add_observations() =
        MeasuredObservation(ExampleConfiguration(0.001 * (i + 1), 1 + i % 8), loss);
  }
  const absl::Status added = Call(&TrialService::AddTrials, request);
  ASSERT_TRUE(added.ok()) << added;
}

v1::Trial ServiceFixture::Suggest(const std::string& worker, const std::string& study) {
  v1::SuggestResponse response;
  const absl::Status status = Call(&TrialService::Suggest, AskRequest(study, worker), &response);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(response.trials_size(), 1);
  return response.trials_size() == 1 ? response.trials(0) : v1::Trial();
}

v1::Trial ServiceFixture::Observe(const std::string& trial, double loss) {
  v1::Trial response;
  const absl::Status status =
      Call(&TrialService::Observe, TellRequest(trial, LossOutcome(loss)), &response);
  EXPECT_TRUE(status.ok()) << status;
  return response;
}

v1::Explanation ServiceFixture::Explain(const std::string& trial) {
  v1::ExplainRequest request;
  request.set_trial(trial);
  v1::Explanation explanation;
  const absl::Status status = Call(&TrialService::Explain, request, &explanation);
  EXPECT_TRUE(status.ok()) << status;
  return explanation;
}

void ExpectViolation(const absl::Status& status, const std::string& field) {
  ASSERT_TRUE(ViolationOf(status).has_value()) << status;
  EXPECT_EQ(ViolationOf(status)->field, field);
}

std::vector<v1::Observation> ExampleObservations(int count, int task) {
  std::vector<v1::Observation> observations;
  for (int i = 0; i < count; ++i) {
    observations.push_back(
        MeasuredObservation(ExampleConfiguration(0.001 * (i + 1), 1 + i % 8), (i - task) % 7));
  }
  return observations;
}

}  // namespace slipstream
