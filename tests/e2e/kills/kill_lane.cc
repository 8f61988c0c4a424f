#include "tests/e2e/kills/kill_lane.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/kills/busy_client.h"
#include "tests/e2e/kills/event_reader.h"
#include "tests/e2e/server_process.h"

namespace slipstream::kills {
namespace {

using Stub = BusyClient::Stub;

constexpr int kKillsOfAStore = 250;
constexpr int kLongestStartUs = 60'000;
constexpr int kLongestLifeUs = 60'000;
// One in so many servers is killed while it starts, and one in so many is not asked before it has
// to work again.
constexpr int kStartsPerKillAtStart = 8;
constexpr int kLivesPerUnasked = 4;
constexpr int kKillsPerFileCheck = 25;
constexpr size_t kMostSharedTrials = 150;
constexpr char kMarker[] = "studies/marker";

class Lane {
 public:
  explicit Lane(const LaneSettings& settings)
      : settings_(settings), random_(settings.seed), data_(settings.folder) {}

  LaneReport Run() {
    server_.emplace(data_.path());
    reader_.Join(&server_->stub());
    Require(Call(server_->stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "marker")));
    for (int client = 0; client < settings_.clients; ++client) {
      clients_.push_back(std::make_unique<BusyClient>(client, absl::StrCat("l", settings_.seed),
                                                      static_cast<unsigned>(random_())));
    }
    ShareNewStudy();
    WorkUntilKilled();
    while (GoesOn()) Live();
    Start();
    Check();
    server_->Terminate();
    reader_.Leave();
    CheckFile();
    return Report();
  }

 private:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  bool GoesOn() {
    return report_.kills < settings_.kills && std::chrono::steady_clock::now() < settings_.end &&
           Failures().empty();
  }

  void Live() {
    if (report_.kills % kKillsPerFileCheck == 0) CheckFile();
    if (Below(kStartsPerKillAtStart) == 0) {
      ++report_.kills;
      ++report_.kills_at_start;
      const std::chrono::microseconds after(Below(kLongestStartUs));
      if (ServerProcess::StartAndKill(data_.path(), after)) Fail("a server ended while it started");
      return;
    }
    Start();
    if (Below(kLivesPerUnasked) > 0) Check();
    WorkUntilKilled();
  }

  void Start() {
    server_.emplace(data_.path());
    reader_.Join(&server_->stub());
  }

  void WorkUntilKilled() {
    std::vector<std::thread> threads;
    for (const auto& client : clients_) {
      threads.emplace_back([this, &client] { client->Work(server_->stub()); });
    }
    if (server_->EndsWithin(std::chrono::microseconds(Below(kLongestLifeUs)))) {
      Fail("the server ended by itself: " + server_->Output());
    }
    server_->Kill();
    ++report_.kills;
    for (std::thread& thread : threads) thread.join();
    reader_.Leave();
    if (!reader_.failure().empty()) Fail(reader_.failure());
  }

  // Has all lost answers given, and compares everything while nobody calls.
  void Check() {
    ++report_.checks;
    for (const auto& client : clients_) {
      if (!client->Settle(server_->stub())) Fail("the server is gone, and nobody killed it");
    }
    for (const auto& client : clients_) client->Check(server_->stub());
    const size_t shared = CheckShared();
    CheckEvents();
    if (shared > kMostSharedTrials) ShareNewStudy();
  }

  // Each trial of the shared study is known to one client, or queued. Returns how many there are.
  size_t CheckShared() {
    std::map<int64_t, int> knowers;
    const auto trials = TrialsOf(server_->stub(), shared_->name);
    if (!trials.has_value()) return Fail(shared_->name + " cannot be listed"), 0;
    for (const auto& client : clients_) {
      for (const auto& [number, known] : client->shared().trials) {
        const auto stored = trials->find(number);
        if (stored == trials->end()) {
          Fail(known.trial.name() + " is not there");
        } else {
          CompareTrial(known.trial, stored->second, &report_.failures);
        }
        if (++knowers[number] > 1) Fail(known.trial.name() + " was given to two");
        ++report_.trials_compared;
      }
    }
    for (const auto& [number, trial] : *trials) {
      if (knowers.count(number) > 0 || trial.state() == v1::Trial::REQUESTED) continue;
      Fail(trial.name() + " is known to nobody:\n" + trial.DebugString());
    }
    return trials->size();
  }

