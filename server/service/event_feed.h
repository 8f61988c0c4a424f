// The events of the store as they happen, for any number of watchers. One thread
// reads new events once for all of them and keeps the latest in memory; watchers
// read from there at their own pace, so that a slow one holds up nobody and no
// event is stored for it. Watchers that want older events read them from the store.
//
//   EventFeed feed(store, options);
//   auto watch = feed.Watch(study_key, after_sequence, [] { ... there is more ... });
//   absl::StatusOr<std::vector<EventRecord>> events = watch->Take(100);
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_EVENT_FEED_H_
#define SLIPSTREAM_SERVER_SERVICE_EVENT_FEED_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/memo.h"
#include "server/store/store.h"

namespace slipstream {

struct EventFeedOptions {
  // The least time that events wait to be sent together with later ones, and the interval at
  // which the store is asked for those of other servers.
  absl::Duration gathering = absl::Milliseconds(50);
  absl::Duration poll = absl::Seconds(1);
  // Bytes that all watchers together are sent, with some for each message. Above that rate
  // they are notified less often, and at last fall behind, rather than slow down the writers.
  int64_t bytes_per_second = 20'000'000;
  // Events in memory, and watchers at once.
  size_t max_events = 20000;
  size_t max_watchers = 1000;
  // The watchers of one project, where callers have identities. The transport, which knows the
  // callers, enforces it.
  size_t max_watchers_per_project = 250;
  // Runs once on the feed's thread, to lower its priority.
  std::function<void()> on_thread = {};
};

class EventFeed {
 public:
  class Watcher;

  // `store` must outlive the feed.
  EventFeed(Store* store, EventFeedOptions options);
  // All watchers must be destroyed before.
  ~EventFeed();

  // Watches the events after `after_sequence` of one study, or of all if `study_key` is
  // 0. `on_more` is called when there may be more to take; it must be quick, and is not
  // called any more once the watcher is destroyed. RESOURCE_EXHAUSTED: too many watchers.
  absl::StatusOr<std::unique_ptr<Watcher>> Watch(int64_t study_key, int64_t after_sequence,
                                                 std::function<void()> on_more);

  // The last event so far. The store's errors.
  absl::StatusOr<int64_t> LastSequence();

  // What tells the event with this number from another history's (resume_token.h); empty if there
  // is none, or none any more. Reads the store if the event is not in memory, and returns its
  // errors.
  absl::StatusOr<std::string> StampAt(int64_t sequence);

  // Watchers at present.
  size_t watchers();

  // The id of a study that an event is about; empty if it is no longer known.
  std::string StudyIdOf(const EventRecord& event);

 private:
  friend class Watcher;

  void NoteCommit();
  void Run();
  bool RestWithoutWatchers();
  // Reads what is new; whether there may be more.
  bool ReadMore();
  // The event, if it is in memory.
  std::optional<EventRecord> LatestAt(int64_t sequence);
  void Tell();
  // How long to rest after a round that took `busy`.
  absl::Duration RestAfter(absl::Duration busy);

  Store& store_;
  const EventFeedOptions options_;
  Memo<int64_t, const std::string> study_ids_{10000};  // By key.

  std::mutex mutex_;
  std::condition_variable news_;
  bool committed_ = false;
  bool stopping_ = false;
  std::deque<EventRecord> events_;     // The latest, without gaps.
  std::optional<int64_t> last_known_;  // The last event that was read; absent until the first read.

  std::atomic<int64_t> sent_bytes_{0};  // Since the last round.
  std::atomic<bool> is_behind_{false};  // A watcher has more to read.

  std::mutex watchers_mutex_;  // Held while watchers are told.
  std::set<Watcher*> watchers_;
  std::thread thread_;
};

// One watcher's place in the events. Not thread-safe, but `on_more` may be called at
// any time.
class EventFeed::Watcher {
 public:
  ~Watcher();

  // At most `limit` events in order; empty if there is none for now. OUT_OF_RANGE:
  // events that this watcher has not seen are no longer kept. ABORTED: it was too
  // slow, by more events than are in memory; it may watch again from where it was. Else the store's
  // errors.
  absl::StatusOr<std::vector<EventRecord>> Take(int limit);

  // The watcher's position among the events in memory, with the last of these; absent if it
  // is behind all of them. Watchers at the same place take the same events.
  struct Place {
    int64_t study_key = 0;
    int64_t sequence = 0;
    int64_t last_known = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };
  std::optional<Place> place() const;
  // As if the events up to `sequence` had been taken.
  void SkipTo(int64_t sequence) { sequence_ = sequence; }

  // To be called with the size of each message that tells what was taken.
  void NoteSent(size_t bytes);

  // The last event that was taken, or passed over as another study's.
  int64_t sequence() const { return sequence_; }

 private:
  friend class EventFeed;

  Watcher(EventFeed* feed, int64_t study_key, int64_t after, std::function<void()> on_more)
      : feed_(*feed), study_key_(study_key), sequence_(after), on_more_(std::move(on_more)) {}

  bool Wants(const EventRecord& event) const {
    return study_key_ == 0 || event.study_key == study_key_;
  }
  // From memory; absent if they are not there.
  std::optional<std::vector<EventRecord>> TakeLatest(int limit);
  absl::StatusOr<std::vector<EventRecord>> TakeOlder(int limit);

  EventFeed& feed_;
  const int64_t study_key_;
  int64_t sequence_;
  const std::function<void()> on_more_;
  bool caught_up_ = false;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_EVENT_FEED_H_
