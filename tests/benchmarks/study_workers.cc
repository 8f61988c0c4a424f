#include "tests/benchmarks/study_workers.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/benchmarks/bowl_studies.h"
#include "tests/benchmarks/timing.h"
#include "tests/e2e/requests.h"

namespace slipstream {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostExplained = 100;

class Workers {
 public:
  Workers(v1::OptimizationService::Stub& stub, std::string study, int workers, int cycles)
      : stub_(stub), study_(std::move(study)), workers_(workers), left_(cycles) {}

  Cycles Run() {
    const Clock::time_point start = Clock::now();
    running_ = workers_;
    for (int w = 0; w < workers_; ++w) Ask(absl::StrCat("w", w));
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
    result_.seconds = SecondsSince(start);
    Explain();
    return std::move(result_);
  }

 private:
  template <typename Request, typename Response>
  struct Call {
    grpc::ClientContext context;
    Request request;
    Response response;
    Clock::time_point start = Clock::now();
  };

  void Ask(const std::string& worker) {
    if (left_.fetch_sub(1) <= 0) return End();
    auto call = std::make_shared<Call<v1::SuggestRequest, v1::SuggestResponse>>();
    call->request = AskRequest(study_, worker);
    stub_.async()->Suggest(&call->context, &call->request, &call->response,
                           [this, call, worker](const grpc::Status& status) {
                             const double seconds = SecondsSince(call->start);
                             if (!status.ok() || call->response.trials_size() != 1) return Fail();
                             Tell(worker, call->response.trials(0), seconds);
                           });
  }

  void Tell(const std::string& worker, const v1::Trial& trial, double seconds) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      result_.suggest.microseconds.push_back(1e6 * seconds);
      names_.push_back(trial.name());
    }
    auto call = std::make_shared<Call<v1::ObserveRequest, v1::Trial>>();
    call->request = TellRequest(trial.name(), LossOutcome(BowlLoss(trial.configuration(), 0)));
    stub_.async()->Observe(&call->context, &call->request, &call->response,
                           [this, call, worker](const grpc::Status& status) {
                             if (!status.ok()) return Fail();
                             {
                               const std::lock_guard<std::mutex> lock(mutex_);
                               ++result_.cycles;
                             }
                             Ask(worker);
                           });
  }

  void Fail() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++result_.suggest.failures;
    }
    End();
  }

  void End() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0) finished_.notify_all();
  }

  // Asks how a part of the trials came about, evenly spread.
  void Explain() {
    const size_t step = std::max<size_t>(1, names_.size() / kMostExplained);
    for (size_t i = 0; i < names_.size(); i += step) {
      v1::ExplainRequest request;
      request.set_trial(names_[i]);
      v1::Explanation explanation;
      RequireOk(
          slipstream::Call(stub_, &v1::OptimizationService::Stub::Explain, request, &explanation));
      ++result_.explained;
      if (explanation.provenance().rung() == v1::Provenance::QUASI_RANDOM) {
        ++result_.quasi_random;
      }
    }
  }

  v1::OptimizationService::Stub& stub_;
  const std::string study_;
  const int workers_;
  std::atomic<int> left_;
  std::mutex mutex_;
  std::condition_variable finished_;
  int running_ = 0;
  std::vector<std::string> names_;
  Cycles result_;
};

}  // namespace

Cycles RunWorkers(v1::OptimizationService::Stub& stub, const std::string& study, int workers,
                  int cycles) {
  return Workers(stub, study, workers, cycles).Run();
}

}  // namespace slipstream
