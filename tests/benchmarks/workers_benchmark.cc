// Measures many workers on one study: each asks for a trial, measures it at once and asks again,
// through the real server, in studies of several sizes. And what heavy calls do to others: a light
// study's latency beside five studies that ask for a thousand trials each, how long such a call may
// take, and how soon the server ends under that load; and the latency of many small studies beside
// one with very many trials. The load comes from this process; the server is another one.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/benchmarks/bowl_studies.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/latencies.h"
#include "tests/benchmarks/study_workers.h"
#include "tests/benchmarks/timing.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/command_flags.h"

namespace slipstream {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDimension = 6;
constexpr int kSourcePoints = 60;
constexpr int kHeavyStudies = 5;
constexpr int kHeavyCount = 1000;
constexpr int kLightStudies = 6;  // One after the other, as more calls would make one less light.
constexpr int kLightCalls = 40;
constexpr int kPreparedCalls = 15;
constexpr int kPreparedCallsOfLarge = 50;  // For a 99th percentile.
constexpr int kLargeTrials = 1000;
constexpr int kSmallTrials = 20;
constexpr int kSmallCalls = 8;    // Of each small study.
constexpr int kLargeWorkers = 8;  // Of the study beside them.
constexpr std::chrono::milliseconds kMeasuring(300);
constexpr std::chrono::milliseconds kPreparing(50);  // For each study more.
constexpr double kBudgetSeconds = 5;
constexpr int kMostAdded = 1000;  // In one call.
constexpr int kDrainSeconds = 2;
constexpr std::chrono::seconds kMostWait(120);

struct Settings {
  std::vector<int> trials = {50, 200, 1000};
  std::vector<int> workers = {32, 128};
  int cycles_per_worker = 3;
  int sources = 5;
  bool bars = true;
  bool heavy = true;
  bool prepared = true;
  bool fairness = true;
  int large = 5000;  // Trials of the study beside small ones.
  int small = 50;    // Studies beside it.
  std::string csv;
};

class Benchmark {
 public:
  Cycles Measure(const std::string& preset, int sources, int trials, int workers, int cycles) {
    const std::string study = MakeStudy(preset, sources, trials);
    return RunWorkers(stub(), study, workers, cycles);
  }

  // Studies of one worker each who measures for a while, in which the next suggestion is worked
  // out. All workers ask at once, and tell at once.
  struct Prepared {
    Latencies suggest;
    Latencies observe;
  };

  Prepared MeasurePrepared(int trials, int count) {
    Prepared result;
    std::vector<std::string> studies;
    for (int i = 0; i < count; ++i) studies.push_back(MakeStudy("gp_log_ei", 0, trials));
    std::vector<v1::Trial> leased(studies.size());
    const auto ask = [&](size_t s) { leased[s] = AskOnce(studies[s], "w"); };
    const auto tell = [&](size_t s) {
      RequireOk(
          Call(stub(), &v1::OptimizationService::Stub::Observe,
               TellRequest(leased[s].name(), LossOutcome(BowlLoss(leased[s].configuration(), 0)))));
    };
    const int calls = trials >= kLargeTrials ? kPreparedCallsOfLarge : kPreparedCalls;
    for (int i = 0; i <= calls; ++i) {
      const Latencies asked = TimeTogether(leased.size(), ask);
      std::this_thread::sleep_for(kMeasuring);
      const Latencies told = TimeTogether(leased.size(), tell);
      std::this_thread::sleep_for(kMeasuring + count * kPreparing);
      if (i == 0) continue;  // Nothing was prepared yet.
      result.suggest.Merge(asked);
      result.observe.Merge(told);
    }
    return result;
  }

  // The latencies of many small studies' Suggest, alone and beside one large study. Every small one
  // has a worker, and the large one several.
  struct Fairness {
    Latencies alone;
    Latencies beside;
    int large_cycles = 0;
  };

  Fairness MeasureFairness(int large_trials, int small_studies) {
    std::vector<std::string> small;
    for (int i = 0; i < small_studies; ++i) {
      small.push_back(MakeStudy("gp_log_ei", 0, kSmallTrials));
    }
    const std::string large = MakeStudy("gp_log_ei", 0, large_trials);
    Fairness result;
    result.alone = AskInAll(small);
    std::atomic<bool> over{false};
    std::atomic<int> cycles{0};
    std::vector<std::jthread> workers;
    for (int w = 0; w < kLargeWorkers; ++w) {
      workers.emplace_back([&] {
        while (!over) {
          AskLightly(large, 1);
          ++cycles;
          cycles.notify_all();
        }
      });
    }
    cycles.wait(0);  // The large study's model is there.
    result.beside = AskInAll(small);
    over = true;
    workers.clear();
    result.large_cycles = cycles;
    return result;
  }

