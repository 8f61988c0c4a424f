#include "core/acquisition/other_words.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition/next_point.h"
#include "core/base/deadline.h"
#include "core/gp/coordinate_kinds.h"
#include "core/gp/feasible_surrogate.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"
#include "core/space/encoded_points.h"
#include "core/space/search_space.h"
#include "gtest/gtest.h"
#include "tests/core/acquisition/model_of_results.h"
#include "tests/core/acquisition/slow_score.h"
#include "tests/core/space/configurations.h"

namespace slipstream {
namespace {

// x, a word of four, a depth that exists with one of them, and six switches.
SearchSpace WordySpace() {
  Parameter depth{"depth", IntegerDomain{1, 9, Scale::kLinear}, {}, {}};
  depth.condition = Condition{"kind", {std::string("deep")}};
  std::vector<Parameter> parameters = {
      {"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
      {"kind", CategoricalDomain{{"plain", "wide", "deep", "odd"}}, {}, {}},
      depth};
  for (int i = 0; i < 6; ++i) {
    parameters.push_back({"switch" + std::to_string(i), BooleanDomain{}, {}, {}});
  }
  return SearchSpace::Create(std::move(parameters)).value();
}

constexpr size_t kKind = 1;
constexpr size_t kFirstSwitch = 3;

Configuration At(const SearchSpace& space, double x, const std::string& kind, bool switches) {
  std::vector<Assignment> assignments = {{"x", x}, {"kind", kind}};
  if (kind == "deep") assignments.push_back({"depth", int64_t{4}});
  for (int i = 0; i < 6; ++i) {
    assignments.push_back({"switch" + std::to_string(i), switches});
  }
  return space.Resolve(assignments).value();
}

// A process of given results, the best one first, for which kinds differ and switches do not
// matter, or do.
class WordyModel final : public ModelOfResults {
 public:
  WordyModel(const SearchSpace& space, std::vector<Configuration> measured, Vector results,
             bool switches_matter)
      : ModelOfResults(std::move(measured), std::move(results)),
        process_(Fit(space, switches_matter)) {}

  size_t size() const override { return 1; }
  const Surrogate& member(size_t /*member*/) const override { return process_; }
  double NoiseVariance(size_t /*member*/) const override { return 1e-4; }

 private:
  GaussianProcess Fit(const SearchSpace& space, bool switches_matter) const {
    auto kernel =
        MakeStationary(Smoothness::kMatern52, KindsOf(space), Lengthscales::kEach);
    Hyperparameters hyperparameters;
    const auto dimension = static_cast<Index>(space.dimension());
    hyperparameters.kernel = Vector::Constant(dimension + 1, std::log(0.5));
    hyperparameters.kernel[0] = 0;
    const double of_switches = switches_matter ? std::log(0.3) : std::log(30.0);
    hyperparameters.kernel.tail(6).setConstant(of_switches);
    hyperparameters.log_noise_variance = std::log(1e-4);
    TrainingData data{EncodeAll(space, measured()), results(), Vector::Ones(results().size())};
    return FitProcess(std::move(kernel), data, hyperparameters).value();
  }

  const GaussianProcess process_;
};

// Such a model after trials without a value.
class WordyModelBesideNothing final : public ModelOfResults {
 public:
  WordyModelBesideNothing(const SearchSpace& space, const WordyModel& model,
                          const std::vector<Configuration>& without_value)
      : ModelOfResults(model.measured(), model.results()) {
    auto feasibility =
        FitFeasibility(KindsOf(space), EncodeAll(space, measured()),
                       EncodeAll(space, without_value), PointMatrix(0, KindsOf(space).size()));
    const auto& process = dynamic_cast<const GaussianProcess&>(model.member(0));
    whole_ = MakeFeasibleSurrogate(std::make_unique<GaussianProcess>(process),
                                   std::move(feasibility).value(), model.Incumbent(0),
                                   results().minCoeff());
  }

  size_t size() const override { return 1; }
  const Surrogate& member(size_t /*member*/) const override { return *whole_; }
  double NoiseVariance(size_t /*member*/) const override { return 1e-4; }

 private:
  std::unique_ptr<Surrogate> whole_;
};

// Two such models, of which one counts three times as much as the other.
class TwoOfThem final : public SearchedModel {
 public:
  TwoOfThem(const WordyModel& a, const WordyModel& b) : members_{&a, &b} {}
  size_t size() const override { return 2; }
  const Surrogate& member(size_t member) const override { return members_[member]->member(0); }
  double LogWeight(size_t member) const override { return member == 0 ? 0 : std::log(3.0); }
  double NoiseVariance(size_t member) const override { return members_[member]->NoiseVariance(0); }
  double Incumbent(size_t member) const override { return members_[member]->Incumbent(0); }
  const Vector& results() const override { return members_[0]->results(); }
  const OutputTransform& transform() const override { return members_[0]->transform(); }
  std::vector<Configuration> BestConfigurations(size_t count) const override {
    return members_[0]->BestConfigurations(count);
  }
  bool is_costly() const override { return false; }

 private:
  const WordyModel* members_[2];
};

// Two members without results, with deviations of 1e-3 around 1e8 and around 2e-3 more.
class FarFromZero final : public ModelOfResults {
 public:
  explicit FarFromZero(const SearchSpace& space) : ModelOfResults({}, Vector::Zero(1)) {
    for (const double mean : {1e8, 1e8 + 2e-3}) {
      std::shared_ptr<const Kernel> kernel =
          MakeStationary(Smoothness::kMatern52, KindsOf(space), Lengthscales::kShared);
      const Hyperparameters hyperparameters{Vector{{std::log(1e-3), 0}}, 0, mean};
      members_.push_back(
          FitProcess(std::move(kernel), TrainingData(), hyperparameters).value());
    }
  }

  size_t size() const override { return members_.size(); }
  const Surrogate& member(size_t member) const override { return members_[member]; }
  double NoiseVariance(size_t /*member*/) const override { return 1e-6; }

 private:
  std::vector<GaussianProcess> members_;
};

// Results of three of the four kinds, the best one first.
WordyModel ModelOf(const SearchSpace& space, bool switches_matter = false) {
  return WordyModel(space,
                    {At(space, 0.4, "wide", false), At(space, 0.8, "wide", false),
                     At(space, 0.4, "plain", false), At(space, 0.5, "odd", false),
                     At(space, 0.1, "odd", false), At(space, 0.9, "plain", false)},
                    Vector{{1.5, 0.7, -1, -0.5, -0.9, -1.2}}, switches_matter);
}

// A request of a model.
struct Asked {
  NextPointRequest request() const { return {space, acquisition, model, taken, nullptr, 7, 11}; }

  const SearchSpace& space;
  const SearchedModel& model;
  ConfigurationIndex taken = {};
  const Choice<AcquisitionRow> acquisition{*AcquisitionRows().front()};
};

// Trials that ended so, of these configurations.
std::vector<EndedTrial> Ended(const std::vector<Configuration>& configurations,
                              Ending ending = Ending::kMeasured) {
  std::vector<EndedTrial> ended;
  for (const Configuration& configuration : configurations) {
    ended.push_back({static_cast<int64_t>(ended.size() + 1), configuration, {}, ending, {}});
  }
  return ended;
}

std::vector<EndedTrial> AllOf(const SearchedModel& model) {
  return Ended(model.BestConfigurations(100));
}

int SwitchesThatDiffer(const Configuration& a, const Configuration& b) {
  int count = 0;
  for (size_t i = kFirstSwitch; i < a.values.size(); ++i) count += !(a.values[i] == b.values[i]);
  return count;
}

TEST(PredictTogether, IsTheMixturesMeanAndVariance) {
  const SearchSpace space = WordySpace();
  const WordyModel a = ModelOf(space, false);
  const WordyModel b = ModelOf(space, true);
  const std::vector<Configuration> at = {At(space, 0.2, "deep", true),
                                         At(space, 0.4, "wide", true)};
  const PointMatrix x = EncodeAll(space, at);
  const Predictions of_a = a.member(0).Predict(x);
  const Predictions of_b = b.member(0).Predict(x);
  const Predictions together = PredictTogether(TwoOfThem(a, b), x);
  for (Index i = 0; i < 2; ++i) {
    const double mean = 0.25 * of_a.mean[i] + 0.75 * of_b.mean[i];
    EXPECT_NEAR(together.mean[i], mean, 1e-12);
    EXPECT_NEAR(together.variance[i],
                0.25 * (of_a.variance[i] + std::pow(of_a.mean[i] - mean, 2)) +
                    0.75 * (of_b.variance[i] + std::pow(of_b.mean[i] - mean, 2)),
                1e-12);
  }
}

TEST(PredictTogether, KeepsSmallDeviationsFarFromZero) {
  const SearchSpace space = WordySpace();
  const FarFromZero model(space);
  const PointMatrix x = EncodeAll(space, {At(space, 0.2, "deep", true)});
  for (const Predictions& there : {PredictTogether(model, x), PredictMeasured(model, x)}) {
    EXPECT_NEAR(there.mean[0], 1e8 + 1e-3, 1e-7);
    EXPECT_NEAR(there.variance[0], 1e-6 + 1e-6, 1e-9);
  }
}

TEST(WordsThatSeemNotToMatter, AreManyAtOnceAndAllElseIsTheIncumbents) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  const Asked asked{space, model};
  const Configuration incumbent = model.BestConfigurations(1).front();
  const auto found = WordsThatSeemNotToMatter(asked.request());
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(IsLegal(space, *found));
  EXPECT_EQ(found->values[0], incumbent.values[0]);
  EXPECT_EQ(found->values[kKind], incumbent.values[kKind]);
  EXPECT_GE(SwitchesThatDiffer(*found, incumbent), 3);
}

TEST(WordsThatSeemNotToMatter, AreNotTakenTwice) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  Asked asked{space, model};
  const Configuration first = *WordsThatSeemNotToMatter(asked.request());
  asked.taken.emplace(&first, 0);
  const auto second = WordsThatSeemNotToMatter(asked.request());
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*second, first);
}

