#include "core/acquisition/other_words.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/gp/coordinate_kinds.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/likelihood.h"
#include "core/space/encoded_points.h"
#include "gtest/gtest.h"

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

// A process of given results, for which kinds differ and switches do not matter, or do.
class WordyModel final : public SearchedModel {
 public:
  WordyModel(const SearchSpace& space, std::vector<Configuration> measured, Vector results,
             bool switches_matter)
      : measured_(std::move(measured)),
        results_(std::move(results)),
        process_(Fit(space, switches_matter)) {}

  size_t size() const override { return 1; }
  const Surrogate& member(size_t /*member*/) const override { return process_; }
  double NoiseVariance(size_t /*member*/) const override { return 1e-4; }
  double Incumbent(size_t /*member*/) const override { return results_.maxCoeff(); }
  const Vector& results() const override { return results_; }
  const OutputTransform& transform() const override { return transform_; }
  // The best one comes first.
  std::vector<Configuration> BestConfigurations(size_t count) const override {
    return {measured_.begin(), measured_.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(count, measured_.size()))};
  }
  bool is_costly() const override { return false; }

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
    TrainingData data{EncodeAll(space, measured_), results_, Vector::Ones(results_.size())};
    return FitProcess(std::move(kernel), data, hyperparameters).value();
  }

  const std::vector<Configuration> measured_;
  const Vector results_;
  const OutputTransform transform_ = OutputTransform::Identity(1);
  const GaussianProcess process_;
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

int SwitchesThatDiffer(const Configuration& a, const Configuration& b) {
  int count = 0;
  for (size_t i = kFirstSwitch; i < a.values.size(); ++i) count += !(a.values[i] == b.values[i]);
  return count;
}

TEST(WordsThatSeemNotToMatter, AreManyAtOnceAndAllElseIsTheIncumbents) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  const Asked asked{space, model};
  const Configuration incumbent = model.BestConfigurations(1).front();
  const auto found = WordsThatSeemNotToMatter(asked.request());
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(space.IsLegal(*found));
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

TEST(UnseenWord, IsTriedWithTheIncumbentsOtherValues) {
  const SearchSpace space = WordySpace();
  const WordyModel model = ModelOf(space);
  Asked asked{space, model};
  const Configuration incumbent = model.BestConfigurations(1).front();
  // The switches' other values are unseen too, but promise less.
  const auto found = UnseenWord(asked.request());
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(space.IsLegal(*found));
  EXPECT_EQ(found->values[kKind], Value::Level(2));
  EXPECT_TRUE(found->values[kKind + 1].active());
  EXPECT_EQ(found->values[0], incumbent.values[0]);
  EXPECT_EQ(SwitchesThatDiffer(*found, incumbent), 0);

  asked.taken.emplace(&*found, 0);
  const auto next = UnseenWord(asked.request());
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(SwitchesThatDiffer(*next, incumbent), 1);
}

TEST(UnseenWord, IsNoneOnceAllHaveBeenSeenOrWordsAreMany) {
  const SearchSpace space = WordySpace();
  std::vector<Configuration> measured;
  for (const char* kind : {"wide", "plain", "odd", "deep"}) {
    for (bool switches : {false, true}) measured.push_back(At(space, 0.4, kind, switches));
  }
  const Vector results = Vector::LinSpaced(8, 1.5, -1);
  const WordyModel all(space, measured, results, false);
  EXPECT_EQ(UnseenWord(Asked{space, all}.request()), std::nullopt);

  // One result is too few for a single other word, and five are for three.
  const WordyModel one(space, {measured[0]}, Vector::Ones(1), false);
  EXPECT_EQ(UnseenWord(Asked{space, one}.request()), std::nullopt);
  measured = {At(space, 0.4, "wide", false), At(space, 0.7, "wide", true),
              At(space, 0.1, "plain", false), At(space, 0.9, "plain", true),
              At(space, 0.9, "odd", true)};
  const WordyModel five(space, measured, results.head(5), false);
  EXPECT_EQ(UnseenWord(Asked{space, five}.request()), std::nullopt);
}

}  // namespace
}  // namespace slipstream
