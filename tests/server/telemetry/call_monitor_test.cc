#include "server/telemetry/call_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CallMonitorTest : public testing::Test {
 protected:
  explicit CallMonitorTest(LogLevel level = LogLevel::kInfo) : log_(Options(level)) {}

  void Answer(Rpc rpc, const absl::Status& status, absl::Duration took = absl::Milliseconds(2)) {
    monitor_.Begin();
    monitor_.End(rpc, status, took, [this] {
      ++facts_made_;
      return CallFacts{.resource = "studies/s",
                       .request_id = "id-1",
                       .worker = "w",
                       .peer = "ipv4:127.0.0.1:99",
                       .caller = "ann"};
    });
  }

  LogOptions Options(LogLevel level) {
    LogOptions options;
    options.level = level;
    options.sink = [this](absl::string_view line) { lines_.emplace_back(line); };
    return options;
  }

  std::vector<std::string> lines_;
  int facts_made_ = 0;
  Log log_;
  CallMonitor monitor_{&log_, {.slow = absl::Seconds(1)}};
};

class CallMonitorAtDebug : public CallMonitorTest {
 protected:
  CallMonitorAtDebug() : CallMonitorTest(LogLevel::kDebug) {}
};

TEST_F(CallMonitorTest, WhatSucceedsIsCountedAndNotLogged) {
  Answer(Rpc::kObserve, absl::OkStatus());
  Answer(Rpc::kObserve, absl::OkStatus());
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_EQ(facts_made_, 0);
  const auto figures = monitor_.Figures();
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].rpc, Rpc::kObserve);
  EXPECT_EQ(figures[0].code, absl::StatusCode::kOk);
  EXPECT_EQ(figures[0].seconds.count(), 2);
  EXPECT_DOUBLE_EQ(figures[0].seconds.sum, 0.004);
}

TEST_F(CallMonitorTest, WhoDeletedOrReplacedAStudyIsLogged) {
  Answer(Rpc::kDeleteStudy, absl::OkStatus());
  Answer(Rpc::kUpdateStudy, absl::OkStatus());
  Answer(Rpc::kImportStudy, absl::OkStatus());
  const auto line_of = [](const std::string& method) {
    return AllOf(HasSubstr(" info changed method=" + method + " code=OK"),
                 HasSubstr("caller=ann resource=studies/s"));
  };
  EXPECT_THAT(lines_, ElementsAre(line_of("DeleteStudy"), line_of("ImportStudy")));
}

TEST_F(CallMonitorTest, ReadsAreAuditedIfThatIsAskedFor) {
  const TemporaryFile file;
  const auto audit = AuditLog::Open(file.path());
  ASSERT_TRUE(audit.ok()) << audit.status();
  const auto lines_of = [&](bool audit_reads) {
    CallMonitor monitor(&log_, {.audit = audit->get(), .audit_reads = audit_reads});
    std::filesystem::resize_file(file.path(), 0);
    const auto end = [&](Rpc rpc, const absl::Status& status, bool has_begun = false) {
      monitor.Begin();
      monitor.End(rpc, status, absl::Milliseconds(2), [has_begun] {
        return CallFacts{.has_begun = has_begun, .caller = "ann"};
      });
    };
    end(Rpc::kGetStudy, absl::OkStatus());
    end(Rpc::kListTrials, absl::NotFoundError("no"));
    end(Rpc::kWatchStudy, absl::CancelledError("the watcher has left"), /*has_begun=*/true);
    end(Rpc::kWatchStudies, absl::PermissionDeniedError("the token is gone"), /*has_begun=*/true);
    end(Rpc::kWatchStudies, absl::PermissionDeniedError("not this token"));
    end(Rpc::kObserve, absl::OkStatus());
    std::ifstream in(file.path());
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  EXPECT_THAT(lines_of(false), ElementsAre(HasSubstr("Observe")));
  EXPECT_THAT(lines_of(true),
              ElementsAre(AllOf(HasSubstr("\"caller\":\"ann\""), HasSubstr("GetStudy")),
                          HasSubstr("WatchStudy"), HasSubstr("WatchStudies"),
                          HasSubstr("Observe")));
}

TEST_F(CallMonitorTest, ReadsThatTheAuditLogMissesDoNotHideChanges) {
  const auto audit = AuditLog::Open("/dev/full");
  ASSERT_TRUE(audit.ok()) << audit.status();
  CallMonitor monitor(&log_, {.audit = audit->get(), .audit_reads = true});
  const auto end = [&](Rpc rpc) {
    monitor.Begin();
    monitor.End(rpc, absl::OkStatus(), absl::Milliseconds(2), [] { return CallFacts(); });
  };
  for (int i = 0; i < 50; ++i) end(Rpc::kGetStudy);
  end(Rpc::kObserve);
  EXPECT_LT(lines_.size(), 20u);
  EXPECT_THAT(lines_.back(), AllOf(HasSubstr("error a change is missing from the audit log"),
                                   HasSubstr("method=Observe")));
}

TEST_F(CallMonitorAtDebug, WhatIsOnlyValidatedIsNoChange) {
  monitor_.Begin();
  monitor_.End(Rpc::kRegisterSourceTask, absl::OkStatus(), absl::Milliseconds(2), [] {
    return CallFacts{.options = "validate_only", .only_validates = true};
  });
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("debug validated"),
                                        HasSubstr("options=validate_only"))));
}