  // The median and the 99th percentile of a light study's Suggest, alone and beside heavy ones, in
  // studies that are equally large.
  struct Beside {
    Latencies alone;
    Latencies beside;
    double longest_heavy = 0;  // Seconds.
    double seconds_to_end = 0;
  };

  Beside MeasureBesideHeavyOnes() {
    Beside result;
    const std::vector<std::string> light_alone = MakeStudies(kLightStudies, 20);
    const std::vector<std::string> light_beside = MakeStudies(kLightStudies, 20);
    const std::vector<std::string> heavy = MakeStudies(kHeavyStudies, 50);
    const auto ask_lightly = [&](const std::vector<std::string>& studies) {
      Latencies all;
      for (const std::string& study : studies) all.Merge(AskLightly(study, kLightCalls));
      return all;
    };
    result.alone = ask_lightly(light_alone);
    std::vector<std::future<double>> asked = AskHeavily(heavy, "first");
    result.beside = ask_lightly(light_beside);
    for (std::future<double>& each : asked) {
      result.longest_heavy = std::max(result.longest_heavy, each.get());
    }
    asked = AskHeavily(heavy, "second");
    AskOnce(light_alone.front(), "last");  // By then the server computes for the heavy ones.
    const Clock::time_point start = Clock::now();
    server_.Terminate();
    result.seconds_to_end = SecondsSince(start);
    return result;
  }

 private:
  v1::OptimizationService::Stub& stub() { return server_.stub(); }

  // How long each of so many calls takes that are made at once, each on a thread of its own.
  static Latencies TimeTogether(size_t count, const std::function<void(size_t)>& call) {
    std::vector<double> microseconds(count);
    std::latch all_are_ready(static_cast<std::ptrdiff_t>(count));
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        all_are_ready.arrive_and_wait();
        const Clock::time_point start = Clock::now();
        call(i);
        microseconds[i] = 1e6 * SecondsSince(start);
      });
    }
    threads.clear();
    Latencies latencies;
    latencies.microseconds = std::move(microseconds);
    return latencies;
  }

  std::string MakeStudy(const std::string& preset, int sources, int trials) {
    v1::Study study = BowlStudy(kDimension, preset);
    for (int task = 1; task <= sources; ++task) {
      study.add_source_tasks(RegisterBowl(stub(), kDimension, kSourcePoints, task));
    }
    const std::string id = absl::StrCat("s", ++studies_);
    RequireOk(Call(stub(), &v1::OptimizationService::Stub::CreateStudy, CreateRequest(study, id)));
    const std::string name = "studies/" + id;
    AddResults(name, trials);
    if (sources > 0) WaitForSources(name);
    return name;
  }

  std::vector<std::string> MakeStudies(int count, int trials) {
    std::vector<std::string> studies;
    for (int i = 0; i < count; ++i) studies.push_back(MakeStudy("gp_log_ei", 0, trials));
    return studies;
  }

  void AddResults(const std::string& study, int count) {
    v1::AddTrialsRequest request;
    request.set_study(study);
    const auto send = [&] {
      RequireOk(Call(stub(), &v1::OptimizationService::Stub::AddTrials, request));
      request.clear_observations();
    };
    for (v1::Observation& observation : BowlObservations(kDimension, count, 0)) {
      *request.add_observations() = std::move(observation);
      if (request.observations_size() == kMostAdded) send();
    }
    if (request.observations_size() > 0) send();
  }

  // Until a suggestion is made with transfer.
  void WaitForSources(const std::string& study) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; Clock::now() - start < kMostWait; ++i) {
      const v1::Trial trial = AskOnce(study, absl::StrCat("probe", i));
      RequireOk(Call(stub(), &v1::OptimizationService::Stub::Observe,
                     TellRequest(trial.name(), LossOutcome(BowlLoss(trial.configuration(), 0)))));
      v1::ExplainRequest request;
      request.set_trial(trial.name());
      v1::Explanation explanation;
      RequireOk(Call(stub(), &v1::OptimizationService::Stub::Explain, request, &explanation));
      if (explanation.provenance().rung() == v1::Provenance::RECIPE) return;
    }
    throw std::runtime_error("the source tasks are not fitted in time");
  }

  v1::Trial AskOnce(const std::string& study, const std::string& worker) {
    v1::SuggestResponse response;
    RequireOk(Call(stub(), &v1::OptimizationService::Stub::Suggest, AskRequest(study, worker),
                   &response));
    return response.trials(0);
  }

  // How long Suggest takes for a worker who measures at once, so many times.
  Latencies AskLightly(const std::string& study, int calls) {
    Latencies latencies;
    for (int i = 0; i < calls; ++i) {
      const Clock::time_point start = Clock::now();
      const v1::Trial trial = AskOnce(study, absl::StrCat("light", ++asked_));
      latencies.microseconds.push_back(1e6 * SecondsSince(start));
      RequireOk(Call(stub(), &v1::OptimizationService::Stub::Observe,
                     TellRequest(trial.name(), LossOutcome(BowlLoss(trial.configuration(), 0)))));
    }
    return latencies;
  }

  // The same in all studies at once.
  Latencies AskInAll(const std::vector<std::string>& studies) {
    std::vector<std::future<Latencies>> asked;
    for (const std::string& study : studies) {
      asked.push_back(std::async(std::launch::async,
                                 [this, &study] { return AskLightly(study, kSmallCalls); }));
    }
    Latencies all;
    for (std::future<Latencies>& each : asked) all.Merge(each.get());
    return all;
  }

  // The seconds that each call takes.
  std::vector<std::future<double>> AskHeavily(const std::vector<std::string>& studies,
                                              const std::string& worker) {
    std::vector<std::future<double>> asked;
    for (const std::string& study : studies) {
      asked.push_back(std::async(std::launch::async, [this, study, worker] {
        const Clock::time_point start = Clock::now();
        Call(stub(), &v1::OptimizationService::Stub::Suggest,
             AskRequest(study, worker, kHeavyCount));
        return SecondsSince(start);
      }));
    }
    return asked;
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path(), {"--drain-seconds", std::to_string(kDrainSeconds)}};
  int studies_ = 0;
  std::atomic<int> asked_{0};
};

