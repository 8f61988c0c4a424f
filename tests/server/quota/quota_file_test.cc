#include "server/quota/quota_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

constexpr char kExample[] =
    "# project studies trials sources mib calls_per_second\n"
    "vision 200 100000 50 4096 50\n"
    "\tsandbox  10 0 - 64 0.5\r\n"
    "\n"
    "*      100 -      - -    -\n";

TEST(QuotaFile, LinesSayWhatProjectsMayHave) {
  const auto table = ParseQuotaFile(kExample);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->Of("vision"), (Quota{200, 100000, 50, int64_t{4096} << 20, 50.0}));
  EXPECT_EQ(table->Of("sandbox"), (Quota{10, 0, {}, int64_t{64} << 20, 0.5}));
  EXPECT_EQ(table->Of("default"), (Quota{.studies = 100}));
  EXPECT_EQ(table->projects.size(), 2u);
}

TEST(QuotaFile, WithoutALineForTheOthersTheyHaveNoLimits) {
  const auto table = ParseQuotaFile("vision 1 1 1 1 1\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->Of("default"), Quota());
  EXPECT_FALSE(table->Of("default").LimitsStorage());
  EXPECT_EQ(ParseQuotaFile("")->Of("vision"), Quota());
}

TEST(QuotaFile, AMistakeIsNamedWithItsLine) {
  const auto complaint = [](const std::string& line) {
    return std::string(ParseQuotaFile("# first\n" + line).status().message());
  };
  EXPECT_THAT(complaint("vision 1 1 1 1"), HasSubstr("line 2: there are 5 columns"));
  EXPECT_THAT(complaint("vision 1 1 1 1 1 1"), HasSubstr("line 2: there are 7 columns"));
  EXPECT_THAT(complaint("Vision 1 1 1 1 1"), HasSubstr("line 2: the project is Vision"));
  EXPECT_THAT(complaint("a many 1 1 1 1"), HasSubstr("line 2: studies is many"));
  EXPECT_THAT(complaint("a 1 -1 1 1 1"), HasSubstr("trials is -1"));
  EXPECT_THAT(complaint("a 1 1 1.5 1 1"), HasSubstr("sources is 1.5"));
  EXPECT_THAT(complaint("a 1 1 1 9999999999999 1"), HasSubstr("mib is 9999999999999"));
  for (const char* calls : {"0", "9e-7", "-3", "nan", "inf", "2e9", "x"}) {
    EXPECT_THAT(complaint(std::string("a 1 1 1 1 ") + calls), HasSubstr("calls_per_second is "))
        << calls;
  }
  EXPECT_THAT(complaint("a 1 1 1 1 1\na 2 2 2 2 2"), HasSubstr("line 3: a has a line already"));
  EXPECT_THAT(complaint("* 1 1 1 1 1\n* 1 1 1 1 1"), HasSubstr("line 3: * has a line already"));
}

TEST(QuotaFile, AFileIsNamedInItsErrors) {
  const TemporaryFile file;
  const std::string path = file.path();
  EXPECT_TRUE(absl::IsNotFound(ReadQuotaFile(path).status()));
  file.Write(kExample);
  EXPECT_TRUE(ReadQuotaFile(path).ok()) << ReadQuotaFile(path).status();
  file.Write("vision\n");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadQuotaFile(path).status()));
  EXPECT_THAT(std::string(ReadQuotaFile(path).status().message()),
              HasSubstr("the quota file " + path + ", line 1: "));
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadQuotaFile(path).status()));
}

TEST(Quotas, ARefusalNamesTheProjectAndTheColumnAndIsCounted) {
  Quotas quotas("/etc/quotas");
  EXPECT_EQ(quotas.Of("vision"), Quota());
  quotas.Replace({.projects = {{"vision", {.trials = 3}}}, .others = {.studies = 2}});
  EXPECT_EQ(quotas.Of("vision"), (Quota{.trials = 3}));
  EXPECT_EQ(quotas.Of("nlp"), (Quota{.studies = 2}));
  const absl::Status refusal = quotas.Refuse(QuotaKind::kBytes, "vision", "has too many bytes");
  EXPECT_TRUE(absl::IsResourceExhausted(refusal));
  EXPECT_EQ(refusal.message(), "project vision has too many bytes (mib in /etc/quotas)");
  EXPECT_THAT(quotas.Refusals(), testing::ElementsAre(0, 0, 0, 1, 0));
}

TEST(Quotas, ARefusalIsCountedWhenACallerIsAnsweredWithIt) {
  Quotas quotas("/etc/quotas");
  const absl::Status refusal = quotas.Refusal(QuotaKind::kTrials, "vision", "has too many trials");
  EXPECT_THAT(quotas.Refusals(), testing::Each(0));
  quotas.Count(refusal);
  quotas.Count(absl::OkStatus());
  quotas.Count(absl::ResourceExhaustedError("the disk is full"));
  EXPECT_THAT(quotas.Refusals(), testing::ElementsAre(0, 1, 0, 0, 0));
}

}  // namespace
}  // namespace slipstream
