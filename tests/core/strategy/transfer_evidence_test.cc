#include "core/strategy/transfer_evidence.h"

#include <cmath>
#include <optional>
#include <vector>

#include "core/gp/normal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

const OutputTransform& AsMeasured() {
  static const auto& transform = *new OutputTransform(OutputTransform::Identity(1));
  return transform;
}

EndedTrial Forecast(double without, double with, std::optional<double> value, double initial = 0) {
  EndedTrial trial;
  trial.ending = value.has_value() ? Ending::kMeasured : Ending::kFailed;
  trial.value = value;
  trial.notes = {ForecastNote({{without, 1}, {with, 1}}, initial, AsMeasured())};
  return trial;
}

// The density of Student's distribution at `off` deviations.
double LogStudent(double off, double freedom, double deviation) {
  return std::log(std::tgamma((freedom + 1) / 2) / std::tgamma(freedom / 2) /
                  std::sqrt(freedom * M_PI) / deviation *
                  std::pow(1 + off * off / deviation / deviation / freedom, -(freedom + 1) / 2));
}

TEST(TransferEvidence, WithoutForecastsNothingIsKnown) {
  const TransferEvidence evidence = EvidenceOf({}, 0);
  EXPECT_EQ(evidence.results, 0u);
  EXPECT_DOUBLE_EQ(evidence.share(), 0.5);
  EXPECT_EQ(evidence.state(), TransferState::kUnknown);
}

TEST(TransferEvidence, EachResultCountsByTheRatioOfItsDensities) {
  // Densities at 1 of distributions around 0 and around 1; after the first result the deviations of
  // both have a factor.
  const std::vector<EndedTrial> ended = {Forecast(0, 1, 1), Forecast(0, 1, 1)};
  const TransferEvidence evidence = EvidenceOf(ended, 0);
  const double first = LogStudent(0, 4, 1) - LogStudent(1, 4, 1);
  const double second = LogStudent(0, 5, std::sqrt(4.0 / 5)) - LogStudent(1, 5, 1);
  EXPECT_EQ(evidence.results, 2u);
  EXPECT_NEAR(evidence.gain, (first + second) / 2, 1e-12);
  EXPECT_NEAR(evidence.log_odds, 0.9 * first + second, 1e-12);
  EXPECT_NEAR(evidence.share(), 1 / (1 + std::exp(-evidence.log_odds)), 1e-12);
}

TEST(TransferEvidence, AModelThatIsTooSureOfItselfIsJudgedByWhereItExpectsResults) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 12; ++i) {
    EndedTrial trial = Forecast(0, 0, i % 2 == 0 ? 0.5 : -0.5);
    // Without sources 1 is expected, and with them 0, but by far too narrowly.
    trial.notes = {ForecastNote({{1, 0.7}, {0, 0.1}}, 0, AsMeasured())};
    ended.push_back(trial);
  }
  EXPECT_LT(EvidenceOf({ended.data(), 2}, 0).share(), 0.3) << "at first it is believed";
  EXPECT_GT(EvidenceOf(ended, 0).share(), 0.8);
}

TEST(TransferEvidence, FailedTrialsAndThoseWithoutForecastsSayNothing) {
  EndedTrial own;  // A person's.
  own.value = 3;
  const std::vector<EndedTrial> ended = {Forecast(0, 1, {}), own};
  EXPECT_EQ(EvidenceOf(ended, 0).results, 0u);
}

TEST(TransferEvidence, HelpingSourcesAreKnownAfterAFewResults) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 6; ++i) ended.push_back(Forecast(-2, 1, 1 + 0.01 * i));
  const TransferEvidence evidence = EvidenceOf(ended, 0);
  EXPECT_EQ(evidence.state(), TransferState::kHelping);
  EXPECT_GT(evidence.gain_low, 0);
  EXPECT_LT(evidence.gain_low, evidence.gain);
  EXPECT_GT(evidence.gain_high, evidence.gain);
  EXPECT_GT(evidence.share(), 0.95);
}