TEST(WordsThatSeemNotToMatter, AreNoneWhereAllWordsSeemTo) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space, /*switches_matter=*/true);
  EXPECT_EQ(WordsThatSeemNotToMatter(Asked{space, model}.request()), std::nullopt);
}

TEST(WordsThatSeemNotToMatter, AreNotThoseWithoutAValue) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space, /*switches_matter=*/true);
  std::vector<Configuration> without_value;
  for (size_t i = 0; i < 6; ++i) {
    without_value.push_back(model.BestConfigurations(1).front());
    without_value.back().values[kFirstSwitch + i] = Value::Boolean(true);
  }
  const WordyModelBesideNothing beside(space, model, without_value);
  const PointMatrix x = EncodeAll(space, without_value);
  ASSERT_LT(PredictTogether(beside, x).mean.maxCoeff(), model.Incumbent(0) - 0.1);
  EXPECT_EQ(WordsThatSeemNotToMatter(Asked{space, beside}.request()), std::nullopt);
}

TEST(UnseenWord, IsTriedWithTheIncumbentsOtherValues) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  Asked asked{space, model};
  const Configuration incumbent = model.BestConfigurations(1).front();
  // The switches' other values are unseen too, but promise less.
  const auto found = UnseenWord(asked.request(), AllOf(model));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(IsLegal(space, *found));
  EXPECT_EQ(found->values[kKind], Value::Level(2));
  EXPECT_TRUE(found->values[kKind + 1].active());
  EXPECT_EQ(found->values[0], incumbent.values[0]);
  EXPECT_EQ(SwitchesThatDiffer(*found, incumbent), 0);
}

