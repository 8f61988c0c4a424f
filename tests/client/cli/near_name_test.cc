#include "client/cli/near_name.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

const std::vector<std::string> kNames = {"study", "suggest", "source", "trial", "trials", "--set"};

TEST(NearName, ForgivesMistakes) {
  EXPECT_EQ(NearName("stduy", kNames), "study");
  EXPECT_EQ(NearName("sugest", kNames), "suggest");
  EXPECT_EQ(NearName("sorces", kNames), "source");
  EXPECT_EQ(NearName("trails", kNames), "trials");
  EXPECT_EQ(NearName("--sett", kNames), "--set");
}

TEST(NearName, IsNoneOfThoseThatAreNotAlike) {
  for (const char* given : {"", "x", "--x", "frobnicate", "sue", "--bogus"}) {
    EXPECT_EQ(NearName(given, kNames), "") << given;
  }
  EXPECT_EQ(NearName(std::string(100'000, 's'), kNames), "");
  EXPECT_EQ(NearName("study", {}), "");
}

TEST(NearName, IsAskedFor) {
  EXPECT_EQ(DidYouMean("stduy", kNames), "; did you mean study?");
  EXPECT_EQ(DidYouMean("frobnicate", kNames), "");
}

}  // namespace
}  // namespace slipstream::cli