TEST_F(CallMonitorTest, ARefusedCallIsLoggedWithAllThatIsKnownOfIt) {
  Answer(Rpc::kUpdateStudy, absl::NotFoundError("studies/s does not exist"));
  EXPECT_THAT(lines_,
              ElementsAre(AllOf(HasSubstr("info call refused method=UpdateStudy code=NOT_FOUND"),
                                HasSubstr("resource=studies/s"), HasSubstr("request_id=id-1"),
                                HasSubstr("worker=w"), HasSubstr("caller=ann"),
                                HasSubstr("peer=ipv4:127.0.0.1:99"), HasSubstr("ms=2"),
                                HasSubstr("message=\"studies/s does not exist\""))));
}

TEST_F(CallMonitorTest, WhoAsksWhetherThereIsAStudyIsNotRefused) {
  Answer(Rpc::kGetStudy, absl::NotFoundError("studies/s does not exist"));
  EXPECT_THAT(lines_, IsEmpty());
  Answer(Rpc::kGetStudy, absl::PermissionDeniedError("not yours"));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("info call refused method=GetStudy")));
}

TEST_F(CallMonitorTest, AFailureAndAnExhaustedLimitAreWarnings) {
  Answer(Rpc::kObserve, absl::DataLossError("damaged"));
  Answer(Rpc::kObserve, absl::ResourceExhaustedError("full"));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("warning call failed method=Observe code=DATA_LOSS"),
                                  HasSubstr("warning call refused")));
}

TEST_F(CallMonitorTest, ASlowCallIsLoggedUnlessItIsOneThatLasts) {
  Answer(Rpc::kSuggest, absl::OkStatus(), absl::Seconds(3));
  Answer(Rpc::kWatchStudy, absl::OkStatus(), absl::Hours(3));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("warning slow call method=Suggest"),
                                        HasSubstr("ms=3000"))));
}

TEST_F(CallMonitorTest, AWatcherThatLeavesIsNoRefusedCall) {
  Answer(Rpc::kWatchStudy, absl::CancelledError("the call was cancelled"));
  EXPECT_THAT(lines_, IsEmpty());
  Answer(Rpc::kWatchStudy, absl::ResourceExhaustedError("too many watchers"));
  EXPECT_THAT(lines_, SizeIs(1));
}

TEST_F(CallMonitorTest, CallsOfMethodsThatThereAreNotCountAsOneMethodWhateverTheirNames) {
  for (int i = 0; i < 1000; ++i) {
    monitor_.CountUnknown(absl::UnimplementedError("no method /a/" + std::to_string(i)),
                          "ipv4:127.0.0.1:99");
  }
  EXPECT_THAT(lines_, SizeIs(LineLimitOptions().lines));
  EXPECT_THAT(lines_[0], AllOf(HasSubstr("info call refused method=unknown code=UNIMPLEMENTED"),
                               HasSubstr("peer=ipv4:127.0.0.1:99"), HasSubstr("no method /a/0")));
  const auto figures = monitor_.Figures();
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].rpc, std::nullopt);
  EXPECT_EQ(figures[0].code, absl::StatusCode::kUnimplemented);
  EXPECT_EQ(figures[0].seconds.count(), 1000);
  EXPECT_EQ(monitor_.open(), 0);
}

TEST_F(CallMonitorTest, AFloodOfRefusalsIsAFewLines) {
  for (int i = 0; i < 1000; ++i) Answer(Rpc::kListTrials, absl::NotFoundError("none"));
  EXPECT_THAT(lines_, SizeIs(LineLimitOptions().lines));
  Answer(Rpc::kGetTrial, absl::NotFoundError("none"));
  EXPECT_THAT(lines_, SizeIs(LineLimitOptions().lines + 1)) << "another method";
}

TEST_F(CallMonitorAtDebug, ChangesAreLoggedAndReadsAreNot) {
  Answer(Rpc::kObserve, absl::OkStatus());
  Answer(Rpc::kGetStudy, absl::OkStatus());
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("debug changed method=Observe code=OK"),
                                        HasSubstr("request_id=id-1"))));
}

TEST_F(CallMonitorTest, OpenCallsAreThoseWithoutAnAnswer) {
  monitor_.Begin();
  monitor_.Begin();
  EXPECT_EQ(monitor_.open(), 2);
  monitor_.End(Rpc::kGetStudy, absl::OkStatus(), absl::ZeroDuration(), [] { return CallFacts(); });
  EXPECT_EQ(monitor_.open(), 1);
}

TEST_F(CallMonitorTest, NoCallOfSeveralThreadsIsLost) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 1000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        monitor_.Begin();
        monitor_.End(i % 2 == 0 ? Rpc::kObserve : Rpc::kSuggest, absl::OkStatus(),
                     absl::Milliseconds(1), [] { return CallFacts(); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t count = 0;
  for (const auto& answered : monitor_.Figures()) count += answered.seconds.count();
  EXPECT_EQ(count, kThreads * kCalls);
  EXPECT_EQ(monitor_.open(), 0);
}

}  // namespace
}  // namespace slipstream
