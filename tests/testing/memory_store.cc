#include "tests/testing/memory_store.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"
#include "server/store/rule_store.h"

namespace slipstream {
class MemoryTables {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  struct StudyRow {
    StudyRecord record;
    std::vector<int64_t> source_keys;
  };
  struct TrialRow {
    TrialRecord record;
    std::string provenance;
  };
  struct SourceTaskRow {
    SourceTaskRecord record;  // Without study_count.
    int64_t bytes = 0;
  };
  struct AnswerRow {
    RememberedAnswer answer;
    SteadyTime kept_since;
    std::string project;
  };
  using TrialPlace = std::pair<int64_t, int64_t>;  // The study's key and the number.

  explicit MemoryTables(size_t most_bytes) : max_configuration_bytes(most_bytes) {}

  const size_t max_configuration_bytes;
  std::mutex mutex;  // Locked by each transaction and each snapshot.
  std::map<int64_t, StudyRow> studies;
  std::map<int64_t, std::string> candidates;
  std::map<std::string, int64_t> study_keys;
  std::map<TrialPlace, TrialRow> trials;
  std::map<int64_t, SourceTaskRow> source_tasks;
  std::map<std::string, int64_t> source_keys;
  std::map<int64_t, std::vector<std::string>> chunks;  // By source key.
  std::map<std::string, AnswerRow> answers;
  std::map<TrialPlace, std::map<int64_t, double>> reports;  // By trial, then step.
  std::map<int64_t, EventRecord> events;                    // By sequence.
  std::map<int, LeaseClock> lease_clock;                    // None, or one with key 0.
  int64_t last_key = 0;  // Never given back, not even by a rollback.
};

// The latest event is never deleted.
int64_t LastEvent(const MemoryTables& tables) {
  return tables.events.empty() ? 0 : tables.events.rbegin()->first;
}

namespace {

using StudyRow = MemoryTables::StudyRow;
using TrialRow = MemoryTables::TrialRow;
using SourceTaskRow = MemoryTables::SourceTaskRow;
using AnswerRow = MemoryTables::AnswerRow;
using SteadyTime = MemoryTables::SteadyTime;
using TrialPlace = MemoryTables::TrialPlace;

template <typename Map>
auto FindIn(Map& map, const typename Map::key_type& key) -> decltype(&map.begin()->second) {
  const auto entry = map.find(key);
  return entry == map.end() ? nullptr : &entry->second;
}

template <typename Value>
std::optional<Value> Copy(const Value* value) {
  return value == nullptr ? std::nullopt : std::optional<Value>(*value);
}

// The reads that snapshots and transactions share. The tables must be locked.
class TableReader {
 public:
  // Answers expire by a clock that is never set.
  TableReader(MemoryTables* tables, SteadyTime steady_now, absl::Duration retention)
      : tables_(*tables), oldest_(steady_now - absl::ToChronoNanoseconds(retention)) {}

