// Many workers on several studies for a while, and what became of their trials: each
// worker asks for a trial, trains it for a moment, reports on the way, tells its result
// and asks again.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_SOAK_WORKERS_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_SOAK_WORKERS_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "slipstream/v1/services.grpc.pb.h"
#include "tests/benchmarks/latencies.h"

namespace slipstream {

// What all workers saw.
struct SoakResult {
  Latencies suggest;
  Latencies observe;
  std::vector<std::string> errors;        // Calls that failed.
  std::vector<std::string> leased_twice;  // Trials that were given to two workers.
  std::map<std::string, double> told;     // Values that were acknowledged, by trial.
};

class SoakWorkers {
 public:
  // Makes study number `place` and returns its name. Called by several threads.
  using MakeStudy = std::function<std::string(int place)>;
  struct Load {
    int workers = 0;
    int studies = 0;            // At a time; worker i works on number i modulo their number.
    int results_per_study = 0;  // A study that has so many is followed by another one.
    std::chrono::milliseconds training{0};
  };

  // `stub` must outlive the workers.
  SoakWorkers(v1::OptimizationService::Stub* stub, const Load& load, MakeStudy make_study);

  // Works for `seconds`, and calls `each_second` meanwhile.
  template <typename EachSecond>
  SoakResult Run(double seconds, EachSecond each_second) {
    Start();
    const auto begin = std::chrono::steady_clock::now();
    for (int second = 1; second <= seconds; ++second) {
      std::this_thread::sleep_until(begin + std::chrono::seconds(second));
      each_second(second);
    }
    return Stop();
  }

 private:
  void Start();
  SoakResult Stop();
  // One study after the other is at a place.
  struct Place {
    std::mutex mutex;
    std::string study;  // Empty: there is to be another one.
    int results = 0;
  };

  void Work(int worker);
  std::string StudyAt(int place);
  void NoteResult(int place, const std::string& study);
  // Whether all calls of the cycle succeeded.
  bool Cycle(const std::string& study, const std::string& worker);
  bool Check(const grpc::Status& status, const std::string& what);
  void NoteLease(const std::string& trial, const std::string& worker);

  v1::OptimizationService::Stub& stub_;
  const Load load_;
  const MakeStudy make_study_;
  std::vector<Place> places_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::map<std::string, std::string> leased_;  // Workers by trial.
  SoakResult result_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_SOAK_WORKERS_H_
