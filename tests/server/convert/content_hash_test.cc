#include "server/convert/content_hash.h"

#include <gtest/gtest.h>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

TEST(ContentHash, Sha256IsTheStandardsOwn) {
  EXPECT_EQ(HexSha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexSha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(ContentHash, AnIdDoesNotDependOnTheOrderOfRowsButOnTheirNumber) {
  EXPECT_EQ(ContentId("h", {"a", "b", "b"}), ContentId("h", {"b", "a", "b"}));
  EXPECT_NE(ContentId("h", {"a", "b"}), ContentId("h", {"a", "b", "b"}));
  EXPECT_NE(ContentId("h", {"a", "b"}), ContentId("g", {"a", "b"}));
  EXPECT_NE(ContentId("h", {"ab"}), ContentId("h", {"a", "b"}));
  EXPECT_NE(ContentId("h", {"a", ""}), ContentId("h", {"a"}));
  EXPECT_EQ(ContentId("h", {}).size(), 32u);
}

TEST(ContentHash, EqualMessagesHaveEqualBytesWhateverTheOrderOfTheirMaps) {
  v1::Configuration a;
  v1::Configuration b;
  for (int i = 0; i < 50; ++i) (*a.mutable_values())["p" + std::to_string(i)].set_double_value(i);
  for (int i = 50; i-- > 0;) (*b.mutable_values())["p" + std::to_string(i)].set_double_value(i);
  EXPECT_EQ(DeterministicBytes(a), DeterministicBytes(b));
  v1::Configuration read;
  ASSERT_TRUE(read.ParseFromString(DeterministicBytes(a)));
  EXPECT_EQ(read.DebugString(), a.DebugString());
}

TEST(ContentHash, FingerprintsTellMethodsAndContentsApart) {
  v1::SuggestRequest request;
  request.set_worker("w");
  const std::string fingerprint = RequestFingerprint("Suggest", request);
  EXPECT_EQ(fingerprint.size(), 16u);
  EXPECT_EQ(fingerprint, RequestFingerprint("Suggest", request));
  EXPECT_NE(fingerprint, RequestFingerprint("Observe", request));
  request.set_count(2);
  EXPECT_NE(fingerprint, RequestFingerprint("Suggest", request));
}

}  // namespace
}  // namespace slipstream
