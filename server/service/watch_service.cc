#include "server/service/watch_service.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/event_conversion.h"
#include "server/convert/resource_name.h"
#include "server/convert/resume_token.h"
#include "server/service/meant_study.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// Events in one read of those that may tell of a deletion.
constexpr int kEventsPerScan = 2000;

constexpr char kListAgain[] = "; list the studies and trials, then watch without a token";

}  // namespace

absl::StatusOr<std::shared_ptr<const WatchAnswer>> EventStream::Next() {
  const std::optional<EventFeed::Watcher::Place> place = watcher_->place();
  std::shared_ptr<const WatchAnswer> answer;
  if (place.has_value()) answer = answers_.Find({*place, project_});
  if (answer == nullptr) {
    SLIPSTREAM_ASSIGN_OR_RETURN(answer, OrOutOfMemory([this] { return Take(); }));
    if (place.has_value() && answer->sequence > place->sequence)
      answers_.Put({*place, project_}, answer);
  } else {
    watcher_->SkipTo(answer->sequence);
  }
  ended_ = answer->ends;
  if (!std::exchange(first_, false) && !answer->has_events) return nullptr;
  watcher_->NoteSent(answer->message.size());
  return answer;
}

absl::StatusOr<std::shared_ptr<const WatchAnswer>> EventStream::Take() {
  const int64_t before = watcher_->sequence();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<EventRecord> events,
                              watcher_->Take(kMostEventsPerResponse));
  auto answer = std::make_shared<WatchAnswer>();
  answer->sequence = watcher_->sequence();
  v1::WatchResponse response;
  for (const EventRecord& event : events) {
    const std::string study_id = study_id_.has_value() ? *study_id_ : feed_.StudyIdOf(event);
    if (!IsWatched(study_id)) continue;
    v1::StudyEvent* const told = response.add_events();
    EventToProto(study_id, event, told);
    told->set_resume_token(MakeResumeToken(scope_, {event.sequence, StampOf(event)}));
    if (study_id_.has_value() && event.kind == EventKind::kStudyDeleted) answer->ends = true;
  }
  answer->has_events = response.events_size() > 0;
  // Else nothing is sent.
  if (first_ || answer->sequence > before) {
    SLIPSTREAM_ASSIGN_OR_RETURN(*response.mutable_resume_token(),
                                TokenAfter(answer->sequence, events));
  }
  answer->message = response.SerializeAsString();
  return answer;
}

absl::StatusOr<std::string> EventStream::TokenAfter(int64_t sequence,
                                                    const std::vector<EventRecord>& taken) {
  ResumePlace place{sequence, ""};
  if (!taken.empty() && taken.back().sequence == sequence) {
    place.stamp = StampOf(taken.back());
  } else {
    SLIPSTREAM_ASSIGN_OR_RETURN(place.stamp, feed_.StampAt(sequence));
  }
  return MakeResumeToken(scope_, place);
}

// The project of a study that is gone is not known any more.
bool EventStream::IsWatched(absl::string_view study_id) const {
  return !project_.has_value() || (!study_id.empty() && ProjectOfId(study_id) == *project_);
}

absl::StatusOr<int64_t> WatchService::BeginningOf(const std::string& scope,
                                                  const std::string& token) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t last, feed_.LastSequence());
  if (token.empty()) return last;
  SLIPSTREAM_ASSIGN_OR_RETURN(const ResumePlace after, ParseResumeToken(scope, token));
  if (after.sequence > last) {
    return absl::OutOfRangeError(absl::StrCat(
        "the token is newer than the latest event, for example because a backup was restored",
        kListAgain));
  }
  // What is no longer kept is noticed when the events after it are taken.
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string stamp, feed_.StampAt(after.sequence));
  if (stamp.empty() || after.stamp.empty() || stamp == after.stamp) return after.sequence;
  return absl::OutOfRangeError(absl::StrCat(
      "the store was restored from an older backup since the token was given, or the token is of "
      "another server",
      kListAgain));
}

absl::StatusOr<std::optional<int64_t>> WatchService::FirstDeleted(const std::string& study_id,
                                                                  int64_t after) {
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const EventPage page, store_.ListEvents(after, kEventsPerScan));
    for (const EventRecord& event : page.events) {
      const bool is_it = event.kind == EventKind::kStudyDeleted && event.detail == study_id;
      if (is_it) return std::optional<int64_t>(event.study_key);
    }
    if (page.events.empty()) return std::optional<int64_t>();
    after = page.events.back().sequence;
  }
}

absl::StatusOr<int64_t> WatchService::KeyOf(const StudyRef& study, int64_t after) {
  // The study is read first: one that is deleted in between is found among the events.
  const absl::StatusOr<StudyRecord> present = store_.GetStudy(study.id);
  if (!present.ok() && !absl::IsNotFound(present.status())) return present.status();
  const bool is_meant = present.ok() && study.create_ms == present->create_ms;
  if (is_meant) return present->key;
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> deleted, FirstDeleted(study.id, after));
  if (deleted.has_value()) return *deleted;
  if (!present.ok()) return present.status();
  if (present->create_ms != study.create_ms.value_or(present->create_ms)) {
    return StudyReplaced(study.id);
  }
  return present->key;
}

absl::StatusOr<std::unique_ptr<EventStream>> WatchService::Open(
    const std::optional<StudyRef>& study, const std::optional<std::string>& project,
    const std::string& token, std::function<void()> on_more) {
  const std::string scope =
      study.has_value()
          ? absl::StrCat("events of ", NameOfStudy(study->id))
          : absl::StrCat("events", project.has_value() ? " " : "", project.value_or(""));
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t after, BeginningOf(scope, token));
  int64_t key = 0;
  if (study.has_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(key, KeyOf(*study, after));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<EventFeed::Watcher> watcher,
                              feed_.Watch(key, after, std::move(on_more)));
  std::unique_ptr<EventStream> stream(
      new EventStream(&feed_, &answers_, std::move(watcher), scope));
  if (study.has_value()) {
    stream->study_id_ = study->id;
  } else {
    stream->project_ = project;
  }
  return stream;
}

void WatchService::OpenLater(std::function<absl::StatusOr<std::unique_ptr<EventStream>>()> open,
                             const Opened& opened) {
  const absl::Status accepted =
      reads_.Run([opened, open = std::move(open)] { opened(OrOutOfMemory(open)); });
  if (!accepted.ok()) opened(accepted);
}

void WatchService::WatchStudy(const v1::WatchStudyRequest* request, std::function<void()> on_more,
                              Opened opened) {
  const absl::StatusOr<StudyRef> study = MeantStudyOf(*request, "study", request->study());
  if (!study.ok()) return opened(study.status());
  OpenLater([=, this] { return Open(*study, std::nullopt, request->resume_token(), on_more); },
            opened);
}

void WatchService::WatchStudies(const v1::WatchStudiesRequest* request,
                                std::function<void()> on_more, Opened opened) {
  const absl::StatusOr<std::optional<std::string>> project =
      ParseProjectsName("parent", request->parent());
  if (!project.ok()) return opened(project.status());
  OpenLater(
      [=, this] { return Open(std::nullopt, *project, request->resume_token(), on_more); },
      opened);
}

}  // namespace slipstream