  std::optional<RememberedAnswer> Answer(const std::string& request_id) const {
    const AnswerRow* row = FindIn(tables_.answers, request_id);
    if (row == nullptr || Expired(*row)) return std::nullopt;
    return row->answer;
  }
  int64_t AnswerBytes(const std::string& project) const {
    int64_t bytes = 0;
    for (const auto& [id, row] : tables_.answers) {
      if (row.project != project || Expired(row)) continue;
      bytes += StoredBytesOfAnswer(row.answer.answer);
    }
    return bytes;
  }
  const StudyRow* Study(const std::string& id) const {
    const int64_t* key = FindIn(tables_.study_keys, id);
    return key == nullptr ? nullptr : FindIn(tables_.studies, *key);
  }
  std::optional<StudyRecord> StudyRecordOf(const std::string& id) const {
    const StudyRow* row = Study(id);
    return row == nullptr ? std::nullopt : std::optional<StudyRecord>(WithLastTrial(row->record));
  }
  StudyRecord WithLastTrial(StudyRecord record) const {
    const TrialRow* last = FindIn(tables_.trials, {record.key, record.trial_count});
    if (last != nullptr) record.last_trial_ms = last->record.create_ms;
    return record;
  }
  std::optional<TrialRecord> Trial(int64_t study_key, int64_t number) const {
    const TrialRow* row = FindIn(tables_.trials, {study_key, number});
    return row == nullptr ? std::nullopt : std::optional<TrialRecord>(row->record);
  }
  std::optional<int64_t> SourceTaskKey(const std::string& id) const {
    return Copy<int64_t>(FindIn(tables_.source_keys, id));
  }
  std::optional<SourceTaskRecord> SourceTask(const std::string& id) const {
    const int64_t* key = FindIn(tables_.source_keys, id);
    if (key == nullptr) return std::nullopt;
    return WithStudyCount(tables_.source_tasks.at(*key).record);
  }
  SourceTaskRecord WithStudyCount(SourceTaskRecord task) const {
    task.study_count = static_cast<int64_t>(StudiesUsing(task.key).size());
    return task;
  }
  std::vector<int64_t> ActiveTrials(int64_t study_key, const std::string& worker) const {
    std::vector<int64_t> numbers;
    auto row = tables_.trials.lower_bound({study_key, 0});
    for (; row != tables_.trials.end() && row->first.first == study_key; ++row) {
      const TrialRecord& trial = row->second.record;
      const bool active = trial.state == TrialState::kActive && trial.worker == worker;
      if (active) numbers.push_back(trial.number);
    }
    return numbers;
  }
  std::vector<int64_t> QueuedTrials(int64_t study_key, int limit) const {
    std::vector<int64_t> numbers;
    auto row = tables_.trials.lower_bound({study_key, 0});
    for (; row != tables_.trials.end() && row->first.first == study_key; ++row) {
      if (numbers.size() >= static_cast<size_t>(limit)) break;
      const TrialRecord& trial = row->second.record;
      if (trial.state == TrialState::kRequested) numbers.push_back(trial.number);
    }
    return numbers;
  }
  std::optional<LeaseClock> Clock() const {
    return Copy<LeaseClock>(FindIn(tables_.lease_clock, 0));
  }
  std::vector<TrialKey> EndedLeases(int64_t lease_ms, int limit) const {
    std::vector<TrialKey> keys;
    for (const auto& [place, row] : tables_.trials) {
      if (keys.size() >= static_cast<size_t>(limit)) break;
      const TrialRecord& trial = row.record;
      const bool ended = trial.state == TrialState::kActive && trial.lease_end.has_value() &&
                         *trial.lease_end <= lease_ms;
      if (ended) keys.push_back({place.first, place.second});
    }
    return keys;
  }
  UsageByProject Usage() const {
    UsageByProject usages;
    for (const auto& [key, row] : tables_.studies) {
      const StudyRecord& study = row.record;
      usages[std::string(ProjectOfId(study.id))] +=
          {.studies = 1, .trials = study.trial_count, .bytes = study.bytes};
    }
    for (const auto& [key, row] : tables_.source_tasks) {
      usages[std::string(ProjectOfId(row.record.id))] += {.source_tasks = 1, .bytes = row.bytes};
    }
    return usages;
  }
  std::vector<std::string> StudiesUsing(int64_t source_key) const {
    std::vector<std::string> ids;
    for (const auto& [key, study] : tables_.studies) {
      const std::vector<int64_t>& sources = study.source_keys;
      if (std::count(sources.begin(), sources.end(), source_key) > 0) {
        ids.push_back(study.record.id);
      }
    }
    return ids;
  }

 private:
  bool Expired(const AnswerRow& row) const { return row.kept_since <= oldest_; }

  MemoryTables& tables_;
  const SteadyTime oldest_;
};

class MemorySnapshot : public RowSnapshot {
 public:
  MemorySnapshot(MemoryTables* tables, SteadyTime steady_now, absl::Duration retention)
      : tables_(*tables), reader_(tables, steady_now, retention) {}

  absl::StatusOr<std::optional<RememberedAnswer>> FindAnswer(
      const std::string& request_id) override {
    return reader_.Answer(request_id);
  }
  absl::StatusOr<std::optional<StudyRecord>> FindStudy(const std::string& id) override {
    return reader_.StudyRecordOf(id);
  }
  absl::StatusOr<std::optional<TrialRecord>> FindTrial(int64_t study_key, int64_t number) override {
    return reader_.Trial(study_key, number);
  }
  absl::StatusOr<std::optional<SourceTaskRecord>> FindSourceTask(const std::string& id) override {
    return reader_.SourceTask(id);
  }
  absl::StatusOr<std::optional<int64_t>> FindSourceTaskKey(const std::string& id) override {
    return reader_.SourceTaskKey(id);
  }

