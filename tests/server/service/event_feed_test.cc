#include "server/service/event_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/service/observed_store.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using testing::ElementsAre;

// Counts calls of on_more.
class News {
 public:
  std::function<void()> OnMore() {
    return [this] {
      const std::lock_guard lock(mutex_);
      ++calls_;
      more_.notify_all();
    };
  }
  // Whether there is a call within this time.
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    const bool called = more_.wait_for(lock, time, [this] { return calls_ > seen_; });
    seen_ = calls_;
    return called;
  }
  // Waits for the next call.
  void Wait() {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [this] { return calls_ > seen_; });
    seen_ = calls_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  int calls_ = 0;
  int seen_ = 0;
};

class EventFeedTest : public testing::Test {
 protected:
  EventFeedTest() { Start({}); }

  void Start(EventFeedOptions options) {
    options.gathering = absl::Milliseconds(1);
    options.poll = absl::Milliseconds(20);
    feed_.reset();
    feed_ = std::make_unique<EventFeed>(store_.get(), options);
  }
  StudyRecord Create(const std::string& id) { return *CreateStudy(*store_, StudyNamed(id)); }
  void Queue(const std::string& study, int count) {
    ASSERT_TRUE(AddTrials(*store_, study, std::vector<NewTrial>(static_cast<size_t>(count))).ok());
  }
  // Takes events, and waits for more, until there are `count`.
  static std::vector<int64_t> NumbersOf(EventFeed::Watcher* watcher, size_t count, News* news) {
    std::vector<int64_t> numbers;
    while (true) {
      const auto events = watcher->Take(7);
      EXPECT_TRUE(events.ok()) << events.status();
      if (!events.ok()) return numbers;
      for (const EventRecord& event : *events) numbers.push_back(event.number);
      if (numbers.size() >= count) return numbers;
      if (events->empty()) news->Wait();
    }
  }

  const std::unique_ptr<Store> store_ = MakeMemoryStore();
  std::unique_ptr<EventFeed> feed_;
};

TEST_F(EventFeedTest, AWatcherSeesItsStudysEventsAsTheyHappen) {
  const StudyRecord mine = Create("mine");
  Create("other");
  News news;
  const auto watcher = *feed_->Watch(mine.key, *feed_->LastSequence(), news.OnMore());
  Queue("mine", 2);
  Queue("other", 5);
  Queue("mine", 1);
  EXPECT_THAT(NumbersOf(watcher.get(), 3, &news), ElementsAre(1, 2, 3));
}

TEST_F(EventFeedTest, EventsForWhichThereIsTooLittleMemoryAreReadAgain) {
  Create("s");
  std::atomic<int> reads = 0;
  const auto test = std::this_thread::get_id();
  ObservedStore store(store_.get(), [&reads, test](const std::string&) {
    if (std::this_thread::get_id() != test && ++reads <= 3) throw std::bad_alloc();
  });
  EventFeedOptions options;
  options.gathering = absl::Milliseconds(1);
  options.poll = absl::Milliseconds(1);
  EventFeed feed(&store, options);
  News news;
  const auto watcher = *feed.Watch(0, *feed.LastSequence(), news.OnMore());
  Queue("s", 2);
  EXPECT_THAT(NumbersOf(watcher.get(), 2, &news), ElementsAre(1, 2));
  while (reads <= 3) news.Wait();
}

// At whichever allocation of the feed's thread it runs out, while events are read and kept.
TEST_F(EventFeedTest, NoEventIsLostWhenMemoryRunsOut) {
  Create("s");
  const auto test = std::this_thread::get_id();
  for (int allocations = 0; allocations < 40; ++allocations) {
    std::atomic<bool> is_to_limit = false;
    std::optional<AllocationLimit> limit;
    ObservedStore store(store_.get(), [&](const std::string&) {
      if (std::this_thread::get_id() == test) return;
      limit.reset();
      if (is_to_limit.exchange(false)) limit.emplace(allocations);
    });
    EventFeedOptions options;
    options.gathering = absl::Milliseconds(1);
    options.poll = absl::Milliseconds(1);
    EventFeed feed(&store, options);
    News news;
    const auto watcher = *feed.Watch(0, *feed.LastSequence(), news.OnMore());
    news.Wait();
    is_to_limit = true;
    Queue("s", 30);
    EXPECT_EQ(NumbersOf(watcher.get(), 30, &news).size(), 30u);
    while (is_to_limit) news.Wait();
  }
}

TEST_F(EventFeedTest, AWatcherOfAllStudiesSeesThemAll) {
  News news;
  const auto watcher = *feed_->Watch(0, 0, news.OnMore());
  const StudyRecord study = Create("s");
  Queue("s", 1);
  EXPECT_THAT(NumbersOf(watcher.get(), 2, &news), ElementsAre(0, 1));
  EventRecord event;
  event.kind = EventKind::kTrialQueued;
  event.study_key = study.key;
  EXPECT_EQ(feed_->StudyIdOf(event), "s");
}

