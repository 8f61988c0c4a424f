#include "tests/e2e/histories/history_round.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/e2e/histories/event_hints.h"
#include "tests/e2e/histories/event_watch.h"
#include "tests/e2e/histories/linearization.h"
#include "tests/e2e/requests.h"

namespace slipstream::histories {
namespace {

using Stub = CrashingServer::Stub;

// One study in so many has a model, so that its suggestions are worked out ahead.
constexpr int kModelledStudies = 10;
// So many pairs of clients are one worker each.
constexpr int kSharedWorkers = 3;

// Counts visits to studies and lets others wait for a number of them.
class Progress {
 public:
  void Add() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++count_;
    }
    news_.notify_all();
  }
  void WaitFor(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    news_.wait(lock, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  int count_ = 0;
};

class Round {
 public:
  Round(const RoundSettings& settings, unsigned seed) : settings_(settings), random_(seed) {
    for (int study = 0; study < settings_.studies; ++study) Create(study);
    for (int client = 0; client < settings_.clients; ++client) {
      const int worker = client < 2 * kSharedWorkers ? client / 2 : client;
      clients_.push_back(std::make_unique<RecordingClient>(
          &server_, client, absl::StrCat("w", worker), static_cast<unsigned>(random_())));
    }
  }

  RoundReport Run() {
    std::vector<std::thread> threads;
    for (const auto& client : clients_) {
      threads.emplace_back([this, &client] { Work(*client); });
    }
    CrashNowAndThen();
    for (std::thread& thread : threads) thread.join();
    RecordingClient reader(&server_, settings_.clients, "reader", static_cast<unsigned>(random_()));
    for (const std::string& study : studies_) reader.ReadAll(study);
    for (const std::string& study : studies_) WaitForLeaseEnds(study, reader);
    Create(settings_.studies);
    if (!watch_.WaitForCreationOf(studies_.back())) {
      report_.failures.push_back("the watch missed what happened: " + watch_.failure());
    }
    studies_.pop_back();
    Collect(reader);
    return std::move(report_);
  }

 private:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  void Create(int study) {
    v1::Study created = ExampleStudy(
        study % kModelledStudies == kModelledStudies - 1 ? "gp_log_ei" : "quasi_random");
    const Policy policy = {1'000'000, study % 4};
    created.mutable_lease_policy()->mutable_duration()->set_seconds(policy.lease_us / 1'000'000);
    created.mutable_lease_policy()->set_max_requeues(static_cast<int32_t>(policy.max_requeues));
    const std::string id = absl::StrCat("h", study);
    const grpc::Status status =
        slipstream::Call(*server_.connection(), &Stub::CreateStudy, CreateRequest(created, id));
    if (!status.ok()) report_.failures.push_back("CreateStudy: " + status.error_message());
    studies_.push_back("studies/" + id);
    policies_.push_back(policy);
  }

  void Work(RecordingClient& client) {
    for (int visit = 0; visit < settings_.visits; ++visit) {
      // The last visit finds trials whose leases have run out.
      if (visit == settings_.visits - 1) watch_.WaitForMoreThan(settings_.studies);
      for (const std::string& study : studies_to_visit()) {
        for (int call = 0; call < settings_.calls_per_visit; ++call) client.CallOnce(study);
        progress_.Add();
      }
    }
  }

  std::vector<std::string> studies_to_visit() const {
    return {studies_.begin(), studies_.begin() + settings_.studies};
  }

  // Of the trials that are held when everybody has gone, so that overdue ones come to light.
  void WaitForLeaseEnds(const std::string& study, const RecordingClient& reader) {
    for (const TrialSight& trial : reader.calls().at(study).back().trials) {
      if (trial.state != v1::Trial::ACTIVE) continue;
      const std::string name = absl::StrCat(study, "/trials/", trial.number);
      if (watch_.WaitForEndOf(study, name)) continue;
      report_.failures.push_back("the lease does not end of " + name);
    }
  }

  // At moments that are spread over the round.
  void CrashNowAndThen() {
    const int all = settings_.clients * settings_.visits * settings_.studies;
    for (int crash = 0; crash < settings_.crashes; ++crash) {
      const int part = all / settings_.crashes;
      progress_.WaitFor(crash * part + 1 + Below(part));
      server_.Crash();
    }
  }

  void Collect(const RecordingClient& reader) {
    for (const auto& client : clients_) Collect(*client, report_);
    Collect(reader, report_);
    outages_ = server_.outages();
    report_.crashes = static_cast<int>(outages_.size());
    report_.lease_ends = watch_.lease_ends();
    for (size_t i = 0; i < studies_.size(); ++i) Check(studies_[i], policies_[i], reader);
  }

  static void Collect(const RecordingClient& client, RoundReport& report) {
    report.counts.Add(client.counts());
    for (const std::string& failure : client.failures()) report.failures.push_back(failure);
  }

  void Check(const std::string& study, const Policy& policy, const RecordingClient& reader) {
    std::vector<Call> calls;
    const auto append = [&](const RecordingClient& client) {
      const auto made = client.calls().find(study);
      if (made == client.calls().end()) return;
      calls.insert(calls.end(), made->second.begin(), made->second.end());
    };
    for (const auto& client : clients_) append(*client);
    append(reader);
    CountTrials(calls.back());
    const std::vector<ToldEvent> events = watch_.EventsOf(study);
    AddLeaseEnds(events, calls);
    HintMoments(events, calls);
    const Verdict verdict = Linearize(policy, calls, outages_);
    ++report_.histories;
    report_.steps += verdict.steps;
    report_.most_steps = std::max(report_.most_steps, verdict.steps);
    if (verdict.linearizable()) return;
    std::string failure =
        absl::StrCat(study, verdict.kind == Verdict::Kind::kUndecided ? " is undecided: " : ": ",
                     verdict.reason, "The whole history:\n");
    std::sort(calls.begin(), calls.end(),
              [](const Call& a, const Call& b) { return a.start_us < b.start_us; });
    for (const Call& call : calls) absl::StrAppend(&failure, "  ", call.Text(), "\n");
    report_.failures.push_back(std::move(failure));
  }

  // `reading` is the last one of all trials.
  void CountTrials(const Call& reading) {
    for (const TrialSight& trial : reading.trials) {
      ++report_.trials;
      report_.requeued += trial.first > 0 ? 1 : 0;
      report_.withdrawn += trial.state == v1::Trial::WITHDRAWN ? 1 : 0;
    }
  }

  const RoundSettings settings_;
  std::mt19937 random_;
  CrashingServer server_;
  EventWatch watch_{&server_};
  Progress progress_;
  std::vector<std::string> studies_;
  std::vector<Policy> policies_;
  Outages outages_;
  std::vector<std::unique_ptr<RecordingClient>> clients_;
  RoundReport report_;
};

}  // namespace

void RoundReport::Add(RoundReport other) {
  histories += other.histories;
  crashes += other.crashes;
  lease_ends += other.lease_ends;
  steps += other.steps;
  most_steps = std::max(most_steps, other.most_steps);
  trials += other.trials;
  requeued += other.requeued;
  withdrawn += other.withdrawn;
  counts.Add(other.counts);
  for (std::string& failure : other.failures) failures.push_back(std::move(failure));
}

std::string RoundReport::Text() const {
  return absl::StrCat(histories, " histories, ", counts.calls, " calls, ", crashes, " crashes, ",
                      counts.lost, " lost answers, ", counts.retries, " retries, ", counts.given_up,
                      " given up, ", counts.refused, " refused, ", lease_ends, " lease ends, ",
                      trials, " trials, ", requeued, " queued again, ", withdrawn, " withdrawn, ",
                      counts.late, " outcomes of STALE trials, ", steps,
                      " states searched, at most ", most_steps, " in a history");
}

RoundReport RunRound(const RoundSettings& settings, unsigned seed) {
  return Round(settings, seed).Run();
}

RoundReport RunRounds(const RoundSettings& settings, int histories, unsigned seed) {
  RoundReport report;
  while (report.histories < histories) {
    RoundSettings round = settings;
    round.studies = std::min(settings.studies, histories - report.histories);
    report.Add(RunRound(round, seed++));
  }
  return report;
}

}  // namespace slipstream::histories
