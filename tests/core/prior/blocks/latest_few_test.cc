#include "core/prior/blocks/latest_few.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

TEST(LatestFew, ForgetsWhatWasLongestNotAskedFor) {
  LatestFew<std::string, int> few(2);
  few.Insert("a", std::make_shared<int>(1));
  few.Insert("b", std::make_shared<int>(2));
  EXPECT_EQ(*few.Find("a"), 1);
  few.Insert("c", std::make_shared<int>(3));
  EXPECT_EQ(few.Find("b"), nullptr);
  EXPECT_EQ(*few.Find("a"), 1);
  EXPECT_EQ(*few.Find("c"), 3);
}

TEST(LatestFew, WhatTwoWorkedOutAtOnceIsThereOnce) {
  LatestFew<std::string, int> few(2);
  const auto first = std::make_shared<int>(1);
  few.Insert("other", std::make_shared<int>(0));
  EXPECT_EQ(few.Insert("a", first), first);
  EXPECT_EQ(few.Insert("a", std::make_shared<int>(1)), first);
  EXPECT_EQ(few.Find("a"), first);
  EXPECT_NE(few.Find("other"), nullptr) << "pushed out by nothing new";
}

TEST(SourceIdentities, AreOfObjectsInTheirOrder) {
  const auto a = SourceOf("a", Wave, 2, 5, 1);
  const auto b = SourceOf("b", Wave, 2, 5, 2);
  const auto like_a = SourceOf("a", Wave, 2, 5, 1);
  const SourceIdentities both({a, b});
  EXPECT_EQ(both, SourceIdentities({a, b}));
  EXPECT_FALSE(both == SourceIdentities({b, a}));
  EXPECT_FALSE(both == SourceIdentities({a}));
  EXPECT_FALSE(both == SourceIdentities({like_a, b}));
}

}  // namespace
}  // namespace slipstream