// Whether it failed, is impossible or is with a worker at another place.
TEST(UnseenWord, IsTriedOnceHoweverThatEnds) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  const Configuration elsewhere = At(space, 0.9, "deep", false);
  for (const Ending ending : {Ending::kFailed, Ending::kInfeasible}) {
    std::vector<EndedTrial> ended = AllOf(model);
    ended.push_back(Ended({elsewhere}, ending).front());
    const Asked asked{space, model};
    EXPECT_NE(UnseenWord(asked.request(), ended)->values[kKind], Value::Level(2));
  }
  Asked asked{space, model};
  asked.taken.emplace(&elsewhere, 0);
  EXPECT_NE(UnseenWord(asked.request(), AllOf(model))->values[kKind], Value::Level(2));
}

// A kind that opens variants, of which one opens modes, and six switches.
SearchSpace TreeOfWords() {
  std::vector<Parameter> parameters = {
      {"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
      {"kind", CategoricalDomain{{"plain", "deep"}}, {}, {}},
      {"variant", CategoricalDomain{{"a", "b", "c"}}, {},
       Condition{"kind", {std::string("deep")}}},
      {"mode", CategoricalDomain{{"m", "n"}}, {}, Condition{"variant", {std::string("b")}}}};
  for (int i = 0; i < 6; ++i) {
    parameters.push_back({"switch" + std::to_string(i), BooleanDomain{}, {}, {}});
  }
  return SearchSpace::Create(std::move(parameters)).value();
}

TEST(UnseenWord, MayBeBelowWordsThatTheIncumbentLacks) {
  const SearchSpace space = TreeOfWords();
  const auto at = [&](const std::vector<Assignment>& words, bool switches) {
    std::vector<Assignment> assignments = {{"x", 0.4}};
    assignments.insert(assignments.end(), words.begin(), words.end());
    for (int i = 0; i < 6; ++i) assignments.push_back({"switch" + std::to_string(i), switches});
    return space.Resolve(assignments).value();
  };
  const std::vector<Assignment> plain = {{"kind", "plain"}};
  const std::vector<Assignment> a = {{"kind", "deep"}, {"variant", "a"}};
  const std::vector<Assignment> m = {{"kind", "deep"}, {"variant", "b"}, {"mode", "m"}};
  std::vector<Configuration> tried = {at(plain, false), at(plain, true), at(a, false)};
  const WordyModel model(space, tried, Vector{{1, -0.5, -0.8}}, true);
  const Asked asked{space, model};
  const auto variant = UnseenWord(asked.request(), Ended(tried));
  ASSERT_TRUE(variant.has_value());
  EXPECT_TRUE(IsLegal(space, *variant));
  EXPECT_TRUE(variant->values[2] == Value::Level(1) || variant->values[2] == Value::Level(2));

  tried.push_back(at(m, false));
  tried.push_back(at({{"kind", "deep"}, {"variant", "c"}}, false));
  EXPECT_EQ(UnseenWord(asked.request(), Ended(tried)),
            at({{"kind", "deep"}, {"variant", "b"}, {"mode", "n"}}, false));
  tried.push_back(at({{"kind", "deep"}, {"variant", "b"}, {"mode", "n"}}, true));
  EXPECT_EQ(UnseenWord(asked.request(), Ended(tried)), std::nullopt);
}

TEST(UnseenWord, IsNoneOnceAllHaveBeenSeen) {
  const SearchSpace space = WordySpace();
  std::vector<Configuration> measured;
  for (const char* kind : {"wide", "plain", "odd", "deep"}) {
    for (bool switches : {false, true}) measured.push_back(At(space, 0.4, kind, switches));
  }
  const Vector results = Vector::LinSpaced(8, 1.5, -1);
  const WordyModel all(space, measured, results, false);
  EXPECT_EQ(UnseenWord(Asked{space, all}.request(), AllOf(all)), std::nullopt);
}

TEST(UnseenWord, IsSoughtHoweverManyThereAre) {
  const SearchSpace space = WordySpace();
  const WordyModel one(space, {At(space, 0.4, "wide", false)}, Vector::Ones(1), false);
  EXPECT_NE(UnseenWord(Asked{space, one}.request(), AllOf(one)), std::nullopt);
}

TEST(NextPoint, IsTheBestThatWasFoundByTheDeadline) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  const Choice<AcquisitionRow> slow{kSlow};
  const ConfigurationIndex none;
  NextPointRequest request{space, slow, model, none, nullptr, 7, 11};
  request.deadline = Deadline::In(absl::Milliseconds(50));
  const auto cut_short = ChooseNextPoint(request);
  ASSERT_TRUE(cut_short.ok()) << cut_short.status();
  EXPECT_GT(cut_short->value, 1);  // The screen is around the best result, 1.5.
  EXPECT_TRUE(cut_short->is_cut_short);
  EXPECT_TRUE(absl::IsDeadlineExceeded(LargestMean(request, 0).status()));

  std::stop_source stop;
  stop.request_stop();
  request.deadline = Deadline::Infinite().WithStop(stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(ChooseNextPoint(request).status()));
}

}  // namespace
}  // namespace slipstream