  absl::StatusOr<std::vector<int64_t>> ListActiveTrials(int64_t study_key,
                                                        const std::string& worker) override {
    return reader_.ActiveTrials(study_key, worker);
  }
  absl::StatusOr<std::vector<int64_t>> ListQueuedTrials(int64_t study_key, int limit) override {
    return reader_.QueuedTrials(study_key, limit);
  }
  absl::StatusOr<std::optional<LeaseClock>> FindLeaseClock() override { return reader_.Clock(); }
  absl::StatusOr<std::vector<TrialKey>> ListEndedLeases(int64_t lease_ms, int limit) override {
    return reader_.EndedLeases(lease_ms, limit);
  }

  absl::StatusOr<StoreCounts> Count() override {
    StoreCounts counts;
    counts.studies = static_cast<int64_t>(tables_.studies.size());
    counts.source_tasks = static_cast<int64_t>(tables_.source_tasks.size());
    for (const auto& [key, row] : tables_.studies) counts.trials += row.record.trial_count;
    return counts;
  }
  absl::StatusOr<UsageByProject> ListUsage() override { return reader_.Usage(); }
  absl::StatusOr<std::optional<int64_t>> FindStudyKey(const std::string& id) override {
    return Copy<int64_t>(FindIn(tables_.study_keys, id));
  }
  absl::StatusOr<std::optional<StudyRecord>> FindStudySummary(int64_t key) override {
    const StudyRow* row = FindIn(tables_.studies, key);
    if (row == nullptr) return std::optional<StudyRecord>();
    StudyRecord summary = reader_.WithLastTrial(row->record);
    summary.definition.clear();
    return std::optional<StudyRecord>(std::move(summary));
  }
  absl::StatusOr<std::vector<StudyRecord>> ListStudies(const ListFilter& filter) override {
    return Page(tables_.studies, filter, [this](const StudyRow& row) {
      StudyRecord summary = reader_.WithLastTrial(row.record);
      summary.definition.clear();
      return summary;
    });
  }
  absl::StatusOr<std::optional<std::string>> FindCandidates(int64_t study_key) override {
    return Copy<std::string>(FindIn(tables_.candidates, study_key));
  }
  absl::StatusOr<std::vector<std::string>> ListStudySources(int64_t study_key) override {
    std::vector<std::string> ids;
    const StudyRow* row = FindIn(tables_.studies, study_key);
    if (row == nullptr) return ids;
    for (const int64_t key : row->source_keys) {
      ids.push_back(tables_.source_tasks.at(key).record.id);
    }
    return ids;
  }

  absl::StatusOr<std::vector<TrialRecord>> ListTrials(int64_t study_key,
                                                      const TrialFilter& filter) override {
    return Trials(study_key, filter.after_number, filter.limit, [&](const TrialRecord& trial) {
      const std::vector<TrialState>& states = filter.states;
      return states.empty() || std::count(states.begin(), states.end(), trial.state) > 0;
    });
  }
  absl::StatusOr<std::vector<TrialRecord>> ListBestTrials(int64_t study_key, bool maximize,
                                                          int limit) override {
    std::vector<TrialRecord> trials = Trials(study_key, 0, kAll, [](const TrialRecord& trial) {
      return trial.state == TrialState::kSucceeded;
    });
    std::stable_sort(trials.begin(), trials.end(),
                     [maximize](const TrialRecord& a, const TrialRecord& b) {
                       return maximize ? *a.objective > *b.objective : *a.objective < *b.objective;
                     });
    trials.resize(std::min(trials.size(), static_cast<size_t>(limit)));
    return trials;
  }
  absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(int64_t study_key,
                                                               int64_t after_number,
                                                               int64_t last_number) override {
    std::vector<TrialProvenance> provenances;
    auto row = tables_.trials.upper_bound({study_key, after_number});
    for (; row != tables_.trials.end() && row->first <= TrialPlace(study_key, last_number); ++row) {
      const std::string& provenance = row->second.provenance;
      if (!provenance.empty()) provenances.push_back({row->first.second, provenance});
    }
    return provenances;
  }

  absl::StatusOr<std::vector<ReportRecord>> ListReports(int64_t study_key, int64_t after_number,
                                                        int64_t last_number, int limit) override {
    std::vector<ReportRecord> found;
    auto row = tables_.reports.upper_bound({study_key, after_number});
    for (; row != tables_.reports.end() && row->first <= TrialPlace(study_key, last_number);
         ++row) {
      for (const auto& [step, value] : row->second) {
        if (found.size() >= static_cast<size_t>(limit)) return found;
        found.push_back({row->first.second, {step, value}});
      }
    }
    return found;
  }

