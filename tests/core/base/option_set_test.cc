#include "core/base/option_set.h"

#include <optional>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

enum class Colour { kRed, kGreen };

struct Paint {
  double thickness = 0.5;
  int coats = 2;
  bool is_matt = false;
  Colour colour = Colour::kRed;
  std::optional<double> gloss = {};

  friend bool operator==(const Paint&, const Paint&) = default;
};

constexpr Option<Paint> kPaint[] = {
    OptionAt<&Paint::thickness>({"thickness", "mm", 0, 1, false, "How thick it is"}),
    OptionAt<&Paint::coats>({"coats", "", 1, 9, true, "How many coats there are"}),
    OptionAt<&Paint::is_matt>({"matt", "", 0, 1, true, "1: it does not shine"}),
    OptionAt<&Paint::colour>({"colour", "", 0, 1, true, "0: red, 1: green"}),
    OptionAt<&Paint::gloss>(
        {"gloss", "", 0, 100, false, "How much it shines; chosen unless given"}),
};

struct Varnish {
  int coats = 1;

  friend bool operator==(const Varnish&, const Varnish&) = default;
};

constexpr Option<Varnish> kVarnish[] = {
    OptionAt<&Varnish::coats>({"coats", "", 1, 9, true, "How many coats there are"}),
};

TEST(OptionSet, GivesAndTakesEveryKindOfField) {
  OptionSet options(Paint(), kPaint);
  EXPECT_EQ(options.Get("thickness"), 0.5);
  EXPECT_EQ(options.Get("coats"), 2);
  EXPECT_EQ(options.Get("matt"), 0);
  EXPECT_EQ(options.Get("colour"), 0);
  EXPECT_EQ(options.Get("gloss"), std::nullopt);
  options.Set("thickness", 0.25);
  options.Set("coats", 3);
  options.Set("matt", 1);
  options.Set("colour", 1);
  options.Set("gloss", 70);
  const Paint expected{0.25, 3, true, Colour::kGreen, 70};
  EXPECT_EQ(options.As<Paint>(), expected);
  EXPECT_EQ(options.Get("gloss"), 70);
}

TEST(OptionSet, KnowsWhichOptionsItHas) {
  OptionSet options(Paint(), kPaint);
  EXPECT_EQ(options.Infos().size(), 5u);
  EXPECT_EQ(options.Infos()[0].unit, "mm");
  EXPECT_TRUE(options.Has("coats"));
  EXPECT_FALSE(options.Has("price"));
  EXPECT_EQ(options.Get("price"), std::nullopt);
  options.Set("price", 3);
  EXPECT_EQ(options, OptionSet(Paint(), kPaint));
}

TEST(OptionSet, WithoutOptionsHasNone) {
  OptionSet none;
  EXPECT_TRUE(none.Infos().empty());
  EXPECT_FALSE(none.Has("coats"));
  none.Set("coats", 3);
  EXPECT_EQ(none, OptionSet());
  EXPECT_NE(none, OptionSet(Varnish(), kVarnish));
}

TEST(OptionSet, CopiesAreIndependent) {
  OptionSet options(Paint(), kPaint);
  OptionSet copy = options;
  EXPECT_EQ(copy, options);
  copy.Set("coats", 5);
  EXPECT_EQ(options.Get("coats"), 2);
  EXPECT_EQ(copy.Get("coats"), 5);
  EXPECT_NE(copy, options);
  copy.Set("coats", 2);
  EXPECT_EQ(copy, options);
}

TEST(OptionSet, TakesOverWhatAnotherSharesAndHasBeenGiven) {
  OptionSet paint(Paint(), kPaint);
  OptionSet varnish(Varnish(), kVarnish);
  paint.Set("coats", 7);
  varnish.TakeFrom(paint);
  EXPECT_EQ(varnish.As<Varnish>().coats, 7);
  OptionSet glossy(Paint(), kPaint);
  glossy.Set("gloss", 10);
  glossy.TakeFrom(OptionSet(Paint(), kPaint));
  EXPECT_EQ(glossy.Get("gloss"), 10);
}

}  // namespace
}  // namespace slipstream
