#include "server/convert/text_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"

namespace slipstream {
namespace {

// Expects a refusal that names the field.
void ExpectRefused(const absl::Status& status, const std::string& field) {
  ASSERT_TRUE(ViolationOf(status).has_value()) << status;
  EXPECT_EQ(ViolationOf(status)->field, field);
}

TEST(TextLimits, TextsMayBeAsLongAsTheirBound) {
  EXPECT_TRUE(CheckText("f", "", 3).ok());
  EXPECT_TRUE(CheckText("f", "abc", 3).ok());
  ExpectRefused(CheckText("f", "abcd", 3), "f");
}

TEST(TextLimits, NamesAreNotEmptyAndHaveNoControlCharacters) {
  EXPECT_TRUE(CheckName("f", "Validierungsverlust \xc3\xa4").ok());
  EXPECT_TRUE(CheckName("f", std::string(kMaxNameBytes, 'x')).ok());
  for (const std::string& bad :
       {std::string(), std::string("a\tb"), std::string("a\xc2\x9b" "31m"),
        std::string(kMaxNameBytes + 1, 'x')}) {
    ExpectRefused(CheckName("f", bad), "f");
  }
}

TEST(TextLimits, RequestIdsArePrintableAscii) {
  EXPECT_TRUE(CheckRequestId("").ok());
  EXPECT_TRUE(CheckRequestId(std::string(kMaxRequestIdBytes, '~')).ok());
  for (const std::string& bad :
       {std::string("\n"), std::string("\xc3\xa4"), std::string(kMaxRequestIdBytes + 1, 'x')}) {
    ExpectRefused(CheckRequestId(bad), "request_id");
  }
}

TEST(TextLimits, LabelsAreBoundedInNumberAndInKeyAndValue) {
  google::protobuf::Map<std::string, std::string> labels;
  labels[std::string(63, 'k')] = std::string(256, 'v');
  EXPECT_TRUE(CheckLabels("labels", labels).ok());
  labels["key"] = std::string(257, 'v');
  ExpectRefused(CheckLabels("labels", labels), "labels[key]");
  labels.clear();
  labels[""] = "v";
  ExpectRefused(CheckLabels("labels", labels), "labels[]");
  labels.clear();
  for (size_t i = 0; i <= kMaxLabels; ++i) labels[std::to_string(i)] = "v";
  ExpectRefused(CheckLabels("labels", labels), "labels");
}

TEST(TextLimits, CountsGoFromZeroToTheirBound) {
  EXPECT_TRUE(CheckCount("f", 0, 10).ok());
  EXPECT_TRUE(CheckCount("f", 10, 10).ok());
  ExpectRefused(CheckCount("f", 11, 10), "f");
  ExpectRefused(CheckCount("f", -1, 10), "f");
}

}  // namespace
}  // namespace slipstream
