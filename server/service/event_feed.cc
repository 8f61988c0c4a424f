#include "server/service/event_feed.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/resume_token.h"

namespace slipstream {
namespace {

// Events in one read of the store.
constexpr int kEventsPerRead = 2000;
// The feed rests so many times as long as it works.
constexpr int kRestPerWork = 10;
// The cost of sending a message, however small, in bytes.
constexpr int64_t kBytesPerMessage = 4096;

}  // namespace

EventFeed::EventFeed(Store* store, EventFeedOptions options)
    : store_(*store), options_(std::move(options)) {
  store_.SetCommitListener([this] { NoteCommit(); });
  thread_ = std::thread([this] { Run(); });
}

EventFeed::~EventFeed() {
  store_.SetCommitListener({});
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void EventFeed::NoteCommit() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(committed_, true)) return;
  }
  news_.notify_one();
}

void EventFeed::Run() {
  if (options_.on_thread) options_.on_thread();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    news_.wait_for(lock, absl::ToChronoNanoseconds(options_.poll),
                   [this] { return committed_ || stopping_; });
    committed_ = false;
    lock.unlock();
    is_behind_ = false;
    const auto begin = std::chrono::steady_clock::now();
    if (!RestWithoutWatchers()) {
      while (ReadMore()) {
      }
      Tell();
    }
    const absl::Duration busy = absl::FromChrono(std::chrono::steady_clock::now() - begin);
    lock.lock();
    news_.wait_for(lock, absl::ToChronoNanoseconds(RestAfter(busy)), [this] { return stopping_; });
  }
}

size_t EventFeed::watchers() {
  const std::lock_guard lock(watchers_mutex_);
  return watchers_.size();
}

// Those who are behind need not wait for events to gather.
absl::Duration EventFeed::RestAfter(absl::Duration busy) {
  const absl::Duration gathering = is_behind_ ? absl::ZeroDuration() : options_.gathering;
  const absl::Duration sending = absl::Seconds(static_cast<double>(sent_bytes_.exchange(0)) /
                                               static_cast<double>(options_.bytes_per_second));
  return std::max({gathering, sending, kRestPerWork * busy});
}

// Nobody needs to catch up with events that nobody waits for.
bool EventFeed::RestWithoutWatchers() {
  const std::lock_guard watchers_lock(watchers_mutex_);
  if (!watchers_.empty()) return false;
  const std::lock_guard lock(mutex_);
  events_.clear();
  last_known_.reset();
  return true;
}

bool EventFeed::ReadMore() {
  std::optional<int64_t> known;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    known = last_known_;
  }
  const int64_t after = known.value_or(std::numeric_limits<int64_t>::max());
  absl::StatusOr<EventPage> page =
      OrOutOfMemory([&] { return store_.ListEvents(after, kEventsPerRead); });
  if (!page.ok()) return false;  // It is asked again.
  const std::lock_guard lock(mutex_);
  if (!known.has_value()) {
    last_known_ = page->last_sequence;
    return true;
  }
  // Where the store has let events go, watchers that want them have to be told.
  if (page->first_sequence > *known + 1) events_.clear();
  const absl::Status kept = OrOutOfMemory([&] {
    for (EventRecord& event : page->events) events_.push_back(std::move(event));
    return absl::OkStatus();
  });
  if (!kept.ok()) {
    events_.clear();  // There must be no gaps; watchers read the store.
    return false;
  }
  if (!page->events.empty()) last_known_ = events_.back().sequence;
  while (events_.size() > options_.max_events) events_.pop_front();
  return page->events.size() == kEventsPerRead;
}

void EventFeed::Tell() {
  const std::lock_guard lock(watchers_mutex_);
  for (Watcher* watcher : watchers_) watcher->on_more_();
}

absl::StatusOr<std::unique_ptr<EventFeed::Watcher>> EventFeed::Watch(
    int64_t study_key, int64_t after_sequence, std::function<void()> on_more) {
  std::unique_ptr<Watcher> watcher(
      new Watcher(this, study_key, after_sequence, std::move(on_more)));
  {
    const std::lock_guard lock(watchers_mutex_);
    if (watchers_.size() >= options_.max_watchers) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the limit of ", options_.max_watchers,
                       " watchers is reached; watch again when one has ended"));
    }
    watchers_.insert(watcher.get());
  }
  NoteCommit();
  return watcher;
}

absl::StatusOr<int64_t> EventFeed::LastSequence() {
  SLIPSTREAM_ASSIGN_OR_RETURN(const EventPage page,
                              store_.ListEvents(std::numeric_limits<int64_t>::max(), 1));
  return page.last_sequence;
}