// What the study of `trials` results must reach with so many workers.
std::vector<Figure> BarsOf(const std::string& where, int trials, int workers, double part,
                           const Cycles& cycles) {
  std::vector<Figure> figures;
  if (workers >= 128 && trials >= 200) {
    figures.push_back(
        AtLeast("cycles/s" + where, cycles.Rate(), part * (trials >= 1000 ? 40 : 100)));
    figures.push_back(
        AtMost("Suggest's p99 in s" + where, cycles.P99(), (trials >= 1000 ? 4 : 2) / part));
    figures.push_back(AtMost("share of quasi-random" + where, cycles.QuasiRandomShare(), 0.05));
  } else if (workers >= 32 && workers < 128) {
    figures.push_back(AtMost("Suggest's p99 in s" + where, cycles.P99(), 1 / part));
  }
  return figures;
}

class Report {
 public:
  Report() {
    std::cout << absl::StrFormat("%-10s %7s %7s %8s %10s %10s %10s %14s %9s\n", "preset", "sources",
                                 "trials", "workers", "cycles/s", "p50 s", "p99 s", "quasi-random",
                                 "failures");
  }

  void Add(const std::string& preset, int sources, int trials, int workers, const Cycles& cycles) {
    std::cout << absl::StrFormat("%-10s %7d %7d %8d %10.1f %10.3f %10.3f %14.2f %9d\n", preset,
                                 sources, trials, workers, cycles.Rate(), cycles.P50(),
                                 cycles.P99(), cycles.QuasiRandomShare(), cycles.suggest.failures)
              << std::flush;
    csv_.push_back(absl::StrFormat("%s,%d,%d,%d,%.2f,%.4f,%.4f,%.4f,%d", preset, sources, trials,
                                   workers, cycles.Rate(), cycles.P50(), cycles.P99(),
                                   cycles.QuasiRandomShare(), cycles.suggest.failures));
    const std::string where =
        absl::StrCat(", ", preset, ", ", trials, " trials, ", workers, " workers");
    const double part = sources > 0 ? 0.5 : 1;
    for (Figure& figure : BarsOf(where, trials, workers, part, cycles)) {
      figures_.push_back(std::move(figure));
    }
    failures_ += cycles.suggest.failures;
  }

  void Add(int trials, int studies, const Benchmark::Prepared& prepared) {
    const double suggest = prepared.suggest.Quantile(0.5) / 1e3;
    const double observe = prepared.observe.Quantile(0.5) / 1e3;
    const double slowest = prepared.suggest.Quantile(0.99) / 1e6;
    std::cout << absl::StrFormat(
        "%d in flight, %d trials: a prepared Suggest takes %.2f ms, an Observe %.2f ms (p50), and "
        "a Suggest %.3f s (p99)\n",
        studies, trials, suggest, observe, slowest);
    figures_.push_back(AtMost(absl::StrCat("a prepared Suggest's p50 / Observe's, ", trials,
                                           " trials, ", studies, " in flight"),
                              suggest / observe, 1.2));
    if (trials < kLargeTrials) return;
    figures_.push_back(AtMost(absl::StrCat("a prepared Suggest's p99 in s, ", trials, " trials"),
                              slowest, kBudgetSeconds));
  }

