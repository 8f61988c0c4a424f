// Measures an RPC that does nothing, one that makes two bare rows durable, and a durable
// Observe, Suggest and Report at several numbers of calls in flight; and Observe again
// while many watch the study, and without metrics and logs, and with TLS and tokens. They alternate
// over several rounds, so that their ratios hold while the machine's speed drifts. The
// load comes from this process; the server is another one.
#include <grpcpp/generic/generic_stub.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "probe.grpc.pb.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/latencies.h"
#include "tests/benchmarks/load.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/command_flags.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

constexpr int kLanes = 4;
constexpr int kPayloadBytes = 200;
constexpr int kTrialsPerCall = 1000;
constexpr double kMaxObservesPerSecond = 30000;
constexpr int kWatchers = 500;
constexpr int kWatchedInFlight = 32;
constexpr int kReportedTrials = 2000;
constexpr std::chrono::milliseconds kSettle(300);

struct Settings {
  double seconds = 2;
  int rounds = 5;
  std::vector<int> in_flight = {1, 8, 32, 128};
  std::string csv;
  bool bars = true;
  bool levels = true;
  bool suggest = true;
  bool reports = true;
  bool watchers = true;
  bool sight = true;
};

// A watcher that reads all messages about a study and forgets them. What watchers make of them is
// no part of what they cost those who write, so the bytes are not looked into, unless `counts`.
class IdleWatcher : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  IdleWatcher(grpc::GenericStub* stub, const std::string& study, bool counts) : counts_(counts) {
    v1::WatchStudyRequest request;
    request.set_study(study);
    bool owned = false;
    grpc::SerializationTraits<v1::WatchStudyRequest>::Serialize(request, &request_, &owned);
    stub->PrepareBidiStreamingCall(&context_, "/slipstream.v1.OptimizationService/WatchStudy", {},
                                   this);
    StartWriteLast(&request_, {});
    StartRead(&response_);
    StartCall();
  }
  ~IdleWatcher() override {
    context_.TryCancel();
    ended_.get_future().wait();
  }
  // Returns when the stream has begun.
  void WaitForBegin() { begun_.get_future().wait(); }
  int64_t events() const { return events_; }

 private:
  void OnReadDone(bool alive) override {
    if (!std::exchange(has_begun_, true)) begun_.set_value();
    if (!alive) return;
    if (counts_) Count();
    StartRead(&response_);
  }
  void Count() {
    v1::WatchResponse response;
    grpc::SerializationTraits<v1::WatchResponse>::Deserialize(&response_, &response);
    events_ += response.events_size();
  }
  void OnDone(const grpc::Status&) override { ended_.set_value(); }

  grpc::ClientContext context_;
  const bool counts_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::atomic<int64_t> events_{0};
  bool has_begun_ = false;
  std::promise<void> begun_;
  std::promise<void> ended_;
};

// One asynchronous call, alive until its response.
template <typename Request, typename Response>
struct PendingCall {
  grpc::ClientContext context;
  Request request;
  Response response;
};

// Deletes `call`, then tells `done` whether it succeeded. A call's context holds its channel, and
// gRPC's own thread must not be the last to let go of that: it would wait for itself to end.
template <typename Call>
std::function<void(grpc::Status)> Ending(std::shared_ptr<Call> call,
                                         std::function<void(bool)> done) {
  return [call = std::move(call), done = std::move(done)](const grpc::Status& status) mutable {
    call.reset();
    done(status.ok());
  };
}

std::string RequestId(int64_t series, int64_t index) {
  // Ordered by time, like a client's.
  return absl::StrFormat("%08d-%012d", series, index);
}

struct Security {
  bool tls = false;
  bool tokens = false;
};

