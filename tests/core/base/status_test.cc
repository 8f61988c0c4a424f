#include "core/base/status.h"

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/base/refusals.h"
#include "core/base/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

TEST(Status, InvalidFieldSaysFieldValueAndBound) {
  const absl::Status status = InvalidField("count", "0", "1 to 1000");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "count is 0, must be 1 to 1000");
}

TEST(Status, InvalidFieldCarriesItsThreeParts) {
  const auto violation = ViolationOf(InvalidField("space.parameters[2].min", "-1", "> 0"));
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, "space.parameters[2].min");
  EXPECT_EQ(violation->value, "-1");
  EXPECT_EQ(violation->bound, "> 0");
}

TEST(Status, EmptyPartsAreReadBackEmpty) {
  const auto violation = ViolationOf(InvalidField("", "", ""));
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field + violation->value + violation->bound, "");
}

TEST(Status, OtherStatusesCarryNoViolation) {
  EXPECT_FALSE(ViolationOf(absl::OkStatus()).has_value());
  EXPECT_FALSE(ViolationOf(absl::InvalidArgumentError("count is 0, must be 1")).has_value());
}

TEST(Status, ControlCharactersAreHiddenAndDoNotSplitThePayload) {
  const auto violation = ViolationOf(InvalidField("a\nb", "c\n\x01" "d", "e\r\nf"));
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, "a?b");
  EXPECT_EQ(violation->value, "c??d");
  EXPECT_EQ(violation->bound, "e??f");
}

TEST(Status, ValueIsTruncatedTo128BytesBetweenCharacters) {
  EXPECT_EQ(ViolationOf(InvalidField("f", std::string(128, 'x'), "b"))->value.size(), 128u);
  EXPECT_EQ(ViolationOf(InvalidField("f", std::string(129, 'x'), "b"))->value.size(), 128u);
  const std::string wide = absl::StrCat(std::string(127, 'x'), "\xE2\x82\xAC");
  EXPECT_EQ(ViolationOf(InvalidField("f", wide, "b"))->value, std::string(127, 'x'));
}

TEST(Status, MessagesFitIntoAHeaderAndAreUtf8) {
  const std::string huge(1 << 20, '\xFF');
  const absl::Status status = InvalidField(huge, huge, huge);
  EXPECT_LT(status.message().size(), 2048u);
  EXPECT_TRUE(IsUtf8(status.message()));
}

TEST(Status, PrefixGoesBeforeTheFieldInMessageAndViolation) {
  const absl::Status status = WithFieldPrefix(InvalidField("min", "3", "< 2"), "space.");
  EXPECT_EQ(status.message(), "space.min is 3, must be < 2");
  EXPECT_EQ(ViolationOf(status)->field, "space.min");
  EXPECT_EQ(ViolationOf(WithFieldPrefix(status, "study."))->field, "study.space.min");
}

TEST(Status, PrefixLeavesOtherStatusesUnchanged) {
  EXPECT_EQ(WithFieldPrefix(absl::OkStatus(), "x."), absl::OkStatus());
  const absl::Status other = absl::NotFoundError("min is gone");
  EXPECT_EQ(WithFieldPrefix(other, "x."), other);
}

TEST(Status, ThoseWhoAreRefusedTogetherDoNotComeBackTogether) {
  std::vector<int> comers(5);  // In each tenth of a second.
  for (int i = 0; i < 640; ++i) {
    const absl::Status refusal = OverloadError("the server is busy");
    ASSERT_TRUE(IsOverload(refusal));
    const std::optional<absl::Duration> delay = RetryDelayOf(refusal);
    ASSERT_TRUE(delay.has_value());
    ASSERT_GE(*delay, absl::Milliseconds(500));
    ASSERT_LT(*delay, absl::Seconds(1));
    ++comers[static_cast<size_t>((*delay - absl::Milliseconds(500)) / absl::Milliseconds(100))];
  }
  EXPECT_THAT(comers, Each(AllOf(Ge(120), Le(140))));
  EXPECT_EQ(RetryDelayOf(WithRetryDelay(OverloadError("a quota"), absl::Seconds(7))),
            absl::Seconds(7));
  EXPECT_FALSE(RetryDelayOf(absl::ResourceExhaustedError("a limit")).has_value());
}

TEST(Status, FormatNumberReadsBackExactly) {
  for (double value : {0.1, 1.0 / 3, 1e23, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 123456789.0}) {
    const std::string text = FormatNumber(value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(-2), "-2");
  EXPECT_EQ(FormatNumber(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_THAT(FormatNumber(std::nan("")), HasSubstr("nan"));
}

absl::StatusOr<int> Half(int value) {
  if (value % 2 != 0) return InvalidField("value", absl::StrCat(value), "even");
  return value / 2;
}

absl::StatusOr<int> Quarter(int value) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int half, Half(value));
  SLIPSTREAM_RETURN_IF_ERROR(Half(half).status());
  return half / 2;
}

TEST(Status, MacrosReturnErrorsAndAssignValues) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(ViolationOf(Quarter(7).status())->value, "7");
  EXPECT_EQ(ViolationOf(Quarter(6).status())->value, "3");
}

}  // namespace
}  // namespace slipstream
