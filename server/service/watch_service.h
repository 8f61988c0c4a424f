// Watching studies, free of any transport: a stream of events, which the transport asks for
// as it can send them.
#ifndef SLIPSTREAM_SERVER_SERVICE_WATCH_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_WATCH_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/memo.h"
#include "server/service/event_feed.h"
#include "server/service/executor.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// Events that one message to a watcher may hold.
inline constexpr int kMostEventsPerResponse = 2000;

// The next message to a watcher, shared by all watchers at the same place.
struct WatchAnswer {
  std::string message;      // A WatchResponse as bytes.
  bool has_events = false;  // Not only a token.
  int64_t sequence = 0;     // The place after it.
  bool ends = false;        // The one study that is watched has been deleted.
};

// A place in the events. Watchers at equal places are sent the same.
struct WatchPlace {
  EventFeed::Watcher::Place place;
  std::optional<std::string> project;

  friend bool operator==(const WatchPlace&, const WatchPlace&) = default;
};

// The latest answers. Few, as watchers are told in rounds.
using WatchAnswers = Memo<WatchPlace, const WatchAnswer>;

// Used by one thread at a time.
class EventStream {
 public:
  // The next events, some at a time. Null if there is nothing to send: no events, unless
  // it is the first response, which tells where the stream begins. Errors: see
  // EventFeed::Watcher::Take. Reads the store until it has caught up.
  absl::StatusOr<std::shared_ptr<const WatchAnswer>> Next();

  // Whether nothing will follow, as the one study that is watched has been deleted.
  bool ended() const { return ended_; }

 private:
  friend class WatchService;

  EventStream(EventFeed* feed, WatchAnswers* answers, std::unique_ptr<EventFeed::Watcher> watcher,
              std::string scope)
      : feed_(*feed), answers_(*answers), watcher_(std::move(watcher)), scope_(std::move(scope)) {}

  absl::StatusOr<std::shared_ptr<const WatchAnswer>> Take();
  // The token of the place after `sequence`. `taken` are the events that were just taken.
  absl::StatusOr<std::string> TokenAfter(int64_t sequence,
                                         const std::vector<EventRecord>& taken);
  // Whether the event is of the project that is watched.
  bool IsWatched(absl::string_view study_id) const;

  EventFeed& feed_;
  WatchAnswers& answers_;
  const std::unique_ptr<EventFeed::Watcher> watcher_;
  const std::string scope_;             // Binds resume tokens to what is watched.
  std::optional<std::string> project_;  // Absent: all that the watcher takes.
  std::optional<std::string> study_id_;  // The one study that is watched.
  bool first_ = true;
  bool ended_ = false;
};

// Thread-safe.
class WatchService {
 public:
  using Opened = std::function<void(absl::StatusOr<std::unique_ptr<EventStream>>)>;

  // All pointers must outlive the service and its streams.
  WatchService(Store* store, EventFeed* feed, Executor* reads)
      : store_(*store), feed_(*feed), reads_(*reads) {}

  // Opens a stream. `on_more` is called when there may be more events, at any time until
  // the stream is destroyed, and must be quick. `request` must live until `opened` has been
  // called, perhaps on another thread.
  void WatchStudy(const v1::WatchStudyRequest* request, std::function<void()> on_more,
                  Opened opened);
  void WatchStudies(const v1::WatchStudiesRequest* request, std::function<void()> on_more,
                    Opened opened);

 private:
  // Watches the study, or those of the project where none is given, or all without both.
  absl::StatusOr<std::unique_ptr<EventStream>> Open(const std::optional<StudyRef>& study,
                                                    const std::optional<std::string>& project,
                                                    const std::string& token,
                                                    std::function<void()> on_more);
  // Where a watch goes on; the present if the token is empty. OUT_OF_RANGE if the token is of
  // another history of the store.
  absl::StatusOr<int64_t> BeginningOf(const std::string& scope, const std::string& token);
  // The key of the study that had the id after this event: it may have been deleted since, and
  // another one have its id.
  absl::StatusOr<int64_t> KeyOf(const StudyRef& study, int64_t after);
  // The key of the first study of this id that was deleted after the event, if any was.
  absl::StatusOr<std::optional<int64_t>> FirstDeleted(const std::string& study_id, int64_t after);
  void OpenLater(std::function<absl::StatusOr<std::unique_ptr<EventStream>>()> open,
                 const Opened& opened);

  Store& store_;
  EventFeed& feed_;
  Executor& reads_;
  WatchAnswers answers_{16};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_WATCH_SERVICE_H_
