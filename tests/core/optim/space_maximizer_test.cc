#include "core/optim/space_maximizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/deadline.h"
#include "core/optim/enumeration.h"
#include "core/space/encoded_points.h"
#include "gtest/gtest.h"
#include "tests/core/optim/spaces.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"

namespace slipstream {
namespace {

MaximizerResult Maximize(const SearchSpace& space, const PointFunction& function,
                         uint64_t seed = 1) {
  return MaximizeOverSpace(space, function, {}, seed, Deadline::Infinite());
}

double ValueAt(const SearchSpace& space, const PointFunction& function,
               const Configuration& configuration) {
  return function.values(EncodeAll(space, {&configuration, 1}))[0];
}

// Checks the properties that every result has.
void ExpectSound(const SearchSpace& space, const PointFunction& function,
                 const MaximizerResult& result) {
  ASSERT_FALSE(result.best.empty());
  for (size_t i = 0; i < result.best.size(); ++i) {
    const ScoredConfiguration& scored = result.best[i];
    ASSERT_TRUE(IsLegal(space, scored.configuration)) << i;
    EXPECT_EQ(scored.value, ValueAt(space, function, scored.configuration)) << i;
    EXPECT_LE(scored.value, result.best.front().value) << i;
    if (i > 0) {
      EXPECT_LE(scored.value, result.best[i - 1].value) << i;
    }
    for (size_t j = 0; j < i; ++j) {
      ASSERT_FALSE(scored.configuration == result.best[j].configuration) << i << " is " << j;
    }
  }
}

TEST(MaximizeOverSpace, ClimbsAHillInAnyDimension) {
  for (size_t dimension : {1, 2, 5, 20}) {
    const SearchSpace space = Cube(dimension);
    Vector centre(static_cast<Index>(dimension));
    for (Index i = 0; i < centre.size(); ++i) centre[i] = std::fmod(0.37 + 0.21 * i, 1.0);
    const PointFunction hill = Hill(space, centre);
    const MaximizerResult result = Maximize(space, hill);
    ExpectSound(space, hill, result);
    EXPECT_GT(result.best[0].value, -1e-6);
    EXPECT_FALSE(result.deadline_passed);
  }
}

TEST(MaximizeOverSpace, FindsAMaximumInTheCorner) {
  const SearchSpace space = Cube(4);
  const PointFunction hill = Hill(space, Vector{{1.5, -0.5, 2, 0.5}});
  const MaximizerResult result = Maximize(space, hill);
  ExpectSound(space, hill, result);
  const std::vector<Value>& best = result.best[0].configuration.values;
  EXPECT_EQ(best[0].number(), 1);
  EXPECT_EQ(best[1].number(), 0);
  EXPECT_EQ(best[2].number(), 1);
  EXPECT_NEAR(best[3].number(), 0.5, 1e-3);
}

// Branin's function over its usual square, upside down: three maxima of -0.397887.
PointFunction Branin() {
  constexpr double kB = 5.1 / (4 * M_PI * M_PI);
  constexpr double kC = 5 / M_PI;
  constexpr double kT = 1 / (8 * M_PI);
  return Smooth(
      [](ConstVectorView unit) {
        const double x = 15 * unit[0] - 5, y = 15 * unit[1];
        const double inner = y - kB * x * x + kC * x - 6;
        return -(inner * inner + 10 * (1 - kT) * std::cos(x) + 10);
      },
      [](ConstVectorView unit) -> Vector {
        const double x = 15 * unit[0] - 5, y = 15 * unit[1];
        const double inner = y - kB * x * x + kC * x - 6;
        return Vector{
            {-15 * (2 * inner * (kC - 2 * kB * x) - 10 * (1 - kT) * std::sin(x)), -30 * inner}};
      });
}

TEST(MaximizeOverSpace, FindsTheBestOfManyHills) {
  const SearchSpace space = Cube(2);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const MaximizerResult result = Maximize(space, Branin(), seed);
    ExpectSound(space, Branin(), result);
    EXPECT_NEAR(result.best[0].value, -0.397887, 1e-4) << seed;
  }
}

// Hartmann's function of six variables: a maximum of 3.32237 among six.
double Hartmann(ConstVectorView x, Vector* gradient) {
  constexpr double kHeight[] = {1.0, 1.2, 3.0, 3.2};
  constexpr double kSlope[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                   {0.05, 10, 17, 0.1, 8, 14},
                                   {3, 3.5, 1.7, 10, 17, 8},
                                   {17, 8, 0.05, 10, 0.1, 14}};
  constexpr double kPlace[4][6] = {{.1312, .1696, .5569, .0124, .8283, .5886},
                                   {.2329, .4135, .8307, .3736, .1004, .9991},
                                   {.2348, .1451, .3522, .2883, .3047, .6650},
                                   {.4047, .8828, .8732, .5743, .1091, .0381}};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    double exponent = 0;
    for (int j = 0; j < 6; ++j) exponent += kSlope[i][j] * std::pow(x[j] - kPlace[i][j], 2);
    const double term = kHeight[i] * std::exp(-exponent);
    sum += term;
    if (gradient == nullptr) continue;
    for (int j = 0; j < 6; ++j) (*gradient)[j] -= 2 * term * kSlope[i][j] * (x[j] - kPlace[i][j]);
  }
  return sum;
}

