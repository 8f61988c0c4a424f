#include "core/strategy/strategy.h"

#include "core/base/deadline.h"
#include "core/base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// Counts its calls, and fails when told to.
class EchoStrategy final : public Strategy {
 public:
  explicit EchoStrategy(bool reads_history = false, absl::Status status = absl::OkStatus())
      : Strategy("echo"), reads_history_(reads_history), status_(status) {}

  mutable int calls = 0;

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView&, int count, uint64_t,
                                                    Deadline) const override {
    ++calls;
    if (!status_.ok()) return status_;
    Suggestion suggestion;
    suggestion.provenance.preset = "to be overwritten";
    suggestion.provenance.rung = Rung::kQuasiRandom;
    return std::vector<Suggestion>(static_cast<size_t>(count), suggestion);
  }
  bool DoReadsHistory() const override { return reads_history_; }

  bool reads_history_;
  absl::Status status_;
};

TEST(Strategy, FillsInWhatEveryProvenanceHas) {
  FakeStudy study(SquareSpace());
  study.last_trial = 17;
  const auto suggestions = EchoStrategy().Suggest(study.view(), 3, 99, Deadline::Infinite());
  ASSERT_TRUE(suggestions.ok());
  ASSERT_EQ(suggestions->size(), 3u);
  for (const Suggestion& suggestion : *suggestions) {
    EXPECT_EQ(suggestion.provenance.preset, "echo");
    EXPECT_EQ(suggestion.provenance.seed, 99u);
    EXPECT_EQ(suggestion.provenance.last_trial_seen, 17);
    EXPECT_EQ(suggestion.provenance.rung, Rung::kQuasiRandom);
  }
}

TEST(Strategy, RefusesACountBelowOneAndAMissingSpaceBeforeItStarts) {
  const EchoStrategy strategy;
  for (int count : {0, -1, -2147483647}) {
    const auto refused =
        strategy.Suggest(FakeStudy(SquareSpace()).view(), count, 1, Deadline::Infinite());
    ASSERT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ViolationOf(refused.status())->field, "count");
  }
  const auto refused = strategy.Suggest(StudyView{}, 1, 1, Deadline::Infinite());
  ASSERT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ViolationOf(refused.status())->field, "space");
  EXPECT_EQ(strategy.calls, 0);
}

TEST(Strategy, HandsErrorsOn) {
  const EchoStrategy strategy(false, absl::FailedPreconditionError("used up"));
  const FakeStudy study(SquareSpace());
  EXPECT_EQ(strategy.Suggest(study.view(), 1, 1, Deadline::Infinite()).status(),
            absl::FailedPreconditionError("used up"));
}

TEST(Strategy, HistoryIsReadWhereverThereAreCandidates) {
  EXPECT_FALSE(EchoStrategy(false).ReadsHistory(*SquareSpace()));
  EXPECT_TRUE(EchoStrategy(true).ReadsHistory(*SquareSpace()));
  EXPECT_TRUE(EchoStrategy(false).ReadsHistory(*LineOfCandidates(3)));
}

}  // namespace
}  // namespace slipstream
