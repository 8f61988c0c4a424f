#include "core/base/near_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slipstream {
namespace {

TEST(LettersBetween, CountsWhatHasToBeAddedRemovedReplacedOrSwapped) {
  EXPECT_EQ(LettersBetween("", ""), 0u);
  EXPECT_EQ(LettersBetween("", "abc"), 3u);
  EXPECT_EQ(LettersBetween("median", "median"), 0u);
  EXPECT_EQ(LettersBetween("kitten", "sitting"), 3u);
  EXPECT_EQ(LettersBetween("sitting", "kitten"), 3u);
  EXPECT_EQ(LettersBetween("medain", "median"), 1u);
  EXPECT_EQ(LettersBetween("ab", "ba"), 1u);
  EXPECT_EQ(LettersBetween("abcd", "badc"), 2u);
}

TEST(NearNames, HasThoseFirstThatMayHaveBeenMeant) {
  const std::vector<std::string> names = {"auto", "random", "gp_ei", "gp_log_ei", "deltabo"};
  // Misspelt, and a part of the name.
  EXPECT_EQ(NearNames("gp_logei", names), "gp_log_ei, auto, random, gp_ei, deltabo");
  EXPECT_EQ(NearNames("log", names), "gp_log_ei, auto, random, gp_ei, deltabo");
  EXPECT_EQ(NearNames("delta-bo", names), "deltabo, auto, random, gp_ei, gp_log_ei");
  EXPECT_EQ(NearNames("random_search", names), "random, auto, gp_ei, gp_log_ei, deltabo");
  // Short words, in which one letter may be wrong.
  EXPECT_EQ(NearNames("gp_ie", names), "gp_ei, auto, random, gp_log_ei, deltabo");
  EXPECT_EQ(NearNames("outo", {"rgpe", "auto"}), "auto, rgpe");
  // Like none of them.
  EXPECT_EQ(NearNames("nope", {"auto", "rgpe"}), "auto, rgpe");
  for (const std::string given : {"", "x", "magic", "gpt", "ducto"}) {
    EXPECT_EQ(NearNames(given, names), absl::StrJoin(names, ", ")) << given;
  }
}

TEST(NearNames, AreAFewOfMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(absl::StrCat("ingredient_", i));
  names.push_back("median");
  const std::string near = NearNames("medain", names);
  EXPECT_TRUE(absl::StartsWith(near, "median, ingredient_0, ")) << near;
  EXPECT_TRUE(absl::EndsWith(near, ", ingredient_13 and 26 more")) << near;
  // Comparing it with each name would take minutes.
  EXPECT_TRUE(absl::StartsWith(NearNames(std::string(100'000'000, 'a'), names), "ingredient_0, "));
}

}  // namespace
}  // namespace slipstream
