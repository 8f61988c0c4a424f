#include "server/service/status_service.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

class StatusServiceTest : public testing::Test {
 protected:
  StatusServiceTest() { options_.quotas = &quotas_; }

  v1::ServerStatus StatusFor(const StatusService::MaySee& may_see) {
    StatusService service(
        store_.get(), &options_, [] { return ServiceFigures(); }, &reads_,
        [this] { return steady_now_ += std::chrono::seconds(5); });
    v1::ServerStatus status;
    std::promise<absl::Status> answered;
    service.GetServerStatusFor(may_see, &status,
                               [&](absl::Status done) { answered.set_value(std::move(done)); });
    EXPECT_TRUE(answered.get_future().get().ok());
    return status;
  }

  Quotas quotas_;
  ServiceOptions options_;
  const std::unique_ptr<Store> store_ = MakeMemoryStore();
  Executor reads_{"reads", 1, 10};
  StatusService::SteadyTime steady_now_;
};

TEST_F(StatusServiceTest, TheUptimeIsCountedByAClockThatIsNeverSet) {
  const v1::ServerStatus status = StatusFor([](absl::string_view) { return true; });
  EXPECT_EQ(status.uptime().seconds(), 5);
  EXPECT_EQ(status.uptime().nanos(), 0);
}

TEST_F(StatusServiceTest, TellsWhichFilesAreInForceAndOfTheCertificateAndBackups) {
  const v1::ServerStatus without = StatusFor([](absl::string_view) { return true; });
  EXPECT_EQ(without.files_size(), 0);
  EXPECT_FALSE(without.has_certificate_end_time());
  EXPECT_FALSE(without.has_last_backup_time());
  options_.condition = [] {
    return ServerCondition{.files = {{"tokens", true}, {"tls", false}},
                           .certificate_end = absl::FromUnixSeconds(1'800'000'000),
                           .last_backup = absl::FromUnixSeconds(1'700'000'000)};
  };
  const v1::ServerStatus status = StatusFor([](absl::string_view) { return true; });
  ASSERT_EQ(status.files_size(), 2);
  EXPECT_EQ(status.files(0).name(), "tokens");
  EXPECT_TRUE(status.files(0).is_in_force());
  EXPECT_EQ(status.files(1).name(), "tls");
  EXPECT_FALSE(status.files(1).is_in_force());
  EXPECT_EQ(status.certificate_end_time().seconds(), 1'800'000'000);
  EXPECT_EQ(status.last_backup_time().seconds(), 1'700'000'000);
}

TEST_F(StatusServiceTest, ShowsTheFirstThousandProjectsThatTheCallerMaySee) {
  QuotaTable table;
  for (int i = 0; i < 3000; ++i) table.projects[absl::StrCat("p", 10000 + i)].studies = i;
  quotas_.Replace(table);
  const v1::ServerStatus all = StatusFor([](absl::string_view) { return true; });
  ASSERT_EQ(all.projects_size(), 1000);
  EXPECT_EQ(all.projects(999).name(), "projects/p10999");
  const v1::ServerStatus some =
      StatusFor([](absl::string_view project) { return project.back() == '7'; });
  ASSERT_EQ(some.projects_size(), 300);
  EXPECT_EQ(some.projects(299).name(), "projects/p12997");
  EXPECT_EQ(some.projects(299).quota().studies(), 2997);
}

TEST_F(StatusServiceTest, CountsTheProjectsThatTheCallerMaySeeAlone) {
  ASSERT_TRUE(CreateStudy(*store_, StudyNamed("a")).ok());
  ASSERT_TRUE(CreateStudy(*store_, StudyNamed("p/b")).ok());
  ASSERT_TRUE(AddTrials(*store_, "p/b", std::vector<NewTrial>(3)).ok());
  const v1::ServerStatus all = StatusFor([](absl::string_view) { return true; });
  EXPECT_EQ(all.contents().studies(), 2);
  EXPECT_EQ(all.contents().trials(), 3);
  const v1::ServerStatus one = StatusFor([](absl::string_view project) { return project != "p"; });
  EXPECT_EQ(one.contents().studies(), 1);
  EXPECT_EQ(one.contents().trials(), 0);
}

TEST_F(StatusServiceTest, TellsTheBudgetOfSuggestAndItsFlag) {
  options_.suggest_budget = absl::Milliseconds(1500);
  const v1::ServerStatus status = StatusFor([](absl::string_view) { return true; });
  const auto limit =
      std::find_if(status.limits().begin(), status.limits().end(),
                   [](const auto& each) { return each.flag() == "--suggest-seconds"; });
  ASSERT_NE(limit, status.limits().end());
  EXPECT_EQ(limit->value(), 1500);
  EXPECT_EQ(limit->name(), "milliseconds that a Suggest call computes");
}

}  // namespace
}  // namespace slipstream