  void Add(int large_trials, const Benchmark::Fairness& fairness) {
    const double alone = fairness.alone.Quantile(0.99) / 1e3;
    const double beside = fairness.beside.Quantile(0.99) / 1e3;
    std::cout << absl::StrFormat(
        "small studies' Suggest takes %.0f ms alone (p50 %.0f ms), %.0f ms (p50 %.0f ms) beside "
        "one of %d trials, which made %d cycles meanwhile (p99)\n",
        alone, fairness.alone.Quantile(0.5) / 1e3, beside, fairness.beside.Quantile(0.5) / 1e3,
        large_trials, fairness.large_cycles);
    figures_.push_back(AtMost("small studies' p99 beside a large one / alone", beside / alone, 3));
  }

  void Add(const Benchmark::Beside& beside) {
    const double alone = beside.alone.Quantile(0.99) / 1e3;
    const double with = beside.beside.Quantile(0.99) / 1e3;
    std::cout << absl::StrFormat(
        "light studies' p99: %.0f ms (p50 %.0f ms) alone, %.0f ms (p50 %.0f ms) beside %d studies "
        "that ask for %d; the longest of these took %.2f s; the server ended in %.2f s of %d\n",
        alone, beside.alone.Quantile(0.5) / 1e3, with, beside.beside.Quantile(0.5) / 1e3,
        kHeavyStudies, kHeavyCount, beside.longest_heavy, beside.seconds_to_end,
        kDrainSeconds);
    figures_.push_back(AtMost("light studies' p99 beside heavy ones / alone", with / alone, 3));
    figures_.push_back(
        AtMost("the longest heavy call in s", beside.longest_heavy, kBudgetSeconds + 1));
    figures_.push_back(
        AtMost("seconds from SIGTERM to the end", beside.seconds_to_end, kDrainSeconds + 2));
  }

  int Finish(const Settings& settings) {
    if (!settings.csv.empty()) WriteCsv(settings.csv, csv_);
    const int missed = settings.bars ? PrintFigures(figures_) : 0;
    return missed == 0 && failures_ == 0 ? 0 : 1;
  }

 private:
  std::vector<std::string> csv_ = {
      "preset,sources,trials,workers,cycles_per_s,p50_s,p99_s,quasi_random,failures"};
  std::vector<Figure> figures_;
  long failures_ = 0;
};

int Run(const Settings& settings) {
  Benchmark benchmark;
  Report report;
  for (const int trials : settings.trials) {
    for (const int workers : settings.workers) {
      const int cycles = workers * settings.cycles_per_worker;
      report.Add("gp_log_ei", 0, trials, workers,
                 benchmark.Measure("gp_log_ei", 0, trials, workers, cycles));
    }
  }
  for (const int workers : settings.workers) {
    if (settings.sources == 0) break;
    const int trials = settings.trials.size() > 1 ? settings.trials[1] : settings.trials.front();
    report.Add("scaml", settings.sources, trials, workers,
               benchmark.Measure("scaml", settings.sources, trials, workers,
                                 workers * settings.cycles_per_worker));
  }
  for (const int trials : settings.trials) {
    if (settings.prepared) report.Add(trials, 1, benchmark.MeasurePrepared(trials, 1));
  }
  for (const int studies : {8, 32}) {
    if (!settings.prepared) break;
    const int trials = settings.trials.front();
    report.Add(trials, studies, benchmark.MeasurePrepared(trials, studies));
  }
  if (settings.fairness) {
    report.Add(settings.large, benchmark.MeasureFairness(settings.large, settings.small));
  }
  if (settings.heavy) report.Add(benchmark.MeasureBesideHeavyOnes());
  return report.Finish(settings);
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Settings settings;
  slipstream::CommandFlags flags("Measures many workers on one study");
  flags.Value("--trials", &settings.trials, "Results that the studies have at first");
  flags.Value("--workers", &settings.workers, "Workers at once");
  flags.Value("--cycles", &settings.cycles_per_worker, "Cycles of each worker");
  flags.Value("--csv", &settings.csv, "File for the table");
  bool sources = true;
  flags.TurnOff("--no-sources", &sources, "Leave out studies with source tasks");
  flags.TurnOff("--no-prepared", &settings.prepared, "Leave out suggestions worked out ahead");
  flags.Value("--large", &settings.large, "Trials of the study beside small ones");
  flags.Value("--small", &settings.small, "Small studies beside it");
  flags.TurnOff("--no-fairness", &settings.fairness, "Leave out small studies beside a large one");
  flags.TurnOff("--no-heavy", &settings.heavy, "Leave out the heavy calls");
  flags.TurnOff("--no-bars", &settings.bars, "Do not compare with the bars");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  if (!sources) settings.sources = 0;
  return slipstream::Run(settings);
}