TEST(TransferEvidence, AMisleadingSourceHurtsAndLosesItsShareWithinAFewResults) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 4; ++i) ended.push_back(Forecast(0, 3, 0.01 * i));
  const TransferEvidence evidence = EvidenceOf(ended, 0);
  EXPECT_EQ(evidence.state(), TransferState::kHurting);
  EXPECT_LT(evidence.share(), 0.05);
}

TEST(TransferEvidence, OneSurpriseIsForgotten) {
  std::vector<EndedTrial> ended = {Forecast(0, 1000, 0)};
  EXPECT_LT(EvidenceOf(ended, 0).share(), 0.01);  // It counts as the floor has it.
  for (int i = 0; i < 20; ++i) ended.push_back(Forecast(0, 1, 1));
  EXPECT_GT(EvidenceOf(ended, 0).share(), 0.9);
}

TEST(TransferEvidence, NoResultCountsMoreThanAFloor) {
  const std::vector<EndedTrial> ended = {Forecast(0, 1e6, 0)};
  EXPECT_GT(EvidenceOf(ended, 0).log_odds, -6);
  EXPECT_EQ(EvidenceOf(ended, 0).gain, -2);
}

TEST(TransferEvidence, TheFirstResultsCountHalfAndAsNotedFirst) {
  EXPECT_DOUBLE_EQ(EvidenceOf({}, 2).log_odds, 1);
  EXPECT_DOUBLE_EQ(EvidenceOf({}, -100).log_odds, -3);
  const std::vector<EndedTrial> ended = {Forecast(0, 0, 5, 1), Forecast(0, 0, 5, -4)};
  const TransferEvidence evidence = EvidenceOf(ended, 2);
  EXPECT_DOUBLE_EQ(evidence.initial, 1);
  EXPECT_DOUBLE_EQ(evidence.log_odds, 0.5 * 0.9 * 0.9);
}

TEST(TransferEvidence, TheFirstResultsCountInTheMeanGainWithHalfOfTheirEvidence) {
  EndedTrial first;
  first.value = 3;
  EndedTrial failed;
  failed.ending = Ending::kFailed;
  std::vector<EndedTrial> ended = {first, failed, first, first};
  for (int i = 0; i < 5; ++i) ended.push_back(Forecast(0, 0, 1, 6));
  ended.push_back(first);  // A person's, later.
  TransferEvidence evidence = EvidenceOf(ended, 0);
  EXPECT_EQ(evidence.results, 5u);
  EXPECT_NEAR(evidence.gain, 3 * 1.0 / 8, 1e-12);
  // Of Student's distribution with 6 degrees of freedom: five forecasts, and one number for the
  // three results before them.
  EXPECT_NEAR(evidence.gain_high - evidence.gain,
              2.44691 * std::sqrt((3 - 8 * evidence.gain * evidence.gain + 1) / 6 / 8), 1e-4);
  for (EndedTrial& trial : ended) {
    if (!trial.notes.empty()) trial.notes = Forecast(0, 0, 1, -60).notes;
  }
  evidence = EvidenceOf(ended, 0);
  EXPECT_NEAR(evidence.gain, 3 * -2.0 / 8, 1e-12);
  EXPECT_EQ(evidence.state(), TransferState::kNeutral) << "that one number does not decide alone";
}

// Both models are as far off, so that whatever is said of the sources is false.
TEST(TransferEvidence, ForecastsThatAreEquallyGoodSeldomDecide) {
  constexpr uint64_t kStudies = 1000;
  int decided = 0;
  for (uint64_t study = 0; study < kStudies; ++study) {
    EndedTrial before;
    before.value = 3;
    std::vector<EndedTrial> ended(3, before);
    const double initial = 2 * CounterRandomNormal(study, 0, 1);
    for (uint64_t i = 0; i < 6; ++i) {
      const double without = CounterRandomNormal(study, i, 2);
      const double with = CounterRandomNormal(study, i, 3);
      ended.push_back(Forecast(without, with, CounterRandomNormal(study, i, 4), initial));
    }
    decided += EvidenceOf(ended, 0).state() != TransferState::kNeutral ? 1 : 0;
  }
  EXPECT_LE(decided, static_cast<int>(kStudies) * 5 / 100);
}

