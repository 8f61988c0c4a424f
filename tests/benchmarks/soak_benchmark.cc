// Two hundred workers on twenty studies for five minutes, half of them with source tasks, through
// the real server: no call may fail, no trial be leased twice and no result be lost; results are
// taken nearly as quickly as from a single worker, and the server's memory stops growing.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/benchmarks/bowl_studies.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/soak_workers.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/command_flags.h"

namespace slipstream {
namespace {

using Clock = std::chrono::steady_clock;
using Stub = v1::OptimizationService::Stub;

constexpr int kDimension = 4;
constexpr int kSources = 5;
constexpr int kSourcePoints = 60;
constexpr int kPage = 1000;
// Observes of a single worker.
constexpr int kAlone = 1000;

struct Settings {
  double seconds = 300;
  int workers = 200;
  int studies = 20;
  double training_seconds = 4;
  // Then the study is followed by another one, so that studies begin and end all the time.
  int results_per_study = 100;
  // The server keeps models of sources and their predictions until they take so much: so little
  // that this is soon the case.
  int fitted_source_mib = 64;
  bool bars = true;
  std::string csv;
};

double ResidentMib(pid_t pid) {
  double pages = 0;
  double resident = 0;
  std::ifstream(absl::StrCat("/proc/", pid, "/statm")) >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// What a run found out.
struct Soak {
  SoakResult result;
  Latencies alone;   // Observes of one worker without any other.
  int64_t lost = 0;  // Acknowledged results that are not there, or differ.
  double seconds = 0;
  // Resident MiB in the tenth of the time after the first minute, or after a fifth of a shorter
  // run, and in the last tenth; medians.
  double minute_mib = 0;
  double end_mib = 0;
  double most_results = 0;  // The largest study's.
};

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings) : settings_(settings) {}

  Soak Run() {
    Soak soak;
    soak.alone = ObserveAlone();
    sources_ = RegisterSources();
    const int minute = static_cast<int>(std::min(60.0, settings_.seconds / 5 + 1));
    SoakWorkers::Load load = {
        settings_.workers, settings_.studies, settings_.results_per_study, {}};
    load.training = std::chrono::milliseconds(static_cast<int>(1e3 * settings_.training_seconds));
    SoakWorkers workers(&server_.stub(), load, [this](int place) { return MakeStudyAt(place); });
    std::vector<double> after_minute;
    std::vector<double> last;
    soak.result = workers.Run(settings_.seconds, [&](int second) {
      const double mib = ResidentMib(server_.pid());
      csv_.push_back(absl::StrFormat("%d,%.1f", second, mib));
      const double tenth = std::max(1.0, settings_.seconds / 10);
      if (second > minute && second <= minute + tenth) after_minute.push_back(mib);
      if (second > settings_.seconds - tenth) last.push_back(mib);
    });
    soak.minute_mib = Median(after_minute);
    soak.end_mib = Median(last);
    soak.seconds = settings_.seconds;
    for (const std::string& study : studies_) FindLost(study, soak);
    if (!settings_.csv.empty()) WriteCsv(settings_.csv, csv_);
    return soak;
  }

 private:
  std::string MakeStudy(const v1::Study& study) {
    const std::string id = absl::StrCat("s", ++made_);
    RequireOk(Call(server_.stub(), &Stub::CreateStudy, CreateRequest(study, id)));
    return "studies/" + id;
  }

  std::vector<std::string> RegisterSources() {
    std::vector<std::string> sources;
    for (int task = 1; task <= kSources; ++task) {
      sources.push_back(RegisterBowl(server_.stub(), kDimension, kSourcePoints, task));
    }
    return sources;
  }

  // Every second one has source tasks.
  std::string MakeStudyAt(int place) {
    v1::Study study = BowlStudy(kDimension, place % 2 == 0 ? "scaml" : "gp_log_ei");
    for (const std::string& source : sources_) {
      if (place % 2 == 0) study.add_source_tasks(source);
    }
    const std::string name = MakeStudy(study);
    const std::lock_guard<std::mutex> lock(mutex_);
    studies_.push_back(name);
    return name;
  }