// The files with which a server encrypts or asks for tokens, and what its callers present. A server
// that does neither has none.
class Credentials {
 public:
  explicit Credentials(const Security& used) : used_(used) {
    if (used_.tls) {
      const CertificateAndKey server = authority_.Issue("server");
      WriteWhole(folder_.path() + "/certificate", server.certificate);
      WriteWhole(folder_.path() + "/key", server.key);
    }
    if (!used_.tokens) return;
    const Token token = MakeToken("benchmark").value();
    WriteWhole(folder_.path() + "/tokens",
               TokenLine(ParseIdentity("benchmark", "trainer", "default").value(), token.hash));
    authorization_ = "Bearer " + token.text;
  }

  std::vector<std::string> Flags(bool sight) const {
    std::vector<std::string> flags = {"--sight", sight ? "on" : "off"};
    if (used_.tls || used_.tokens) flags.insert(flags.end(), {"--security", folder_.path()});
    return flags;
  }
  std::shared_ptr<grpc::ChannelCredentials> Channel() const {
    if (!used_.tls) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority_.certificate();
    return grpc::SslCredentials(options);
  }
  void Authorize(grpc::ClientContext* context) const {
    if (used_.tokens) context->AddMetadata("authorization", authorization_);
  }

 private:
  const Security used_;
  TemporaryFolder folder_;
  CertificateAuthority authority_{"Benchmark"};
  std::string authorization_;
};

class Benchmark {
 public:
  // What the server does besides serving: log and count calls as it does by default, and encrypt
  // and ask for tokens.
  struct Server {
    bool sight = true;
    Security security = {};
  };
  Benchmark(const Settings& settings, const Server& server)
      : settings_(settings),
        credentials_(server.security),
        server_(data_.path(), credentials_.Flags(server.sight),
                BuildPath("bin/tests/benchmark_server")) {
    for (int lane = 0; lane < kLanes; ++lane) {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      const auto channel =
          grpc::CreateCustomChannel(server_.address(), credentials_.Channel(), arguments);
      stubs_.push_back({benchmarks::Probe::NewStub(channel),
                        v1::OptimizationService::NewStub(channel),
                        std::make_unique<grpc::GenericStub>(channel)});
    }
  }

  Latencies Empty(int in_flight) {
    return Probe(in_flight, [](Stubs& stubs, ProbeCall& call, auto done) {
      stubs.probe->async()->Echo(&call.context, &call.request, &call.response, std::move(done));
    });
  }

  Latencies BareCommit(int in_flight) {
    return Probe(in_flight, [](Stubs& stubs, ProbeCall& call, auto done) {
      stubs.probe->async()->Commit(&call.context, &call.request, &call.response, std::move(done));
    });
  }

  // Observe while watchers read what happens; the share of the events that the first of them got.
  Latencies WatchedObserve(int in_flight, double* told) {
    std::vector<std::unique_ptr<IdleWatcher>> watchers;
    Latencies latencies = Observe(in_flight, [&](const std::string& study) {
      for (int i = 0; i < kWatchers; ++i) {
        watchers.push_back(
            std::make_unique<IdleWatcher>(stubs_[i % kLanes].generic.get(), study, i == 0));
      }
      for (const auto& watcher : watchers) watcher->WaitForBegin();
    });
    *told = static_cast<double>(watchers.front()->events()) /
            static_cast<double>(latencies.microseconds.size());
    return latencies;
  }

  // Reports measurements of `steps` steps in each call, one leased trial after the other.
  Latencies Report(int in_flight, int steps) {
    const int64_t series = ++series_;
    const int64_t trials = LeaseTrials(series, kReportedTrials);
    Settle();
    return Run(in_flight, [=, this](int64_t index, int lane, auto done) {
      auto call = std::make_shared<PendingCall<v1::ReportRequest, v1::ReportResponse>>();
      call->request.set_trial(absl::StrCat(StudyName(series), "/trials/", index % trials + 1));
      for (int i = 0; i < steps; ++i) {
        v1::StepMeasurement* report = call->request.add_reports();
        report->set_step(index / trials * steps + i);
        (*report->mutable_measurement()->mutable_metrics())["loss"] = static_cast<double>(i);
      }
      auto& [context, request, response] = *call;
      stubs_[lane].optimization->async()->Report(&context, &request, &response,
                                                 Ending(std::move(call), done));
      return true;
    });
  }

