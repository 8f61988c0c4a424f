#include "server/convert/page_token.h"

#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/escaping.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

TEST(PageToken, ReadsBackInItsScope) {
  for (const int64_t after : {int64_t{1}, int64_t{4711}, std::numeric_limits<int64_t>::max()}) {
    const auto parsed = ParsePageToken("studies", MakePageToken("studies", after));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, after);
  }
  EXPECT_EQ(*ParsePageToken("studies", ""), 0);
}

TEST(PageToken, IsRefusedElsewhereOrWhenMadeUp) {
  const std::string token = MakePageToken("trials of s", 7);
  for (const std::string& bad :
       {MakePageToken("trials of t", 7), token + "A", token.substr(1), std::string("7"),
        std::string("\xff\xfe"), absl::WebSafeBase64Escape("8:" + std::string(12, '0')),
        absl::WebSafeBase64Escape("-1:" + std::string(12, '0'))}) {
    const auto parsed = ParsePageToken("trials of s", bad);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    ASSERT_TRUE(ViolationOf(parsed.status()).has_value());
    EXPECT_EQ(ViolationOf(parsed.status())->field, "page_token");
  }
}

}  // namespace
}  // namespace slipstream