  Latencies ObserveAlone() {
    Latencies latencies;
    const std::string study = MakeStudy(BowlStudy(kDimension, "quasi_random"));
    for (int i = 0; i < kAlone; ++i) {
      v1::SuggestResponse asked;
      RequireOk(Call(server_.stub(), &Stub::Suggest, AskRequest(study, "w"), &asked));
      const v1::ObserveRequest tell = TellRequest(asked.trials(0).name(), LossOutcome(i));
      const Clock::time_point start = Clock::now();
      RequireOk(Call(server_.stub(), &Stub::Observe, tell));
      latencies.microseconds.push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    return latencies;
  }

  // Compares all trials of the study with what was acknowledged.
  void FindLost(const std::string& study, Soak& soak) {
    std::map<std::string, double> kept;
    v1::ListTrialsRequest request;
    request.set_study(study);
    request.set_page_size(kPage);
    v1::ListTrialsResponse page;
    do {
      request.set_page_token(page.next_page_token());
      RequireOk(Call(server_.stub(), &Stub::ListTrials, request, &page));
      for (const v1::Trial& trial : page.trials()) {
        if (trial.state() != v1::Trial::SUCCEEDED) continue;
        kept[trial.name()] = trial.measurement().metrics().at("loss");
      }
    } while (!page.next_page_token().empty());
    for (const auto& [trial, loss] : soak.result.told) {
      if (trial.compare(0, study.size() + 1, study + "/") != 0) continue;
      const auto found = kept.find(trial);
      if (found == kept.end() || found->second != loss) ++soak.lost;
    }
    soak.most_results = std::max(soak.most_results, static_cast<double>(kept.size()));
  }

  const Settings settings_;
  TemporaryFolder data_;
  ServerProcess server_{data_.path(),
                        {"--fitted-source-mib", absl::StrCat(settings_.fitted_source_mib)}};
  std::atomic<int> made_{0};
  std::vector<std::string> sources_;
  std::mutex mutex_;
  std::vector<std::string> studies_;
  std::vector<std::string> csv_ = {"second,resident_mib"};
};

int Report(const Settings& settings, const Soak& soak) {
  const SoakResult& result = soak.result;
  const double cycles = static_cast<double>(result.told.size());
  std::cout << absl::StrFormat(
      "%d workers, %d studies, %.0f s: %.0f results, %.1f a second, at most %.0f in a study\n",
      settings.workers, settings.studies, soak.seconds, cycles, cycles / soak.seconds,
      soak.most_results);
  std::cout << absl::StrFormat("Suggest: p50 %.1f ms, p99 %.1f ms\n",
                               result.suggest.Quantile(0.5) / 1e3,
                               result.suggest.Quantile(0.99) / 1e3);
  std::cout << absl::StrFormat(
      "Observe: p50 %.2f ms, p99 %.2f ms; alone p50 %.2f ms, p99 %.2f ms\n",
      result.observe.Quantile(0.5) / 1e3, result.observe.Quantile(0.99) / 1e3,
      soak.alone.Quantile(0.5) / 1e3, soak.alone.Quantile(0.99) / 1e3);
  std::cout << absl::StrFormat("resident: %.0f MiB after a minute, %.0f MiB in the end\n",
                               soak.minute_mib, soak.end_mib);
  for (const std::string& error : result.errors) std::cout << "failed: " << error << "\n";
  for (const std::string& twice : result.leased_twice) std::cout << "leased: " << twice << "\n";
  const bool sound = result.errors.empty() && result.leased_twice.empty() && soak.lost == 0;
  std::vector<Figure> figures = {
      AtMost("calls that failed", static_cast<double>(result.errors.size()), 0),
      AtMost("trials leased twice", static_cast<double>(result.leased_twice.size()), 0),
      AtMost("acknowledged results lost", static_cast<double>(soak.lost), 0),
      AtLeast("results", cycles, settings.workers),
      AtMost("Observe's p99 / its p99 alone",
             result.observe.Quantile(0.99) / soak.alone.Quantile(0.99), 10),
      // A tenth for what differs from second to second, and 16 for what is kept of each study.
      AtMost("resident MiB in the end, of 1.1 * after a minute + 16", soak.end_mib,
             1.1 * soak.minute_mib + 16)};
  if (!settings.bars) return sound ? 0 : 1;
  return PrintFigures(figures) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Settings settings;
  slipstream::CommandFlags flags("Lets many workers work on many studies for a while");
  flags.Value("--seconds", &settings.seconds, "How long");
  flags.Value("--workers", &settings.workers, "Workers at once");
  flags.Value("--studies", &settings.studies, "Studies, half of them with source tasks");
  flags.Value("--training-seconds", &settings.training_seconds, "How long a trial takes a worker");
  flags.Value("--results-per-study", &settings.results_per_study,
              "Results after which a study is followed by another one");
  flags.Value("--fitted-source-mib", &settings.fitted_source_mib,
              "The server's memory for models of source tasks");
  flags.Value("--csv", &settings.csv, "File for the server's memory by second");
  flags.TurnOff("--no-bars", &settings.bars, "Do not compare with the bars");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  return slipstream::Report(settings, slipstream::Benchmark(settings).Run());
}
