#include "server/store/sqlite/event_log.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

using sqlite::Connection;
using sqlite::DecodeEvents;
using sqlite::EncodeEvents;
using sqlite::EventLog;
using sqlite::Query;
using sqlite::ReadEvents;

std::string TextOf(const EventRecord& event) {
  return absl::StrCat(event.sequence, " ", static_cast<int>(event.kind), " ", event.study_key, " ",
                      event.number, " ", event.time_ms, " ", event.value.has_value(), " ",
                      event.value.value_or(0), " ", event.detail);
}

std::vector<EventRecord> UnlikeEvents() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return {{7, EventKind::kStudyCreated, 1, 0, 1000, {}, "a study"},
          {8, EventKind::kTrialLeased, kMost, kMost, 999, {}, std::string(300, 'w')},
          {9, EventKind::kTrialEnded, 3, 127, kMost, 1e-300, ""},
          {10, EventKind::kIncumbentImproved, 3, 128, -5, -kInfinity, std::string("\0\xff", 2)},
          {11, EventKind::kTrialReported, 0, 16384, 0, -0.0, "x"}};
}

TEST(EventCodeTest, EventsOfAllKindsOfValuesComeBackAsTheyWere) {
  const std::vector<EventRecord> events = UnlikeEvents();
  const auto decoded = DecodeEvents(7, EncodeEvents(events));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_EQ(decoded->size(), events.size());
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(TextOf((*decoded)[i]), TextOf(events[i]));
}

TEST(EventCodeTest, BytesThatEndTooSoonAreRefused) {
  const std::vector<EventRecord> events = {UnlikeEvents()[2]};
  const std::string bytes = EncodeEvents(events);
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeEvents(1, bytes.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeEvents(1, std::string(20, '\xff')).status()));
}

class EventLogTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    auto opened = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    ASSERT_TRUE(opened.ok()) << opened.status();
    connection_ = *std::move(opened);
    ASSERT_TRUE(Query(*connection_, "DELETE FROM event_blocks").Run().ok());
    log_ = std::make_unique<EventLog>(connection_.get());
  }
  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(log_->Append({0, EventKind::kTrialEnded, 1, i, 100, 0.5, ""}).ok());
    }
    ASSERT_TRUE(log_->Flush().ok());
  }
  EventPage Read(int64_t after, int limit) {
    const auto page = ReadEvents(*connection_, after, limit);
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *page : EventPage();
  }

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(EventLogTest, ManyEventsOfOneTransactionTakeFewRowsAndAreReadInPieces) {
  Append(2500);
  Query rows(*connection_, "SELECT count(*) FROM event_blocks");
  ASSERT_TRUE(rows.Run().ok());
  EXPECT_EQ(rows.Integer(0), 3);
  for (int64_t after = 0; after < 2500; after += 100) {
    const EventPage page = Read(after, 100);
    ASSERT_EQ(page.events.size(), 100u);
    EXPECT_EQ(page.events.front().sequence, after + 1);
    EXPECT_EQ(page.events.front().number, after);
    EXPECT_EQ(page.events.back().sequence, after + 100);
    EXPECT_EQ(page.last_sequence, 2500);
  }
  EXPECT_TRUE(Read(2500, 100).events.empty());
}

TEST_F(EventLogTest, RowsWithLaterEventsAndTheLatestRowStay) {
  Append(10);
  Append(10);
  Append(10);
  ASSERT_TRUE(log_->DeleteUpTo(15).ok());
  EXPECT_EQ(Read(0, 1).first_sequence, 11);
  ASSERT_TRUE(log_->DeleteUpTo(1000).ok());
  EXPECT_EQ(Read(0, 1).first_sequence, 21);
  EXPECT_EQ(Read(0, 1).last_sequence, 30);
}

TEST_F(EventLogTest, NumbersOfARollbackAreGivenAgain) {
  Append(2);
  ASSERT_TRUE(log_->Append({}).ok());
  log_->RolledBack();
  const auto again = log_->Append({});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, 3);
}

TEST_F(EventLogTest, ARowThatHoldsNoEventsIsDataLoss) {
  Append(1);
  ASSERT_TRUE(Query(*connection_, "UPDATE event_blocks SET events = x'ff'").Run().ok());
  EXPECT_TRUE(absl::IsDataLoss(ReadEvents(*connection_, 0, 1).status()));
}

}  // namespace
}  // namespace slipstream