  // Every event so far has been told once.
  void CheckEvents() {
    v1::UpdateStudyRequest request;
    request.mutable_study()->set_name(kMarker);
    request.mutable_study()->set_display_name(absl::StrCat(++markers_));
    request.mutable_update_mask()->add_paths("display_name");
    Require(Call(server_->stub(), &Stub::UpdateStudy, request));
    if (!reader_.WaitFor(kMarker, v1::StudyEvent::STUDY_CHANGED, markers_)) {
      return Fail("the watch does not catch up: " + reader_.failure());
    }
    EventTally expected;
    expected.Add(shared_->name, "", v1::StudyEvent::STUDY_CREATED);
    for (const auto& client : clients_) expected.Add(client->expected());
    const EventTally told = reader_.tally();
    Compare(shared_->name, expected, told);
    for (const auto& client : clients_) {
      if (client->own().has_value()) Compare(client->own()->study.name(), expected, told);
      for (const std::string& study : client->TakeDeleted()) {
        const int64_t times = told.CountOf(study, v1::StudyEvent::STUDY_DELETED);
        if (times != 1) Fail(absl::StrCat(study, " was told ", times, " times to be deleted"));
        reader_.Forget(study);
      }
    }
  }

  void Compare(const std::string& study, const EventTally& expected, const EventTally& told) {
    for (const std::string& each : expected.Differences(study, told)) Fail(each);
  }

  void ShareNewStudy() {
    if (shared_ != nullptr) {
      v1::DeleteStudyRequest request;
      request.set_name(shared_->name);
      Require(Call(server_->stub(), &Stub::DeleteStudy, request));
      reader_.Forget(shared_->name);
    }
    const std::string id = absl::StrCat("shared-", ++shared_studies_);
    v1::Study study = ExampleStudy();
    study.mutable_lease_policy()->mutable_duration();  // Leases never end.
    Require(Call(server_->stub(), &Stub::CreateStudy, CreateRequest(study, id)));
    shared_ = std::make_unique<SharedStudy>();
    shared_->name = "studies/" + id;
    for (const auto& client : clients_) client->Share(shared_.get());
  }

  void CheckFile() {
    const EndedProcess checked = ServerProcess::Run({"--data", data_.path(), "--check"});
    if (checked.exit_code != 0) Fail("--check: " + checked.output);
  }

  void Require(const grpc::Status& status) {
    if (!status.ok()) Fail(status.error_message());
  }
  void Fail(std::string text) { report_.failures.push_back(std::move(text)); }

  Differences Failures() const {
    Differences failures = report_.failures;
    for (const auto& client : clients_) {
      failures.insert(failures.end(), client->failures().begin(), client->failures().end());
    }
    return failures;
  }

  LaneReport Report() {
    report_.failures = Failures();
    report_.events = reader_.events();
    for (const auto& client : clients_) {
      report_.calls.Add(client->counts());
      report_.trials_compared += client->compared();
      report_.provenances_compared += client->provenances_compared();
    }
    for (std::string& each : report_.failures) {
      each = absl::StrCat("seed ", settings_.seed, ": ", each);
    }
    return report_;
  }

  const LaneSettings settings_;
  std::mt19937 random_;
  TemporaryFolder data_;
  std::optional<ServerProcess> server_;
  EventReader reader_;
  std::unique_ptr<SharedStudy> shared_;
  std::vector<std::unique_ptr<BusyClient>> clients_;
  int markers_ = 0;
  int shared_studies_ = 0;
  LaneReport report_;
};

}  // namespace

void LaneReport::Add(const LaneReport& other) {
  kills += other.kills;
  kills_at_start += other.kills_at_start;
  checks += other.checks;
  trials_compared += other.trials_compared;
  provenances_compared += other.provenances_compared;
  events += other.events;
  calls.Add(other.calls);
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

std::string LaneReport::Text() const {
  std::string text = absl::StrCat(
      kills, " kills (", kills_at_start, " of servers that were starting), ", calls.all(),
      " answered calls, ", calls.lost, " lost answers, ", calls.repeated, " repeats, ", checks,
      " checks, ", trials_compared, " trials and ", provenances_compared,
      " provenances compared, ", events, " events\n");
  for (const auto& [rpc, count] : calls.answered) absl::StrAppend(&text, "  ", rpc, " ", count);
  return text;
}

LaneReport RunLane(const LaneSettings& settings) { return Lane(settings).Run(); }

LaneReport RunKills(const KillSettings& settings) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(static_cast<int64_t>(1e3 * settings.seconds));
  LaneReport report;
  std::mutex mutex;
  std::vector<std::thread> threads;
  std::atomic<int> left{settings.kills};
  std::atomic<unsigned> seed{settings.seed};
  const int share = std::max(1, settings.kills / settings.servers);
  for (int server = 0; server < settings.servers; ++server) {
    threads.emplace_back([&] {
      const int at_once = std::min(kKillsOfAStore, share);
      int kills = 0;
      while ((kills = std::min(at_once, left.fetch_sub(at_once))) > 0 &&
             std::chrono::steady_clock::now() < end) {
        const LaneReport lane = RunLane({kills, end, settings.clients, settings.folder, seed++});
        const std::lock_guard<std::mutex> lock(mutex);
        report.Add(lane);
        if (!report.failures.empty()) left = 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (report.failures.empty() && report.kills < settings.kills) {
    report.failures.push_back(absl::StrCat("only ", report.kills, " of ", settings.kills,
                                           " kills in ", settings.seconds, " s"));
  }
  return report;
}

}  // namespace slipstream::kills