TEST(TransferEvidence, ForecastsAreOnTheScaleOfTheirTime) {
  Vector results(4);
  results << 10, 20, 40, 100;
  for (OutputWarp warp : {OutputWarp::kStandardize, OutputWarp::kPower, OutputWarp::kCopula}) {
    const OutputTransform transform = OutputTransform::Fit(warp, results, -1);
    EndedTrial trial;
    trial.value = 20;
    trial.notes = {
        ForecastNote({{transform.Apply(20), 1}, {transform.Apply(20) + 1, 1}}, 0, transform)};
    EXPECT_NEAR(EvidenceOf(std::vector<EndedTrial>{trial}, 0).gain,
                LogStudent(1, 4, 1) - LogStudent(0, 4, 1), 1e-12);
  }
}

TEST(TransferEvidence, NotesOfOtherNumbersAreNoForecasts) {
  EndedTrial trial = Forecast(0, 1, 1);
  trial.notes[0].values.resize(7);
  EXPECT_EQ(EvidenceOf(std::vector<EndedTrial>{trial}, 0).results, 0u);
  trial = Forecast(0, 1, 1);
  trial.notes[0].values[1] = 0;
  EXPECT_EQ(EvidenceOf(std::vector<EndedTrial>{trial}, 0).results, 0u);
  for (const size_t place : {0, 2, 4}) {
    trial = Forecast(0, 1, 1);
    trial.notes[0].values[place] = std::nan("");
    EXPECT_TRUE(std::isfinite(EvidenceOf(std::vector<EndedTrial>{trial}, 0).share())) << place;
  }
}

TEST(TransferEvidence, SaysInFactsWhatItFound) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 5; ++i) ended.push_back(Forecast(0, 0, 1 + 0.01 * i));
  std::vector<std::string> names;
  for (const Fact& fact : EvidenceOf(ended, 0).Facts()) names.push_back(fact.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("transfer", "transfer_share", "transfer_results",
                                     "transfer_gain", "transfer_gain_low", "transfer_gain_high"));
  EXPECT_EQ(EvidenceOf(ended, 0).state(), TransferState::kNeutral);
}

TEST(TransferEvidence, EqualResultsTellNothing) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 8; ++i) ended.push_back(Forecast(-2, 1, 1));
  EXPECT_EQ(EvidenceOf(ended, 0).state(), TransferState::kUnknown);
  EXPECT_EQ(EvidenceOf(ended, 0).Facts().size(), 3u) << "no gain";
  ended.push_back(Forecast(-2, 1, 1.5));
  EXPECT_EQ(EvidenceOf(ended, 0).state(), TransferState::kHelping);
}

TEST(TransferEvidence, TheStartDecidesWhereForecastsDoNot) {
  std::vector<EndedTrial> ended;
  for (int i = 0; i < 6; ++i) ended.push_back(Forecast(0, 0, 0.01 * i));
  TransferEvidence neutral = EvidenceOf(ended, 0);
  EXPECT_EQ(neutral.state(), TransferState::kNeutral);
  neutral.start = StartComparison{3, 0.97, 0.03};
  EXPECT_EQ(neutral.state(), TransferState::kNeutral);
  neutral.start = StartComparison{3, 0.98, 0.02};
  EXPECT_EQ(neutral.state(), TransferState::kHelping);
  neutral.start = StartComparison{3, 0.02, 0.98};
  EXPECT_EQ(neutral.state(), TransferState::kHurting);
  for (EndedTrial& trial : ended) trial = Forecast(-2, 1, 1 + 0.01 * *trial.value);
  TransferEvidence helping = EvidenceOf(ended, 0);
  helping.start = neutral.start;
  EXPECT_EQ(helping.state(), TransferState::kHelping);
  // Before four forecasts nothing is said.
  TransferEvidence early = EvidenceOf({ended.data(), 3}, 0);
  early.start = StartComparison{3, 0.98, 0.02};
  EXPECT_EQ(early.state(), TransferState::kUnknown);
}

}  // namespace
}  // namespace slipstream
