#include "tests/server/store/sqlite/store_damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/server/store/store_calls.h"

namespace slipstream {
namespace {

constexpr int kAll = 1 << 20;
constexpr size_t kPageBytes = 4096;
constexpr int kRememberedAnswers = 20;

std::string AnswerId(int i) { return absl::StrCat("request-", i); }

std::string Text(const std::optional<int64_t>& value) {
  return value.has_value() ? absl::StrCat(*value) : "none";
}

// With all its digits.
std::string Text(const std::optional<double>& value) {
  return value.has_value() ? absl::StrFormat("%a", *value) : "none";
}

std::string Text(const TrialRecord& trial) {
  return absl::StrCat("trial ", trial.number, " ", static_cast<int>(trial.state), " ",
                      trial.suggested, " ", trial.configuration, " ", Text(trial.candidate), " ",
                      trial.worker, " ", Text(trial.objective), " ", trial.measurement, " ",
                      trial.reason, " ", trial.create_ms, " ", Text(trial.start_ms), " ",
                      Text(trial.end_ms), " ", Text(trial.lease_end_ms), " ", trial.requeue_of, " ",
                      trial.requeued_as, " ", trial.requeues, " ", trial.process.host, " ",
                      trial.process.id, " ", trial.report_count, " ", Text(trial.last_step), " ",
                      Text(trial.last_value), " ", trial.labels, " ", trial.note, "\n");
}

std::string Text(const StudyRecord& study) {
  return absl::StrCat("study ", study.key, " ", study.id, " ", study.definition, " ",
                      study.display_name, " ", study.labels, " ", static_cast<int>(study.state),
                      " ", study.create_ms, " ", study.update_ms, " ", study.trial_count, " ",
                      study.succeeded_count, " ", study.suggested_count, " ", study.late_count, " ",
                      Text(study.best), " ", study.lease.duration_ms, " ", study.lease.max_requeues,
                      "\n");
}

std::string Text(const SourceTaskRecord& task) {
  return absl::StrCat("source ", task.key, " ", task.id, " ", task.definition, " ",
                      task.observation_count, " ", task.measured_count, " ", task.create_ms, " ",
                      task.study_count, "\n");
}

std::string Text(const TrialProvenance& each) {
  return absl::StrCat("provenance ", each.number, " ", each.provenance, "\n");
}

std::string Text(const ReportRecord& each) {
  return absl::StrCat("report ", each.number, " ", each.report.step, " ",
                      absl::StrFormat("%a", each.report.value), "\n");
}

std::string Text(const EventRecord& event) {
  return absl::StrCat("event ", event.sequence, " ", static_cast<int>(event.kind), " ",
                      event.study_key, " ", event.number, " ", event.time_ms, " ",
                      Text(event.value), " ", event.detail, "\n");
}

std::string Text(const std::string& bytes) { return absl::StrCat(bytes, "\n"); }

template <typename Record>
std::string TextOfAll(const absl::StatusOr<std::vector<Record>>& records) {
  if (!records.ok()) return absl::StrCat(records.status().ToString(), "\n");
  std::string text;
  for (const Record& record : *records) text += Text(record);
  return text;
}

std::string ContentOf(Store& store, const StudyRecord& study) {
  TrialFilter filter;
  filter.limit = kAll;
  const auto candidates = store.GetCandidates(study.key);
  return absl::StrCat(Text(study), candidates.ok() ? *candidates : candidates.status().ToString(),
                      "\n", TextOfAll(store.GetStudySources(study.key)),
                      TextOfAll(store.ListTrials(study.id, filter)),
                      TextOfAll(store.ListProvenances(study.id, 0, kAll)),
                      TextOfAll(store.ListReports(study.id, 0, kAll, kAll)));
}

std::string Word(int i, size_t size) {
  std::string word(size, '\0');
  for (size_t at = 0; at < size; ++at) {
    word[at] = static_cast<char>('a' + (at * 7 + static_cast<size_t>(i)) % 26);
  }
  return word;
}

void FillStudy(Store& store, const std::string& id) {
  NewStudy study = StudyNamed(id, {"source-0", "source-1"});
  study.candidates = Word(1, 20000);
  study.labels = "labels";
  study.lease = {3600000, 2};
  ASSERT_TRUE(CreateStudy(store, study).ok());
  std::vector<NewTrial> ended;
  for (int i = 0; i < 300; ++i) ended.push_back(FinishedTrial(Word(i, 120), i * 0.25));
  ASSERT_TRUE(AddTrials(store, id, ended).ok());
  ASSERT_TRUE(LeaseFresh(store, *store.GetStudy(id), "worker", 80).ok());
  for (int number = 301; number <= 340; ++number) {
    ASSERT_TRUE(ReportSteps(store, {id, number, {{1, number * 0.5}, {2, number * 0.75}}}).ok());
  }
  for (int number = 341; number <= 370; ++number) {
    ASSERT_TRUE(ObserveTrial(store, {id, number, Success(number, Word(number, 60))}).ok());
  }
  ASSERT_TRUE(ObserveTrial(store, {id, 371, Ending(TrialState::kFailed, "broken")}).ok());
  ASSERT_TRUE(UpdateTrial(store, id, 372, {"labels", "a note"}).ok());
}

}  // namespace

std::string ContentOf(Store& store) {
  std::string text;
  const auto studies = store.ListStudies({0, kAll});
  if (!studies.ok()) return studies.status().ToString();
  for (const StudyRecord& study : *studies) {
    const auto whole = store.GetStudy(study.id);
    text += whole.ok() ? ContentOf(store, *whole) : whole.status().ToString();
  }
  const auto sources = store.ListSourceTasks({0, kAll});
  text += TextOfAll(sources);
  for (const SourceTaskRecord& source : sources.ok() ? *sources : std::vector<SourceTaskRecord>()) {
    const auto whole = store.GetSourceTask(source.id);
    text += whole.ok() ? whole->definition : whole.status().ToString();
    text += TextOfAll(store.GetSourceChunks(source.id));
  }
  for (int i = 0; i < kRememberedAnswers; ++i) {
    const auto answer = store.FindAnswer({AnswerId(i), "fingerprint"});
    absl::StrAppend(&text, answer.ok() ? answer->value_or("no answer") : answer.status().ToString(),
                    "\n");
  }
  const auto events = store.ListEvents(0, kAll);
  if (!events.ok()) return text + events.status().ToString();
  return text + TextOfAll(absl::StatusOr<std::vector<EventRecord>>(events->events));
}

void FillStore(Store& store) {
  const bool filled = store.GetSourceTask("source-0").ok();
  for (int i = 0; i < 2 && !filled; ++i) {
    NewSourceTask task = SourceTaskNamed(absl::StrCat("source-", i));
    task.chunks.assign(5, Word(i, 30000));
    ASSERT_TRUE(RegisterSourceTask(store, task).ok());
  }
  const size_t number = store.ListStudies({0, kAll})->size();
  FillStudy(store, absl::StrCat("study-", number));
  FillStudy(store, absl::StrCat("study-", number + 1));
  for (int i = filled ? kRememberedAnswers / 2 : 0; i < kRememberedAnswers; ++i) {
    if (!filled && i == kRememberedAnswers / 2) break;
    UpdateStudy(store, absl::StrCat("study-", number), {Word(i, 10), {}, {}, {}},
                {AnswerId(i), "fingerprint"}, Word(i, 700));
  }
}

std::string DamageFile(const std::string& path, std::mt19937_64& random) {
  std::string bytes = ReadBytes(path);
  const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
  const size_t pages = std::max<size_t>(bytes.size() / kPageBytes, 1);
  const size_t at = below(bytes.size());
  const size_t page = below(pages) * kPageBytes;
  const size_t page_size = std::min(kPageBytes, bytes.size() - page);
  std::string how;
  switch (below(9)) {
    case 0:
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
      how = absl::StrCat("a flipped bit at ", at);
      break;
    case 2:
      for (size_t i = at; i < std::min(bytes.size(), at + 1 + below(64)); ++i) {
        bytes[i] = static_cast<char>(random());
      }
      how = absl::StrCat("random bytes at ", at);
      break;
    case 3:
      for (size_t i = page; i < page + page_size; ++i) bytes[i] = static_cast<char>(random());
      how = absl::StrCat("a garbage page at ", page);
      break;
    case 4:
      bytes.replace(page, page_size, page_size, '\0');
      how = absl::StrCat("a page of zeros at ", page);
      break;
    case 5:
      bytes.resize(at);
      how = absl::StrCat("cut off at ", at);
      break;
    case 6: {
      const size_t other = below(pages) * kPageBytes;
      const size_t size = std::min(page_size, bytes.size() - other);
      const std::string first = bytes.substr(page, size);
      bytes.replace(page, size, bytes.substr(other, size));
      bytes.replace(other, size, first);
      how = absl::StrCat("pages exchanged at ", page, " and ", other);
      break;
    }
    case 7: {
      const size_t other = below(pages) * kPageBytes;
      const size_t size = std::min(page_size, bytes.size() - other);
      bytes.replace(page, size, bytes.substr(other, size));
      how = absl::StrCat("the page at ", other, " also at ", page);
      break;
    }
    default:
      bytes.append(1 + below(3 * kPageBytes), static_cast<char>(random()));
      how = "bytes at the end";
  }
  WriteBytes(path, bytes);
  return absl::StrCat(std::filesystem::path(path).extension().string(), ": ", how);
}

}  // namespace slipstream
