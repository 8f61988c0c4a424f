// Compares a server on a file of many studies with one on a file of ten: how soon it
// is ready, how much memory it uses after reading everything, and how fast single
// reads are.
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/convert/study_conversion.h"
#include "server/convert/trial_conversion.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/latencies.h"
#include "tests/benchmarks/timing.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/command_flags.h"

namespace slipstream {
namespace {

using Stub = v1::OptimizationService::Stub;
using Clock = std::chrono::steady_clock;

constexpr int kFewStudies = 10;
constexpr int kTrials = 100;
constexpr int kRounds = 5;

// Waits until all started writes are done.
class Pending {
 public:
  void Start() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
  }
  void Done(const absl::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!status.ok()) failure_ = status;
    if (--count_ <= kEnough) changed_.notify_all();
  }
  void WaitForRoom() { WaitUntil(kEnough); }
  void WaitForAll() { WaitUntil(0); }

 private:
  static constexpr int kEnough = 256;

  void WaitUntil(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ <= count; });
    if (!failure_.ok()) throw std::runtime_error(failure_.ToString());
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  absl::Status failure_;
};

template <typename Record>
Write<Record> Waiting(Pending* pending) {
  pending->Start();
  Write<Record> write;
  write.render = [](const Record&) { return std::string(); };
  write.done = [pending](absl::Status status, std::optional<std::string>) {
    pending->Done(status);
  };
  return write;
}

std::vector<NewTrial> TrialsOf(const StudyDefinition& definition, int study) {
  std::vector<NewTrial> trials;
  for (int i = 0; i < kTrials; ++i) {
    const v1::Observation observation =
        MeasuredObservation(ExampleConfiguration(1e-4 * (i + 1), 1 + i % 8), study + 0.01 * i);
    trials.push_back(*AddedTrial(*definition.space, definition.metric, observation));
  }
  return trials;
}

// Writes directly to a store; the file is the same as one that a server wrote.
void Fill(const std::string& folder, int studies) {
  SqliteStoreOptions options;
  options.path = folder + "/slipstream.db";
  options.create = true;
  absl::StatusOr<std::unique_ptr<Store>> store = OpenSqliteStore(options);
  if (!store.ok()) throw std::runtime_error(store.status().ToString());
  const v1::Study study = ExampleStudy();
  const StudyDefinition definition = *StudyDefinitionFromProto(study);
  Pending pending;
  for (int i = 0; i < studies; ++i) {
    const std::string id = absl::StrCat("s", i);
    (*store)->CreateStudy(NewStudyOf(study, definition, id), Waiting<StudyRecord>(&pending));
    (*store)->AddTrials({id, TrialsOf(definition, i)}, Waiting<std::vector<TrialRecord>>(&pending));
    pending.WaitForRoom();
  }
  pending.WaitForAll();
}

void Check(const grpc::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error_message());
}

// Reads every study and every trial.
int64_t ReadThrough(Stub& stub) {
  int64_t trials = 0;
  v1::ListStudiesRequest request;
  request.set_page_size(1000);
  do {
    v1::ListStudiesResponse page;
    Check(Call(stub, &Stub::ListStudies, request, &page));
    for (const v1::Study& study : page.studies()) {
      v1::ListTrialsRequest list;
      list.set_study(study.name());
      v1::ListTrialsResponse answer;
      Check(Call(stub, &Stub::ListTrials, list, &answer));
      trials += answer.trials_size();
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return trials;
}

template <typename MakeCall>
double P50(int reads, MakeCall make_call) {
  Latencies latencies;
  for (int i = 0; i < reads; ++i) {
    const Clock::time_point begin = Clock::now();
    make_call(i);
    latencies.microseconds.push_back(SecondsSince(begin) * 1e6);
  }
  return latencies.Quantile(0.5);
}

double GetStudyP50(Stub& stub, int studies, int reads) {
  std::minstd_rand random(1);
  return P50(reads, [&](int) {
    v1::GetStudyRequest request;
    request.set_name(absl::StrCat("studies/s", random() % static_cast<unsigned>(studies)));
    Check(Call(stub, &Stub::GetStudy, request));
  });
}

double ListTrialsP50(Stub& stub, int studies, int reads) {
  std::minstd_rand random(2);
  return P50(reads, [&](int) {
    v1::ListTrialsRequest request;
    request.set_study(absl::StrCat("studies/s", random() % static_cast<unsigned>(studies)));
    Check(Call(stub, &Stub::ListTrials, request));
  });
}

double ResidentMebibytes(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  std::string word;
  while (status >> word) {
    double kibibytes = 0;
    if (word == "VmRSS:" && status >> kibibytes) return kibibytes / 1024;
  }
  throw std::runtime_error("cannot read the server's memory");
}

int Run(int studies, int reads, bool bars, const std::string& csv) {
  TemporaryFolder few;
  TemporaryFolder many;
  Fill(few.path(), kFewStudies);
  Fill(many.path(), studies);
  const Clock::time_point begin = Clock::now();
  ServerProcess large(many.path());
  v1::GetStudyRequest first;
  first.set_name("studies/s0");
  Check(Call(large.stub(), &Stub::GetStudy, first));
  const double ready = SecondsSince(begin);
  ServerProcess small(few.path());
  const int64_t trials = ReadThrough(large.stub());
  std::vector<double> get_ratios;
  std::vector<double> list_ratios;
  std::vector<double> get_times;
  std::vector<double> list_times;
  for (int round = 0; round < kRounds; ++round) {
    get_times.push_back(GetStudyP50(large.stub(), studies, reads));
    get_ratios.push_back(get_times.back() / GetStudyP50(small.stub(), kFewStudies, reads));
    list_times.push_back(ListTrialsP50(large.stub(), studies, reads));
    list_ratios.push_back(list_times.back() / ListTrialsP50(small.stub(), kFewStudies, reads));
  }
  const double memory = ResidentMebibytes(large.pid());
  std::cout << absl::StrFormat(
      "%d studies, %d trials read through; p50 of GetStudy %.0f us, of a page of %d trials %.0f "
      "us\n",
      studies, trials, Median(get_times), kTrials, Median(list_times));
  const std::vector<Figure> figures = {
      AtMost("seconds from start to the first answer", ready, 1),
      AtMost("resident MiB after reading everything", memory, 150),
      AtMost("GetStudy's p50 / that with 10 studies", Median(get_ratios), 1.5),
      AtMost("ListTrials' p50 / that with 10 studies", Median(list_ratios), 1.5)};
  if (!csv.empty()) {
    std::vector<std::string> lines = {"figure,value"};
    for (const Figure& figure : figures) {
      lines.push_back(absl::StrFormat("\"%s\",%.4f", figure.name, figure.value));
    }
    WriteCsv(csv, lines);
  }
  const int missed = PrintFigures(figures);
  return trials == int64_t{studies} * kTrials && (missed == 0 || !bars) ? 0 : 1;
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  int studies = 10000;
  int reads = 2000;
  bool bars = true;
  std::string csv;
  slipstream::CommandFlags flags("Compares a server on a large file with one on a small file");
  flags.Value("--studies", &studies, "Studies in the large file");
  flags.Value("--reads", &reads, "Reads in one measurement");
  flags.Value("--csv", &csv, "File for the figures");
  flags.TurnOff("--no-bars", &bars, "Measure only; missed bars are not a failure");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  return slipstream::Run(studies, reads, bars, csv);
}