TEST_F(EventFeedTest, AWatcherGoesOnWhereAnEarlierOneWas) {
  const StudyRecord study = Create("s");
  Queue("s", 40);
  News news;
  auto watcher = *feed_->Watch(study.key, 0, news.OnMore());
  std::vector<int64_t> numbers = NumbersOf(watcher.get(), 20, &news);
  const int64_t token = watcher->sequence();
  watcher.reset();
  Queue("s", 5);
  Start({});
  watcher = *feed_->Watch(study.key, token, news.OnMore());
  for (const int64_t number : NumbersOf(watcher.get(), 46 - numbers.size(), &news)) {
    numbers.push_back(number);
  }
  std::vector<int64_t> expected;
  for (int64_t number = 0; number <= 45; ++number) expected.push_back(number);
  EXPECT_EQ(numbers, expected) << "each once, in order";
}

TEST_F(EventFeedTest, ASlowWatcherIsDroppedAndCanGoOn) {
  Start({.max_events = 10});
  const StudyRecord study = Create("s");
  News slow_news;
  News news;
  auto slow = *feed_->Watch(study.key, *feed_->LastSequence(), slow_news.OnMore());
  const auto quick = *feed_->Watch(study.key, *feed_->LastSequence(), news.OnMore());
  Queue("s", 1);
  EXPECT_EQ(NumbersOf(slow.get(), 1, &slow_news).size(), 1u);
  EXPECT_EQ(NumbersOf(quick.get(), 1, &news).size(), 1u);
  for (int i = 0; i < 10; ++i) {
    Queue("s", 5);
    EXPECT_EQ(NumbersOf(quick.get(), 5, &news).size(), 5u) << "others go on";
  }
  EXPECT_TRUE(absl::IsAborted(slow->Take(7).status()));
  slow = *feed_->Watch(study.key, slow->sequence(), slow_news.OnMore());
  EXPECT_EQ(NumbersOf(slow.get(), 50, &slow_news).size(), 50u);
}

TEST_F(EventFeedTest, MuchThatIsSentIsFollowedByARestInProportion) {
  Start({.bytes_per_second = 10'000});
  const StudyRecord study = Create("s");
  News news;
  const auto watcher = *feed_->Watch(study.key, *feed_->LastSequence(), news.OnMore());
  Queue("s", 1);
  EXPECT_EQ(NumbersOf(watcher.get(), 1, &news).size(), 1u);
  watcher->NoteSent(1'000'000);
  // One round may begin before it takes notice; the rest of 100 s comes then.
  news.WaitFor(std::chrono::milliseconds(500));
  Queue("s", 1);
  news.WaitFor(std::chrono::milliseconds(500));
  Queue("s", 1);
  EXPECT_FALSE(news.WaitFor(std::chrono::milliseconds(500)));
}

TEST_F(EventFeedTest, AWatcherThatIsBehindIsToldAgainWithoutNews) {
  feed_.reset();
  feed_ = std::make_unique<EventFeed>(store_.get(), EventFeedOptions{.poll = absl::Hours(1)});
  const StudyRecord study = Create("s");
  Queue("s", 50);
  News news;
  const auto watcher = *feed_->Watch(study.key, 0, news.OnMore());
  for (int sent = 0; sent < 5; ++sent) {
    const auto events = watcher->Take(7);
    ASSERT_TRUE(events.ok()) << events.status();
    EXPECT_EQ(events->size(), 7u);
    EXPECT_FALSE(watcher->place().has_value());
    watcher->NoteSent(100);
    news.Wait();
  }
}

TEST_F(EventFeedTest, EventsThatAreNotKeptAreOutOfRange) {
  const StudyRecord study = Create("s");
  News news;
  const auto watcher = *feed_->Watch(study.key, 0, news.OnMore());
  for (int i = 0; i < 103; ++i) Queue("s", 1000);
  while (true) {
    const auto events = watcher->Take(1000);
    if (!events.ok()) {
      EXPECT_TRUE(absl::IsOutOfRange(events.status()) || absl::IsAborted(events.status()));
      break;
    }
    FAIL() << "the first events should be gone";
  }
}

TEST_F(EventFeedTest, ThereIsABoundOnWatchers) {
  Start({.max_watchers = 2});
  auto one = *feed_->Watch(0, 0, [] {});
  const auto two = *feed_->Watch(0, 0, [] {});
  EXPECT_EQ(feed_->Watch(0, 0, [] {}).status(),
            absl::ResourceExhaustedError(
                "the limit of 2 watchers is reached; watch again when one has ended"));
  one.reset();
  EXPECT_TRUE(feed_->Watch(0, 0, [] {}).ok());
}

}  // namespace
}  // namespace slipstream