  // Reports the outcome of one leased trial after the other. `prepare` gets the study's name.
  Latencies Observe(
      int in_flight,
      const std::function<void(const std::string&)>& prepare = [](const std::string&) {}) {
    const int64_t series = ++series_;
    const int64_t trials =
        LeaseTrials(series, static_cast<int64_t>(kMaxObservesPerSecond * settings_.seconds));
    prepare(StudyName(series));
    Settle();
    return Run(in_flight, [=, this](int64_t index, int lane, auto done) {
      if (index >= trials) return false;
      auto call = std::make_shared<PendingCall<v1::ObserveRequest, v1::Trial>>();
      credentials_.Authorize(&call->context);
      call->request =
          TellRequest(absl::StrCat(StudyName(series), "/trials/", index + 1),
                      LossOutcome(static_cast<double>(index)), RequestId(series, index));
      auto& [context, request, response] = *call;
      stubs_[lane].optimization->async()->Observe(&context, &request, &response,
                                                  Ending(std::move(call), done));
      return true;
    });
  }

  // Leases one new trial after the other, each to another worker.
  Latencies Suggest(int in_flight) {
    const int64_t series = ++series_;
    CreateStudy(series);
    Settle();
    return Run(in_flight, [=, this](int64_t index, int lane, auto done) {
      auto call = std::make_shared<PendingCall<v1::SuggestRequest, v1::SuggestResponse>>();
      call->request = AskRequest(StudyName(series), absl::StrCat("worker-", index), 1,
                                 RequestId(series, index));
      auto& [context, request, response] = *call;
      stubs_[lane].optimization->async()->Suggest(&context, &request, &response,
                                                  Ending(std::move(call), done));
      return true;
    });
  }

 private:
  // One connection's stubs.
  struct Stubs {
    std::unique_ptr<benchmarks::Probe::Stub> probe;
    std::unique_ptr<v1::OptimizationService::Stub> optimization;
    std::unique_ptr<grpc::GenericStub> generic;
  };
  using ProbeCall = PendingCall<benchmarks::ProbeMessage, benchmarks::ProbeMessage>;

  template <typename Start>
  Latencies Probe(int in_flight, Start start) {
    const int64_t series = ++series_;
    Settle();
    return Run(in_flight, [=, this](int64_t index, int lane, auto done) {
      auto call = std::make_shared<ProbeCall>();
      call->request.set_payload(std::string(kPayloadBytes, 'x'));
      call->request.set_key(RequestId(series, index));
      ProbeCall& started = *call;
      start(stubs_[lane], started, Ending(std::move(call), done));
      return true;
    });
  }

  Latencies Run(int in_flight, const StartCall& start) {
    const double before = ServerCpuSeconds();
    Latencies latencies = RunLoad(in_flight, kLanes, settings_.seconds, start);
    latencies.server_cpu_seconds = ServerCpuSeconds() - before;
    return latencies;
  }