std::optional<EventRecord> EventFeed::LatestAt(int64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (events_.empty() || sequence < events_.front().sequence) return std::nullopt;
  const auto found = std::lower_bound(
      events_.begin(), events_.end(), sequence,
      [](const EventRecord& event, int64_t wanted) { return event.sequence < wanted; });
  if (found == events_.end() || found->sequence != sequence) return std::nullopt;
  return *found;
}

absl::StatusOr<std::string> EventFeed::StampAt(int64_t sequence) {
  if (sequence <= 0) return std::string();
  if (const std::optional<EventRecord> latest = LatestAt(sequence)) return StampOf(*latest);
  SLIPSTREAM_ASSIGN_OR_RETURN(const EventPage page, store_.ListEvents(sequence - 1, 1));
  if (page.events.empty() || page.events.front().sequence != sequence) return std::string();
  return StampOf(page.events.front());
}

std::string EventFeed::StudyIdOf(const EventRecord& event) {
  const bool tells = event.kind == EventKind::kStudyCreated ||
                     event.kind == EventKind::kStudyChanged ||
                     event.kind == EventKind::kStudyDeleted;
  if (tells) {
    study_ids_.Put(event.study_key, std::make_shared<const std::string>(event.detail));
    return event.detail;
  }
  const auto found =
      study_ids_.Get(event.study_key, [&]() -> absl::StatusOr<std::shared_ptr<const std::string>> {
        SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> id,
                                    store_.FindStudyId(event.study_key));
        if (!id.has_value()) return absl::NotFoundError("the study was deleted");
        return std::make_shared<const std::string>(*id);
      });
  return found.ok() ? **found : std::string();
}

EventFeed::Watcher::~Watcher() {
  const std::lock_guard lock(feed_.watchers_mutex_);
  feed_.watchers_.erase(this);
}

void EventFeed::Watcher::NoteSent(size_t bytes) {
  feed_.sent_bytes_ += static_cast<int64_t>(bytes) + kBytesPerMessage;
  {
    const std::lock_guard lock(feed_.mutex_);
    if (caught_up_ && sequence_ >= feed_.last_known_.value_or(0)) return;
  }
  feed_.is_behind_ = true;
  feed_.NoteCommit();
}

absl::StatusOr<std::vector<EventRecord>> EventFeed::Watcher::Take(int limit) {
  if (std::optional<std::vector<EventRecord>> latest = TakeLatest(limit)) {
    caught_up_ = true;
    return *std::move(latest);
  }
  return TakeOlder(limit);
}

std::optional<EventFeed::Watcher::Place> EventFeed::Watcher::place() const {
  const std::lock_guard lock(feed_.mutex_);
  if (!caught_up_ || feed_.events_.empty() || sequence_ + 1 < feed_.events_.front().sequence) {
    return std::nullopt;
  }
  return Place{study_key_, sequence_, *feed_.last_known_};
}

std::optional<std::vector<EventRecord>> EventFeed::Watcher::TakeLatest(int limit) {
  const std::lock_guard lock(feed_.mutex_);
  const std::deque<EventRecord>& events = feed_.events_;
  if (!feed_.last_known_.has_value()) return std::nullopt;
  const int64_t first = events.empty() ? *feed_.last_known_ + 1 : events.front().sequence;
  if (sequence_ + 1 < first) return std::nullopt;
  std::vector<EventRecord> taken;
  auto event = std::upper_bound(
      events.begin(), events.end(), sequence_,
      [](int64_t sequence, const EventRecord& each) { return sequence < each.sequence; });
  for (; event != events.end() && taken.size() < static_cast<size_t>(limit); ++event) {
    sequence_ = event->sequence;
    if (Wants(*event)) taken.push_back(*event);
  }
  return taken;
}

absl::StatusOr<std::vector<EventRecord>> EventFeed::Watcher::TakeOlder(int limit) {
  std::vector<EventRecord> taken;
  while (taken.empty()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const EventPage page, feed_.store_.ListEvents(sequence_, limit));
    if (sequence_ + 1 < page.first_sequence) {
      return absl::OutOfRangeError(
          absl::StrCat("the events after the token are no longer kept, only the latest ",
                       page.last_sequence - page.first_sequence + 1,
                       "; list the studies and trials, then watch without a token"));
    }
    if (caught_up_ &&
        page.last_sequence - sequence_ > static_cast<int64_t>(feed_.options_.max_events)) {
      return absl::AbortedError(
          "the watcher read events more slowly than they happened; watch again from its last "
          "token");
    }
    if (page.events.empty()) break;
    for (const EventRecord& event : page.events) {
      sequence_ = event.sequence;
      if (Wants(event)) taken.push_back(event);
    }
    caught_up_ = sequence_ >= page.last_sequence;
  }
  return taken;
}

}  // namespace slipstream