  absl::StatusOr<EventPage> ListEvents(int64_t after_sequence, int limit) override {
    EventPage page;
    page.last_sequence = LastEvent(tables_);
    page.first_sequence = tables_.events.empty() ? 1 : tables_.events.begin()->first;
    auto event = tables_.events.upper_bound(after_sequence);
    for (; event != tables_.events.end(); ++event) {
      if (page.events.size() >= static_cast<size_t>(limit)) break;
      page.events.push_back(event->second);
    }
    return page;
  }

  absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(const ListFilter& filter) override {
    return Page(tables_.source_tasks, filter, [this](const SourceTaskRow& row) {
      SourceTaskRecord task = reader_.WithStudyCount(row.record);
      task.definition.clear();
      return task;
    });
  }
  absl::StatusOr<std::vector<std::string>> ListSourceChunks(int64_t source_key) override {
    const std::vector<std::string>* chunks = FindIn(tables_.chunks, source_key);
    return chunks == nullptr ? std::vector<std::string>() : *chunks;
  }
  absl::StatusOr<std::optional<std::string>> FindSourceChunk(int64_t source_key,
                                                             int64_t position) override {
    const std::vector<std::string>* chunks = FindIn(tables_.chunks, source_key);
    const bool is_there = chunks != nullptr && position >= 0 &&
                          position < static_cast<int64_t>(chunks->size());
    if (!is_there) return std::optional<std::string>();
    return std::optional<std::string>((*chunks)[static_cast<size_t>(position)]);
  }

 private:
  static constexpr int kAll = 1 << 30;

  template <typename Map, typename RecordOf>
  auto Page(const Map& map, const ListFilter& filter, RecordOf record_of)
      -> std::vector<decltype(record_of(map.begin()->second))> {
    std::vector<decltype(record_of(map.begin()->second))> page;
    auto row = map.upper_bound(filter.after_key);
    for (; row != map.end() && page.size() < static_cast<size_t>(filter.limit); ++row) {
      const absl::string_view project = ProjectOfId(row->second.record.id);
      if (filter.project.value_or(std::string(project)) != project) continue;
      page.push_back(record_of(row->second));
    }
    return page;
  }

  template <typename Takes>
  std::vector<TrialRecord> Trials(int64_t study_key, int64_t after_number, int limit, Takes takes) {
    std::vector<TrialRecord> trials;
    auto row = tables_.trials.upper_bound({study_key, after_number});
    for (; row != tables_.trials.end() && row->first.first == study_key; ++row) {
      if (trials.size() >= static_cast<size_t>(limit)) break;
      if (takes(row->second.record)) trials.push_back(row->second.record);
    }
    return trials;
  }

  static std::vector<int64_t> Numbers(const std::vector<TrialRecord>& trials) {
    std::vector<int64_t> numbers;
    for (const TrialRecord& trial : trials) numbers.push_back(trial.number);
    return numbers;
  }

  MemoryTables& tables_;
  const TableReader reader_;
};

// Writes at once, and notes how to undo it.
class MemoryTransaction : public RowTransaction {
 public:
  MemoryTransaction(MemoryTables* tables, int64_t now_ms, SteadyTime steady_now,
                    absl::Duration retention)
      : tables_(*tables),
        now_ms_(now_ms),
        steady_now_(steady_now),
        reader_(tables, steady_now, retention) {}

  void RollBack() {
    for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
  }

  int64_t now_ms() const override { return now_ms_; }
  bool failed() const override { return failed_; }

