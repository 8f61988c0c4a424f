#include "tests/benchmarks/soak_workers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/benchmarks/bowl_studies.h"
#include "tests/e2e/requests.h"

namespace slipstream {
namespace {

using Clock = std::chrono::steady_clock;
using Stub = v1::OptimizationService::Stub;

constexpr int kReports = 2;

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

}  // namespace

SoakWorkers::SoakWorkers(Stub* stub, const Load& load, MakeStudy make_study)
    : stub_(*stub),
      load_(load),
      make_study_(std::move(make_study)),
      places_(static_cast<size_t>(load.studies)) {}

void SoakWorkers::Start() {
  for (int worker = 0; worker < load_.workers; ++worker) {
    threads_.emplace_back([this, worker] { Work(worker); });
  }
}

SoakResult SoakWorkers::Stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return std::move(result_);
}

// They do not begin all at once.
void SoakWorkers::Work(int worker) {
  const int place = worker % load_.studies;
  const std::string name = absl::StrCat("w", worker);
  std::this_thread::sleep_for(load_.training * worker / load_.workers);
  while (!stopping_) {
    const std::string study = StudyAt(place);
    if (!Cycle(study, name)) return;
    NoteResult(place, study);
  }
}

std::string SoakWorkers::StudyAt(int place) {
  Place& at = places_[static_cast<size_t>(place)];
  const std::lock_guard<std::mutex> lock(at.mutex);
  if (at.study.empty()) {
    at.study = make_study_(place);
    at.results = 0;
  }
  return at.study;
}

void SoakWorkers::NoteResult(int place, const std::string& study) {
  Place& at = places_[static_cast<size_t>(place)];
  const std::lock_guard<std::mutex> lock(at.mutex);
  if (at.study == study && ++at.results >= load_.results_per_study) at.study.clear();
}

bool SoakWorkers::Cycle(const std::string& study, const std::string& worker) {
  Clock::time_point start = Clock::now();
  v1::SuggestResponse asked;
  if (!Check(Call(stub_, &Stub::Suggest, AskRequest(study, worker), &asked), "Suggest")) {
    return false;
  }
  const double suggest = MicrosecondsSince(start);
  const v1::Trial& trial = asked.trials(0);
  NoteLease(trial.name(), worker);
  const double loss = BowlLoss(trial.configuration(), 0);
  for (int step = 1; step <= kReports; ++step) {
    std::this_thread::sleep_for(load_.training / (kReports + 1));
    v1::ReportRequest report;
    report.set_trial(trial.name());
    report.add_reports()->set_step(step);
    (*report.mutable_reports(0)->mutable_measurement()->mutable_metrics())["loss"] =
        loss + 1.0 / step;
    if (!Check(Call(stub_, &Stub::Report, report), "Report")) return false;
  }
  std::this_thread::sleep_for(load_.training / (kReports + 1));
  start = Clock::now();
  const v1::ObserveRequest tell = TellRequest(trial.name(), LossOutcome(loss));
  if (!Check(Call(stub_, &Stub::Observe, tell), "Observe")) return false;
  const double observe = MicrosecondsSince(start);
  const std::lock_guard<std::mutex> lock(mutex_);
  result_.suggest.microseconds.push_back(suggest);
  result_.observe.microseconds.push_back(observe);
  result_.told[trial.name()] = loss;
  return true;
}

bool SoakWorkers::Check(const grpc::Status& status, const std::string& what) {
  if (status.ok()) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  result_.errors.push_back(absl::StrCat(what, ": ", status.error_message()));
  return false;
}

// No worker asks again before it has told its result, and no lease ends within an hour, so every
// trial is leased once.
void SoakWorkers::NoteLease(const std::string& trial, const std::string& worker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [lease, is_new] = leased_.emplace(trial, worker);
  if (is_new) return;
  result_.leased_twice.push_back(absl::StrCat(trial, " to ", lease->second, " and ", worker));
}

}  // namespace slipstream