TEST(MaximizeOverSpace, FindsTheBestOfHartmannsHills) {
  const SearchSpace space = Cube(6);
  const PointFunction hartmann = Smooth([](ConstVectorView x) { return Hartmann(x, nullptr); },
                                        [](ConstVectorView x) -> Vector {
                                          Vector gradient = Vector::Zero(6);
                                          Hartmann(x, &gradient);
                                          return gradient;
                                        });
  int found = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const MaximizerResult result = Maximize(space, hartmann, seed);
    EXPECT_GT(result.best[0].value, 3.2);  // The second best maximum.
    found += result.best[0].value > 3.3223;
  }
  EXPECT_GE(found, 8);
}

// A rough function of any coordinates: hills of all sizes, with a zero gradient along words.
PointFunction Rough(const SearchSpace& space, unsigned variant) {
  Vector numbers(static_cast<Index>(space.dimension()));
  for (size_t i = 0; i < space.dimension(); ++i) {
    numbers[static_cast<Index>(i)] = space.IsUnordered(i) ? 0 : 1;
  }
  const auto phase = [variant](Index i) { return 1.7 * variant + 0.9 * static_cast<double>(i); };
  return Smooth(
      [phase](ConstVectorView x) {
        double sum = 0;
        for (Index i = 0; i < x.size(); ++i) sum += std::sin(5 * x[i] + phase(i));
        return sum + std::cos(3 * x.sum());
      },
      [phase, numbers](ConstVectorView x) -> Vector {
        Vector gradient(x.size());
        for (Index i = 0; i < x.size(); ++i) {
          gradient[i] = 5 * std::cos(5 * x[i] + phase(i)) - 3 * std::sin(3 * x.sum());
        }
        return gradient.cwiseProduct(numbers);
      });
}

void ExpectFindsTheBestOfAll(const SearchSpace& space) {
  const auto all = AllConfigurations(space, 20000);
  ASSERT_TRUE(all.has_value());
  for (unsigned variant = 0; variant < 5; ++variant) {
    const PointFunction rough = Rough(space, variant);
    const double best = rough.values(EncodeAll(space, *all)).maxCoeff();
    const MaximizerResult result = Maximize(space, rough, variant);
    ExpectSound(space, rough, result);
    EXPECT_DOUBLE_EQ(result.best[0].value, best) << variant;
  }
}

TEST(MaximizeOverSpace, FindsTheBestIntegers) {
  ExpectFindsTheBestOfAll(MakeSpace({{"one", IntegerDomain{-40, 60}, {}, {}},
                                     {"two", IntegerDomain{1, 150, Scale::kLog}, {}, {}}}));
}

TEST(MaximizeOverSpace, FindsTheBestDiscreteNumbers) {
  ExpectFindsTheBestOfAll(
      MakeSpace({{"one", DiscreteDomain{{0.001, 0.01, 0.1, 1}, Scale::kLog}, {}, {}},
                 {"two", DiscreteDomain{{1, 2, 4, 8, 16, 32, 64}}, {}, {}},
                 {"three", DiscreteDomain{{-3, 0, 0.5, 7}}, {}, {}}}));
}

TEST(MaximizeOverSpace, FindsTheBestWords) {
  CategoricalDomain many;
  for (int i = 0; i < 60; ++i) many.values.push_back("word " + std::to_string(i));
  ExpectFindsTheBestOfAll(MakeSpace({{"few", CategoricalDomain{{"a", "b", "c"}}, {}, {}},
                                     {"many", many, {}, {}},
                                     {"flag", BooleanDomain{}, {}, {}}}));
}

TEST(MaximizeOverSpace, FindsTheBestOfASpaceWithConditions) {
  ExpectFindsTheBestOfAll(ConditionalSpace());
}