  double ServerCpuSeconds() const {
    clockid_t clock = {};
    timespec now = {};
    if (clock_getcpuclockid(server_.pid(), &clock) != 0 || clock_gettime(clock, &now) != 0) {
      throw std::runtime_error("the server's processor time cannot be read");
    }
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  static std::string StudyName(int64_t series) { return absl::StrCat("studies/s", series); }

  void CreateStudy(int64_t series) {
    v1::Study study = ExampleStudy("quasi_random");
    const grpc::Status status =
        SetUp(&v1::OptimizationService::Stub::CreateStudy,
              CreateRequest(study, absl::StrCat("s", series)), std::make_unique<v1::Study>().get());
    if (!status.ok()) throw std::runtime_error(status.error_message());
  }

  // Lets earlier writes, mostly of leased trials, reach the database file on disk, as
  // the next measurement would otherwise wait for them.
  static void Settle() {
    std::this_thread::sleep_for(kSettle);
    ::sync();
  }

  template <typename Method, typename Request, typename Response>
  grpc::Status SetUp(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    credentials_.Authorize(&context);
    return (stubs_.front().optimization.get()->*method)(&context, request, response);
  }

  // A study with `wanted` or more ACTIVE trials; returns how many.
  int64_t LeaseTrials(int64_t series, int64_t wanted) {
    CreateStudy(series);
    int64_t leased = 0;
    while (leased < wanted) {
      v1::SuggestResponse response;
      const grpc::Status status = SetUp(
          &v1::OptimizationService::Stub::Suggest,
          AskRequest(StudyName(series), absl::StrCat("w", leased), kTrialsPerCall), &response);
      if (!status.ok()) throw std::runtime_error(status.error_message());
      leased += response.trials_size();
    }
    return leased;
  }

  const Settings settings_;
  TemporaryFolder data_;
  Credentials credentials_;
  ServerProcess server_;
  std::vector<Stubs> stubs_;
  std::atomic<int64_t> series_{0};
};

// Everything measured at one number of calls in flight.
struct Level {
  int in_flight = 0;
  std::vector<Latencies> empty;  // One for each round.
  std::vector<Latencies> bare;
  std::vector<Latencies> observe;
  std::vector<Latencies> suggest;
  std::vector<Latencies> report;
  std::vector<Latencies> ten_reports;
};

Latencies Merged(const std::vector<Latencies>& rounds) {
  Latencies all;
  for (const Latencies& round : rounds) all.Merge(round);
  return all;
}

// The ratios of two measurements in the same round.
template <typename Measure>
std::vector<double> Ratios(const std::vector<Latencies>& a, const std::vector<Latencies>& b,
                           Measure measure) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) ratios.push_back(measure(a[i]) / measure(b[i]));
  return ratios;
}

template <typename Measure>
double MedianRatio(const std::vector<Latencies>& a, const std::vector<Latencies>& b,
                   Measure measure) {
  return Median(Ratios(a, b, measure));
}

double Rate(const Latencies& latencies) { return latencies.Rate(); }
double P50(const Latencies& latencies) { return latencies.Quantile(0.5); }
double P99(const Latencies& latencies) { return latencies.Quantile(0.99); }

// That the median ratio of rates is at least the bar.
Figure RatesAtLeast(std::string name, const std::vector<Latencies>& a,
                    const std::vector<Latencies>& b, double bar) {
  const std::vector<double> ratios = Ratios(a, b, Rate);
  Figure figure = AtLeast(std::move(name), Median(ratios), bar);
  figure.interval = IntervalOfMedian(ratios);
  return figure;
}

Level Measure(Benchmark* benchmark, const Settings& settings, int in_flight) {
  Level level{in_flight, {}, {}, {}, {}, {}, {}};
  for (int round = 0; round < settings.rounds; ++round) {
    level.empty.push_back(benchmark->Empty(in_flight));
    level.bare.push_back(benchmark->BareCommit(in_flight));
    level.observe.push_back(benchmark->Observe(in_flight));
    if (settings.suggest) level.suggest.push_back(benchmark->Suggest(in_flight));
    if (settings.reports) {
      level.report.push_back(benchmark->Report(in_flight, 1));
      level.ten_reports.push_back(benchmark->Report(in_flight, 10));
    }
    std::cerr << "\r" << in_flight << " in flight: round " << round + 1 << " of " << settings.rounds
              << "   " << std::flush;
  }
  std::cerr << "\r" << std::string(40, ' ') << "\r";
  return level;
}

void PrintRow(const Level& level, const std::string& name, const std::vector<Latencies>& rounds,
              std::vector<std::string>* csv) {
  const Latencies all = Merged(rounds);
  const double ratio = MedianRatio(rounds, level.empty, Rate);
  std::cout << absl::StrFormat("%10d  %-10s %10.0f/s %10.0f us %10.0f us %10.2f %10.1f us %9d\n",
                               level.in_flight, name, all.Rate(), P50(all), P99(all), ratio,
                               all.ServerMicroseconds(), all.failures);
  csv->push_back(absl::StrFormat("%d,%s,%.1f,%.1f,%.1f,%.4f,%.2f,%d", level.in_flight, name,
                                 all.Rate(), P50(all), P99(all), ratio, all.ServerMicroseconds(),
                                 all.failures));
}