  absl::StatusOr<std::optional<RememberedAnswer>> FindAnswer(
      const std::string& request_id) override {
    return reader_.Answer(request_id);
  }
  absl::Status InsertAnswer(const std::string& request_id, const RememberedAnswer& answer,
                            const std::string& project) override {
    // An answer that is expired may still be there.
    if (reader_.Answer(request_id).has_value()) return Fail("the answer exists");
    NoteUndo(tables_.answers, request_id);
    tables_.answers[request_id] = {answer, steady_now_, project};
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> FindAnswerBytes(const std::string& project) override {
    return reader_.AnswerBytes(project);
  }

  absl::StatusOr<std::optional<StudyHead>> FindStudyHead(const std::string& id) override {
    return HeadOf(reader_.Study(id));
  }
  absl::StatusOr<std::optional<StudyHead>> FindStudyHead(int64_t study_key) override {
    return HeadOf(FindIn(tables_.studies, study_key));
  }
  absl::StatusOr<std::optional<StudyRecord>> FindStudy(const std::string& id) override {
    return reader_.StudyRecordOf(id);
  }
  absl::StatusOr<ProjectUsage> FindUsage(absl::string_view project) override {
    const UsageByProject usages = reader_.Usage();
    return Copy(FindIn(usages, std::string(project))).value_or(ProjectUsage());
  }
  absl::StatusOr<int64_t> InsertStudy(const StudyRecord& study, const std::string& candidates,
                                      const std::vector<int64_t>& source_keys) override {
    StudyRow row = {study, source_keys};
    if (row.record.key == 0) row.record.key = ++tables_.last_key;
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.study_keys, study.id, row.record.key));
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.candidates, row.record.key, candidates));
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.studies, row.record.key, row));
    return row.record.key;
  }
  absl::StatusOr<int64_t> BeginStudy(int64_t) override { return ++tables_.last_key; }
  absl::Status GiveUpStudy(int64_t study_key) override {
    const auto begin = tables_.trials.lower_bound({study_key, 0});
    const auto end = tables_.trials.lower_bound({study_key + 1, 0});
    std::vector<TrialPlace> places;
    for (auto row = begin; row != end; ++row) places.push_back(row->first);
    for (const TrialPlace& place : places) {
      Erase(tables_.trials, place);
      Erase(tables_.reports, place);
    }
    return absl::OkStatus();
  }
  absl::Status UpdateStudy(const StudyRecord& study) override {
    return Update(tables_.studies, study.key, [&study](StudyRow& row) {
      row.record.state = study.state;
      row.record.update_ms = study.update_ms;
      row.record.display_name = study.display_name;
      row.record.labels = study.labels;
      row.record.lease = study.lease;
    });
  }
  absl::Status UpdateTime(int64_t study_key, int64_t update_ms) override {
    return Update(tables_.studies, study_key,
                  [update_ms](StudyRow& row) { row.record.update_ms = update_ms; });
  }
  absl::Status UpdateCounts(const StudyHead& head) override {
    return Update(tables_.studies, head.key, [&head](StudyRow& row) {
      row.record.trial_count = head.trial_count;
      row.record.succeeded_count = head.succeeded_count;
      row.record.suggested_count = head.suggested_count;
      row.record.late_count = head.late_count;
      row.record.best = head.best;
      row.record.bytes = head.bytes;
    });
  }
  absl::Status DeleteStudy(int64_t study_key) override {
    const StudyRow* study = FindIn(tables_.studies, study_key);
    if (study == nullptr) return Fail("the study does not exist");
    for (int64_t number = study->record.trial_count; number > 0; --number) {
      Erase(tables_.trials, {study_key, number});
      Erase(tables_.reports, {study_key, number});
    }
    Erase(tables_.study_keys, std::string(study->record.id));
    Erase(tables_.candidates, study_key);
    Erase(tables_.studies, study_key);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<TrialRecord>> FindTrial(int64_t study_key, int64_t number) override {
    return reader_.Trial(study_key, number);
  }
  absl::Status InsertTrial(int64_t study_key, const TrialRecord& trial,
                           const std::string& provenance) override {
    if (trial.configuration.size() > tables_.max_configuration_bytes) {
      return Fail(absl::StrCat("the tables take configurations of up to ",
                               tables_.max_configuration_bytes, " bytes"),
                  absl::StatusCode::kResourceExhausted);
    }
    const auto later = tables_.trials.lower_bound({study_key, trial.number});
    if (later != tables_.trials.end() && later->first.first == study_key) {
      return Fail("a trial of this or a higher number exists");
    }
    TrialRow row = {trial, provenance};
    row.record.lease_end_ms.reset();
    return Insert(tables_.trials, {study_key, trial.number}, row);
  }
  absl::Status UpdateLease(int64_t study_key, const TrialRecord& trial) override {
    return Update(tables_.trials, {study_key, trial.number}, [&trial](TrialRow& row) {
      row.record.state = trial.state;
      row.record.worker = trial.worker;
      row.record.process = trial.process;
      row.record.start_ms = trial.start_ms;
      row.record.end_ms = trial.end_ms;
      row.record.lease_end = trial.lease_end;
      row.record.requeued_as = trial.requeued_as;
    });
  }
  absl::Status UpdateProgress(int64_t study_key, const TrialRecord& trial) override {
    return Update(tables_.trials, {study_key, trial.number}, [&trial](TrialRow& row) {
      row.record.lease_end = trial.lease_end;
      row.record.report_count = trial.report_count;
      row.record.last_step = trial.last_step;
      row.record.last_value = trial.last_value;
    });
  }
  absl::Status UpdateOutcome(int64_t study_key, const TrialRecord& trial) override {
    return Update(tables_.trials, {study_key, trial.number}, [&trial](TrialRow& row) {
      row.record.state = trial.state;
      row.record.end_ms = trial.end_ms;
      row.record.objective = trial.objective;
      row.record.measurement = trial.measurement;
      row.record.reason = trial.reason;
      row.record.lease_end.reset();
    });
  }
  absl::Status UpdateAnnotations(int64_t study_key, const TrialRecord& trial) override {
    return Update(tables_.trials, {study_key, trial.number}, [&trial](TrialRow& row) {
      row.record.labels = trial.labels;
      row.record.note = trial.note;
    });
  }

  absl::StatusOr<std::optional<double>> FindReport(int64_t study_key, int64_t number,
                                                   int64_t step) override {
    const std::map<int64_t, double>* steps = FindIn(tables_.reports, {study_key, number});
    if (steps == nullptr) return std::optional<double>();
    return Copy<double>(FindIn(*steps, step));
  }
  absl::StatusOr<bool> PutReport(int64_t study_key, int64_t number,
                                 const StepReport& report) override {
    NoteUndo(tables_.reports, {study_key, number});
    return tables_.reports[{study_key, number}].insert_or_assign(report.step, report.value).second;
  }
  absl::Status DeleteReports(int64_t study_key, int64_t number) override {
    Erase(tables_.reports, {study_key, number});
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<int64_t>> ListActiveTrials(int64_t study_key,
                                                        const std::string& worker) override {
    return reader_.ActiveTrials(study_key, worker);
  }
  absl::StatusOr<std::vector<int64_t>> ListQueuedTrials(int64_t study_key, int limit) override {
    return reader_.QueuedTrials(study_key, limit);
  }
  absl::StatusOr<std::optional<LeaseClock>> FindLeaseClock() override { return reader_.Clock(); }
  absl::StatusOr<std::vector<TrialKey>> ListEndedLeases(int64_t lease_ms, int limit) override {
    return reader_.EndedLeases(lease_ms, limit);
  }
  absl::StatusOr<int64_t> AppendEvent(const EventRecord& event) override {
    EventRecord row = event;
    row.sequence = LastEvent(tables_) + 1;
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.events, row.sequence, row));
    return row.sequence;
  }
  absl::Status DeleteEvents(int64_t last_sequence) override {
    while (tables_.events.size() > 1 && tables_.events.begin()->first <= last_sequence) {
      Erase(tables_.events, int64_t{tables_.events.begin()->first});
    }
    return absl::OkStatus();
  }
  absl::Status WriteLeaseClock(const LeaseClock& clock) override {
    NoteUndo(tables_.lease_clock, 0);
    tables_.lease_clock[0] = clock;
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<SourceTaskRecord>> FindSourceTask(const std::string& id) override {
    return reader_.SourceTask(id);
  }
  absl::StatusOr<std::optional<int64_t>> FindSourceTaskKey(const std::string& id) override {
    return reader_.SourceTaskKey(id);
  }
  absl::StatusOr<int64_t> InsertSourceTask(const SourceTaskRecord& task, int64_t bytes) override {
    SourceTaskRow row = {task, bytes};
    if (row.record.key == 0) row.record.key = ++tables_.last_key;
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.source_keys, task.id, row.record.key));
    SLIPSTREAM_RETURN_IF_ERROR(Insert(tables_.source_tasks, row.record.key, row));
    return row.record.key;
  }
  absl::Status InsertSourceChunks(int64_t source_key, int64_t position,
                                  absl::Span<const std::string> chunks) override {
    NoteUndo(tables_.chunks, source_key);
    std::vector<std::string>& all = tables_.chunks[source_key];
    if (position != static_cast<int64_t>(all.size())) return Fail("it has other chunks");
    all.insert(all.end(), chunks.begin(), chunks.end());
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> BeginSourceTask(int64_t) override { return ++tables_.last_key; }
  absl::Status GiveUpSourceTask(int64_t source_key) override {
    Erase(tables_.chunks, source_key);
    return absl::OkStatus();
  }
  absl::Status DeleteSourceTask(int64_t source_key) override {
    const SourceTaskRow* task = FindIn(tables_.source_tasks, source_key);
    if (task == nullptr) return Fail("the source task does not exist");
    Erase(tables_.source_keys, std::string(task->record.id));
    Erase(tables_.source_tasks, source_key);
    Erase(tables_.chunks, source_key);
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::string>> FindStudiesUsing(int64_t source_key,
                                                            int limit) override {
    std::vector<std::string> ids = reader_.StudiesUsing(source_key);
    ids.resize(std::min(ids.size(), static_cast<size_t>(limit)));
    return ids;
  }

 private:
  static std::optional<StudyHead> HeadOf(const StudyRow* row) {
    if (row == nullptr) return std::nullopt;
    const StudyRecord& study = row->record;
    return StudyHead{study.key,
                     study.state,
                     study.trial_count,
                     study.succeeded_count,
                     study.suggested_count,
                     study.late_count,
                     study.lease,
                     study.best,
                     study.bytes,
                     study.id,
                     study.create_ms};
  }

  template <typename Map>
  void NoteUndo(Map& map, const typename Map::key_type& key) {
    undo_.push_back([&map, key, before = Copy(FindIn(map, key))] {
      map.erase(key);
      if (before.has_value()) map.emplace(key, *before);
    });
  }
  absl::Status Fail(const std::string& why, absl::StatusCode code = absl::StatusCode::kInternal) {
    failed_ = true;
    return absl::Status(code, why);
  }
  template <typename Map>
  absl::Status Insert(Map& map, const typename Map::key_type& key,
                      const typename Map::mapped_type& row) {
    NoteUndo(map, key);
    return map.emplace(key, row).second ? absl::OkStatus() : Fail("the row to insert exists");
  }
  template <typename Map, typename Change>
  absl::Status Update(Map& map, const typename Map::key_type& key, Change change) {
    auto* row = FindIn(map, key);
    if (row == nullptr) return Fail("the row to update does not exist");
    NoteUndo(map, key);
    change(*row);
    return absl::OkStatus();
  }
  template <typename Map>
  void Erase(Map& map, const typename Map::key_type& key) {
    NoteUndo(map, key);
    map.erase(key);
  }

  MemoryTables& tables_;
  const int64_t now_ms_;
  const SteadyTime steady_now_;
  const TableReader reader_;
  std::vector<std::function<void()>> undo_;
  bool failed_ = false;
};

class MemoryDatabase : public Database {
 public:
  MemoryDatabase(const StoreOptions& options, std::shared_ptr<MemoryTables> tables)
      : now_ms_(options.now_ms),
        steady_now_(options.steady_now),
        retention_(options.retention),
        tables_(std::move(tables)) {}

  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override {
    const std::lock_guard lock(tables_->mutex);
    MemoryTransaction rows(tables_.get(), now_ms_(), steady_now_(), retention_);
    absl::Status status = OrOutOfMemory([&] { return body(rows); });
    if (status.ok()) return {};
    rows.RollBack();
    return {std::move(status), /*rolled_back=*/true};
  }

  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override {
    const std::lock_guard lock(tables_->mutex);
    MemorySnapshot rows(tables_.get(), steady_now_(), retention_);
    return body(rows);
  }

 private:
  const std::function<int64_t()> now_ms_;
  const std::function<SteadyTime()> steady_now_;
  const absl::Duration retention_;
  const std::shared_ptr<MemoryTables> tables_;
};

}  // namespace

std::shared_ptr<MemoryTables> MakeMemoryTables(size_t max_configuration_bytes) {
  return std::make_shared<MemoryTables>(max_configuration_bytes);
}

std::unique_ptr<Database> MakeMemoryDatabase(const StoreOptions& options,
                                             std::shared_ptr<MemoryTables> tables) {
  return std::make_unique<MemoryDatabase>(options, std::move(tables));
}

std::unique_ptr<Store> MakeMemoryStore(const StoreOptions& options,
                                       std::shared_ptr<MemoryTables> tables) {
  return MakeStore(MakeMemoryDatabase(options, std::move(tables)), options);
}

}  // namespace slipstream