TEST(MaximizeOverSpace, ComesNearTheBestOfARoughMixedSpace) {
  const SearchSpace space = MakeSpace({{"real", DoubleDomain{0, 1}, {}, {}},
                                       {"whole", IntegerDomain{0, 30}, {}, {}},
                                       {"word", CategoricalDomain{{"a", "b", "c"}}, {}, {}},
                                       {"inner", DoubleDomain{0, 1}, {}, Condition{"flag", {true}}},
                                       {"flag", BooleanDomain{}, {}, {}}});
  for (unsigned variant = 0; variant < 5; ++variant) {
    const PointFunction rough = Rough(space, variant);
    double best = -std::numeric_limits<double>::infinity();
    for (int whole = 0; whole <= 30; ++whole) {
      for (int word = 0; word < 3; ++word) {
        for (int cell = 0; cell <= 40 * 41; ++cell) {
          const int inner = cell / 40;  // 0: none.
          Configuration there{{Value::Double(cell % 40 / 39.0), Value::Integer(whole),
                               Value::Level(word), Value(), Value::Boolean(inner > 0)}};
          if (inner > 0) there.values[3] = Value::Double((inner - 1) / 39.0);
          if (!IsLegal(space, there)) continue;
          best = std::max(best, ValueAt(space, rough, there));
        }
      }
    }
    const MaximizerResult result = Maximize(space, rough, variant);
    ExpectSound(space, rough, result);
    EXPECT_NEAR(result.best[0].value, best, 0.03) << variant;
  }
}

TEST(MaximizeOverSpace, FitsRealNumbersToTheIntegersThatItRounded) {
  // A narrow ridge across the integers, whose maximum without rounding is at 0.45.
  const SearchSpace space =
      MakeSpace({{"real", DoubleDomain{0, 1}, {}, {}}, {"whole", IntegerDomain{0, 4}, {}, {}}});
  const PointFunction ridge = Smooth(
      [](ConstVectorView x) {
        return -10 * (x[0] - x[1]) * (x[0] - x[1]) - (x[1] - 0.45) * (x[1] - 0.45);
      },
      [](ConstVectorView x) -> Vector {
        return Vector{{-20 * (x[0] - x[1]), 20 * (x[0] - x[1]) - 2 * (x[1] - 0.45)}};
      });
  const Configuration middle{{Value::Double(0.5), Value::Integer(2)}};
  const MaximizerResult result = Maximize(space, ridge);
  ExpectSound(space, ridge, result);
  EXPECT_NEAR(result.best[0].value, ValueAt(space, ridge, middle), 1e-6);
}

TEST(MaximizeOverSpace, GivesLegalResultsInAnySpace) {
  RandomStream random(8);
  MaximizerOptions options;
  options.quasi_random = 60;
  options.around_incumbents = 20;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const SearchSpace space = RandomSpace(random, 6);
    const PointFunction rough = Rough(space, static_cast<unsigned>(repeat));
    const std::vector<Configuration> incumbents = {RandomConfiguration(random, space),
                                                   RandomConfiguration(random, space)};
    const MaximizerResult result =
        MaximizeOverSpace(space, rough, incumbents, random.Bits(), Deadline::Infinite(), options);
    ExpectSound(space, rough, result);
  }
}

TEST(MaximizeOverSpace, GivesTheSameResultEveryTime) {
  const SearchSpace space = ConditionalSpace();
  const PointFunction rough = Rough(space, 3);
  const std::vector<Configuration> incumbents = {NaiveConfigurations(space)[5]};
  const auto run = [&] {
    return MaximizeOverSpace(space, rough, incumbents, 7, Deadline::Infinite());
  };
  const MaximizerResult first = run();
  const MaximizerResult second = run();
  ASSERT_EQ(first.best.size(), second.best.size());
  for (size_t i = 0; i < first.best.size(); ++i) {
    EXPECT_EQ(first.best[i].configuration, second.best[i].configuration);
    EXPECT_EQ(first.best[i].value, second.best[i].value);
  }
  EXPECT_EQ(first.evaluations, second.evaluations);
}

TEST(MaximizeOverSpace, ReturnsAllOfASmallSpaceOnce) {
  const SearchSpace space = MakeSpace(
      {{"flag", BooleanDomain{}, {}, {}}, {"word", CategoricalDomain{{"a", "b", "c"}}, {}, {}}});
  const MaximizerResult result = Maximize(space, Rough(space, 0));
  ExpectSound(space, Rough(space, 0), result);
  EXPECT_EQ(result.best.size(), 6u);
}

TEST(MaximizeOverSpace, StillReturnsItsScreenWhenThereIsNoTime) {
  for (const SearchSpace& space : {Cube(3), ConditionalSpace()}) {
    const PointFunction rough = Rough(space, 1);
    const MaximizerResult result = MaximizeOverSpace(space, rough, {}, 1, Deadline::Passed());
    EXPECT_TRUE(result.deadline_passed);
    ExpectSound(space, rough, result);
    EXPECT_LE(result.evaluations, 400);
  }
}