std::vector<Figure> FiguresOf(const std::vector<Level>& levels) {
  std::vector<Figure> figures;
  for (const Level& level : levels) {
    const std::string where = absl::StrCat(" at ", level.in_flight, " in flight");
    figures.push_back(RatesAtLeast("Observe's rate / that of two bare rows" + where, level.observe,
                                   level.bare, 0.85));
    if (level.in_flight >= 32) {
      figures.push_back(AtMost("Observe's p99 / the empty RPC's" + where,
                               MedianRatio(level.observe, level.empty, P99), 4));
    }
    if (level.in_flight <= 32 && !level.suggest.empty()) {
      figures.push_back(AtMost("Suggest's p50 / Observe's" + where,
                               MedianRatio(level.suggest, level.observe, P50), 1.2));
    }
    if (!level.report.empty()) {
      figures.push_back(AtMost("what a Report costs / an Observe" + where,
                               MedianRatio(level.observe, level.report, Rate), 1));
      figures.push_back(AtMost("what ten in one call cost / an Observe" + where,
                               MedianRatio(level.observe, level.ten_reports, Rate), 2));
    }
  }
  return figures;
}

// Observe with watchers and without, in turn.
std::vector<Figure> MeasureWatchers(Benchmark* benchmark, const Settings& settings) {
  std::vector<Latencies> alone;
  std::vector<Latencies> watched;
  double told = 0;
  for (int round = 0; round < settings.rounds; ++round) {
    alone.push_back(benchmark->Observe(kWatchedInFlight));
    watched.push_back(benchmark->WatchedObserve(kWatchedInFlight, &told));
  }
  std::cout << absl::StrFormat(
      "%d watchers, %d in flight: Observe %.0f/s alone, %.0f/s watched; each watcher was told of "
      "%.2f of the observations while they happened\n",
      kWatchers, kWatchedInFlight, Merged(alone).Rate(), Merged(watched).Rate(), told);
  return {RatesAtLeast(absl::StrCat("Observe's rate with ", kWatchers, " watchers / alone"),
                       watched, alone, 0.9)};
}

// Observe on two servers in turn. Both begin with an empty store, as one with more trials is
// slower.
struct Pairs {
  Pairs(const Settings& settings, const Benchmark::Server& one, const Benchmark::Server& other) {
    Benchmark first(settings, one);
    Benchmark second(settings, other);
    first.Empty(kWatchedInFlight);
    second.Empty(kWatchedInFlight);
    for (int round = 0; round < settings.rounds; ++round) {
      for (const bool is_first : {round % 2 == 0, round % 2 != 0}) {
        (is_first ? with : without)
            .push_back((is_first ? first : second).Observe(kWatchedInFlight));
      }
    }
  }
  void Print(const char* what) const {
    std::cout << absl::StrFormat(
        "%d in flight: Observe %.0f/s and %.1f us of the server's CPU with %s, %.0f/s and %.1f us "
        "without\n",
        kWatchedInFlight, Merged(with).Rate(), Merged(with).ServerMicroseconds(), what,
        Merged(without).Rate(), Merged(without).ServerMicroseconds());
  }
  std::vector<Latencies> with;
  std::vector<Latencies> without;
};

// On a server that encrypts, or asks for tokens, or both, and on one that does neither.
std::vector<Figure> MeasureSecurity(const Settings& settings) {
  const auto measure = [&](const char* what, const Security& security) {
    const Pairs pairs(settings, {.security = security}, {});
    pairs.Print(what);
    return pairs;
  };
  measure("TLS alone", {.tls = true});
  measure("tokens alone", {.tokens = true});
  const Pairs both = measure("TLS and tokens", {.tls = true, .tokens = true});
  return {RatesAtLeast("Observe's rate with TLS and tokens / without", both.with, both.without,
                       0.9)};
}

