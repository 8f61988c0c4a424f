#include "core/optim/stepped_domain.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(SteppedDomain, OnlyRealNumbersHaveNoSteps) {
  EXPECT_FALSE(IsStepped(DoubleDomain{0, 1}));
  EXPECT_TRUE(IsStepped(IntegerDomain{0, 1}));
  EXPECT_TRUE(IsStepped(DiscreteDomain{{0.5}}));
  EXPECT_TRUE(IsStepped(CategoricalDomain{{"a"}}));
  EXPECT_TRUE(IsStepped(BooleanDomain{}));
}

TEST(SteppedDomain, CountsItsValues) {
  EXPECT_EQ(CountOf(IntegerDomain{-3, 5}), 9);
  EXPECT_EQ(CountOf(IntegerDomain{7, 7}), 1);
  EXPECT_EQ(CountOf(DiscreteDomain{{0.5, 2, 8}}), 3);
  EXPECT_EQ(CountOf(CategoricalDomain{{"a", "b"}}), 2);
  EXPECT_EQ(CountOf(BooleanDomain{}), 2);
}

TEST(SteppedDomain, PositionsAndValuesAreInverse) {
  const std::vector<Domain> domains = {IntegerDomain{-3, 5}, DiscreteDomain{{-1.5, 0, 0.5, 2, 8}},
                                       CategoricalDomain{{"a", "b", "c"}}, BooleanDomain{}};
  for (const Domain& domain : domains) {
    for (int64_t place = 0; place < CountOf(domain); ++place) {
      EXPECT_EQ(PlaceOf(domain, ValueAt(domain, place)), place);
    }
  }
  EXPECT_EQ(ValueAt(domains[0], 0), Value::Integer(-3));
  EXPECT_EQ(ValueAt(domains[0], 8), Value::Integer(5));
  EXPECT_EQ(ValueAt(domains[1], 3), Value::Double(2));
  EXPECT_EQ(ValueAt(domains[2], 2), Value::Level(2));
  EXPECT_EQ(ValueAt(domains[3], 0), Value::Boolean(false));
  EXPECT_EQ(ValueAt(domains[3], 1), Value::Boolean(true));
}

TEST(SteppedDomain, TheWidestIntegersDoNotOverflow) {
  constexpr int64_t kSpan = int64_t{1} << 53;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const IntegerDomain& integers :
       {IntegerDomain{kLeast, kLeast + kSpan}, IntegerDomain{kMost - kSpan, kMost}}) {
    const Domain domain = integers;
    EXPECT_EQ(CountOf(domain), kSpan + 1);
    EXPECT_EQ(ValueAt(domain, kSpan), Value::Integer(integers.max));
    EXPECT_EQ(PlaceOf(domain, Value::Integer(integers.max)), kSpan);
    EXPECT_EQ(PlaceOf(domain, Value::Integer(integers.min)), 0);
  }
}

}  // namespace
}  // namespace slipstream