TEST(MaximizeOverSpace, CountsEveryEvaluation) {
  const SearchSpace space = ConditionalSpace();
  const PointFunction rough = Rough(space, 1);
  int counted = 0;
  PointFunction counting;
  counting.values = [&](const PointMatrix& x) {
    counted += static_cast<int>(x.rows());
    return rough.values(x);
  };
  counting.value_and_gradient = [&](ConstVectorView x, VectorView gradient) {
    ++counted;
    return rough.value_and_gradient(x, gradient);
  };
  EXPECT_EQ(Maximize(space, counting).evaluations, counted);
}

TEST(MaximizeOverSpace, LooksAroundTheIncumbents) {
  // A peak so narrow that no screen of the whole cube hits it.
  const SearchSpace space = Cube(8);
  const Vector centre = Vector::Constant(8, 0.6123);
  const PointFunction needle =
      Smooth([centre](ConstVectorView x) { return std::exp(-300 * (x - centre).squaredNorm()); },
             [centre](ConstVectorView x) -> Vector {
               return -600 * std::exp(-300 * (x - centre).squaredNorm()) * (x - centre);
             });
  const Configuration near{std::vector<Value>(8, Value::Double(0.6))};
  EXPECT_LT(Maximize(space, needle).best[0].value, 0.9);
  const MaximizerResult result =
      MaximizeOverSpace(space, needle, {&near, 1}, 1, Deadline::Infinite());
  EXPECT_GT(result.best[0].value, 0.999);
}

TEST(MaximizeOverSpace, APointThatOnlyLooksGoodAmongManyIsScoredAgainByItself) {
  const SearchSpace space = Cube(2);
  Vector centre(2);
  centre << 0.3, 0.6;
  PointFunction hill = Hill(space, centre);
  // Together with others, points on one side of the square seem to be better than the hill's top.
  const auto exact = hill.values;
  hill.values = [exact](const PointMatrix& x) {
    Vector values = exact(x);
    for (Index i = 0; x.rows() > 1 && i < x.rows(); ++i) {
      if (x(i, 0) > 0.8) values[i] += 10;
    }
    return values;
  };
  MaximizerOptions options;
  const auto best = [&] {
    return MaximizeOverSpace(space, hill, {}, 1, Deadline::Infinite(), options).best;
  };
  EXPECT_GT(best().front().value, 1);
  options.scored_again = 512;
  const std::vector<ScoredConfiguration> again = best();
  EXPECT_NEAR(again.front().value, 0, 1e-6);
  EXPECT_EQ(ValueAt(space, hill, again.front().configuration), again.front().value);
}

TEST(MaximizeOverSpace, CopesWithAFunctionThatIsFlatOrMinusInfinity) {
  const SearchSpace space = ConditionalSpace();
  for (double level : {0.0, -std::numeric_limits<double>::infinity()}) {
    const PointFunction flat =
        Smooth([level](ConstVectorView) { return level; },
               [](ConstVectorView x) -> Vector { return Vector::Zero(x.size()); });
    ExpectSound(space, flat, Maximize(space, flat));
  }
}

TEST(ScreenOf, HasThePromisedSizeAndIsLegal) {
  MaximizerOptions options;
  options.quasi_random = 50;
  options.around_incumbents = 30;
  RandomStream random(2);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const SearchSpace space = RandomSpace(random, 6);
    std::vector<Configuration> incumbents;
    EXPECT_EQ(ScreenOf(space, incumbents, 1, options).size(), 50u);
    for (int i = 0; i < 3; ++i) incumbents.push_back(RandomConfiguration(random, space));
    const auto screen = ScreenOf(space, incumbents, 1, options);
    EXPECT_EQ(screen.size(), 80u);
    EXPECT_EQ(screen, ScreenOf(space, incumbents, 1, options));
    for (const Configuration& configuration : screen) ASSERT_TRUE(IsLegal(space, configuration));
  }
}

TEST(ScreenOf, FillsTheSpaceEvenly) {
  const SearchSpace space = Cube(3);
  MaximizerOptions options;
  options.quasi_random = 512;
  const PointMatrix points = EncodeAll(space, ScreenOf(space, {}, 4, options));
  Matrix counts = Matrix::Zero(8, 3);
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < 3; ++j) {
      counts(std::min<Index>(7, static_cast<Index>(points(i, j) * 8)), j) += 1;
    }
  }
  EXPECT_GE(counts.minCoeff(), 62);
  EXPECT_LE(counts.maxCoeff(), 66);
}

TEST(ScreenOf, AnotherSeedGivesAnotherScreen) {
  const SearchSpace space = Cube(3);
  EXPECT_NE(ScreenOf(space, {}, 1), ScreenOf(space, {}, 2));
}

}  // namespace
}  // namespace slipstream