// On a server that logs and counts calls and is asked for its metrics each second, and on one that
// does not.
std::vector<Figure> MeasureSight(const Settings& settings) {
  const Pairs pairs(settings, {}, {.sight = false});
  pairs.Print("metrics and logs");
  return {RatesAtLeast("Observe's rate with metrics and logs / without", pairs.with, pairs.without,
                       0.97)};
}

// Measures the calls at each number in flight and prints them; returns how many failed.
long MeasureLevels(Benchmark* benchmark, const Settings& settings, std::vector<Level>* levels) {
  if (settings.in_flight.empty()) return 0;
  std::vector<std::string> csv = {
      "in_flight,call,rate,p50_us,p99_us,rate_ratio,server_cpu_us,failures"};
  std::cout << absl::StrFormat("%10s  %-10s %12s %13s %13s %10s %13s %9s\n", "in flight", "call",
                               "rate", "p50", "p99", "ratio", "server's CPU", "failures");
  long failures = 0;
  for (const int in_flight : settings.in_flight) {
    levels->push_back(Measure(benchmark, settings, in_flight));
    const Level& level = levels->back();
    PrintRow(level, "empty", level.empty, &csv);
    PrintRow(level, "two rows", level.bare, &csv);
    PrintRow(level, "observe", level.observe, &csv);
    if (settings.suggest) PrintRow(level, "suggest", level.suggest, &csv);
    if (settings.reports) {
      PrintRow(level, "report", level.report, &csv);
      PrintRow(level, "10 reports", level.ten_reports, &csv);
      failures += Merged(level.report).failures + Merged(level.ten_reports).failures;
    }
    failures += Merged(level.observe).failures + Merged(level.suggest).failures;
  }
  std::cout << "ratio: rate / the empty RPC's rate in the same round, median over rounds\n"
               "server's CPU: time of all its threads per call\n";
  for (const Level& level : *levels) {
    std::cout << absl::StrFormat(
        "Observe at %d in flight reaches %.2f of the rate of two bare rows\n", level.in_flight,
        MedianRatio(level.observe, level.bare, Rate));
  }
  if (!settings.csv.empty()) WriteCsv(settings.csv, csv);
  return failures;
}

int Run(const Settings& settings) {
  Benchmark benchmark(settings, {});
  benchmark.Empty(kWatchedInFlight);
  std::vector<Level> levels;
  const long failures = MeasureLevels(&benchmark, settings, &levels);
  std::vector<Figure> figures = FiguresOf(levels);
  if (settings.watchers) {
    for (Figure& figure : MeasureWatchers(&benchmark, settings)) figures.push_back(figure);
  }
  if (settings.sight) {
    for (Figure& figure : MeasureSight(settings)) figures.push_back(figure);
    for (Figure& figure : MeasureSecurity(settings)) figures.push_back(figure);
  }
  const int missed = settings.bars ? PrintFigures(figures) : 0;
  return failures == 0 && missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Settings settings;
  slipstream::CommandFlags flags("Compares durable calls with a call that does nothing");
  flags.Value("--seconds", &settings.seconds, "Length of one measurement");
  flags.Value("--rounds", &settings.rounds, "Measurements of each call");
  flags.Value("--in-flight", &settings.in_flight, "Calls in flight");
  flags.Value("--csv", &settings.csv, "File for the table");
  flags.TurnOff("--no-levels", &settings.levels, "Leave out all but the costs of others that watch "
                "and of metrics, logs, TLS and tokens");
  flags.TurnOff("--no-suggest", &settings.suggest, "Leave out Suggest");
  flags.TurnOff("--no-reports", &settings.reports, "Leave out Report");
  flags.TurnOff("--no-watchers", &settings.watchers, "Leave out the watchers");
  flags.TurnOff("--no-sight", &settings.sight,
                "Leave out the cost of metrics, logs, TLS and tokens");
  flags.TurnOff("--no-bars", &settings.bars, "Do not compare with the bars");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  if (!settings.levels) settings.in_flight.clear();
  return slipstream::Run(settings);
}
