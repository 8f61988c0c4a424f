#include "core/prior/blocks/transfer_surrogate.h"

#include <memory>
#include <vector>

#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/ensemble.h"
#include "core/prior/printed_difference.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

// Surrogates that cannot absorb a point themselves, each of another kind.
std::vector<std::unique_ptr<TransferSurrogate>> Kinds() {
  std::vector<std::unique_ptr<TransferSurrogate>> kinds;
  for (const auto errors : {EnsembleErrors::kIndependent, EnsembleErrors::kAligned}) {
    kinds.push_back(MakeEnsemble({{SourceOf("a", Wave, 2, 12, 1)->process, 0.5, 1.0},
                                  {SourceOf("b", Bowl, 2, 8, 2)->process, 0.5, 1.7}},
                                 errors));
  }
  const auto source = SourceOf("a", Wave, 2, 20, 1);
  const std::vector<AddedTerm> terms = {{source->expansion, 1, 1, source->cache}};
  const Observations observations = ObservationsOf(Bowl, 2, 8);
  kinds.push_back(
      FitAddedProcess(terms, OwnOf(2), SourceErrors::kIndependent, observations).value());
  kinds.push_back(FitPrintedDifference(terms, OwnOf(2), observations, 0.01).value());
  return kinds;
}

// Absorbs the pending points one at a time, the first two together.
void AbsorbAll(const PointMatrix& pending, Surrogate& surrogate) {
  for (Index first = 0; first < pending.rows();) {
    const Index count = first == 0 ? 2 : 1;
    const absl::StatusOr<bool> absorbed = surrogate.Absorb(pending.middleRows(first, count));
    ASSERT_TRUE(absorbed.ok()) << absorbed.status();
    ASSERT_TRUE(*absorbed);
    first += count;
  }
}

void ExpectNear(const Predictions& actual, const Predictions& expected) {
  EXPECT_LT((actual.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
}

// What pending points that are absorbed one after the other leave, beside their joint covariance
// factorised at once.
TEST(TransferSurrogate, WhatIsFantasizedAbsorbsFurtherPointsButForRounding) {
  const PointMatrix screen = RandomPoints(Numbers(2), 60, 41);
  const PointMatrix first = RandomPoints(Numbers(2), 3, 42);
  const PointMatrix further = RandomPoints(Numbers(2), 9, 43);
  PointMatrix all(12, 2);
  all << first, further;
  for (const auto& base : Kinds()) {
    const auto expected = base->Fantasize(all);
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const bool remembers : {false, true}) {
      auto fantasy = base->Fantasize(first);
      ASSERT_TRUE(fantasy.ok()) << fantasy.status();
      if (remembers) (*fantasy)->Remember(screen);
      AbsorbAll(further, **fantasy);
      ExpectNear((*fantasy)->Predict(screen), (*expected)->Predict(screen));
      ExpectNear((*fantasy)->Predict(all), (*expected)->Predict(all));
      EXPECT_LT(((*fantasy)->JointCovariance(screen) - (*expected)->JointCovariance(screen))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-9);
      const PointPrediction there = (*fantasy)->PredictPoint(screen.row(0).transpose());
      const PointPrediction wanted = (*expected)->PredictPoint(screen.row(0).transpose());
      EXPECT_NEAR(there.variance, wanted.variance, 1e-9);
      EXPECT_LT((there.variance_gradient - wanted.variance_gradient).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(TransferSurrogate, AFantasyThatAbsorbsLeavesItsCopiesAsTheyAre) {
  const PointMatrix screen = RandomPoints(Numbers(2), 60, 41);
  for (const auto& base : Kinds()) {
    auto fantasy = base->Fantasize(RandomPoints(Numbers(2), 3, 42));
    ASSERT_TRUE(fantasy.ok()) << fantasy.status();
    const auto copy = dynamic_cast<const TransferSurrogate&>(**fantasy).Clone();
    const Predictions before = copy->Predict(screen);
    AbsorbAll(RandomPoints(Numbers(2), 4, 43), **fantasy);
    EXPECT_EQ(copy->Predict(screen).variance, before.variance);
    EXPECT_LT((*fantasy)->Predict(screen).variance.sum(), before.variance.sum());
  }
}

TEST(TransferSurrogate, APointThatIsAbsorbedTwiceIsKnownOrRefused) {
  const PointMatrix point = RandomPoints(Numbers(2), 1, 42);
  for (const auto& base : Kinds()) {
    auto fantasy = base->Fantasize(point);
    ASSERT_TRUE(fantasy.ok()) << fantasy.status();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE((*fantasy)->Absorb(point).ok());
    const Predictions there = (*fantasy)->Predict(point);
    EXPECT_TRUE(there.variance.allFinite());
    EXPECT_GT(there.variance[0], 0);
    EXPECT_LT(there.variance[0], 1e-5 * base->Predict(point).variance[0]);
  }
}

}  // namespace
}  // namespace slipstream
