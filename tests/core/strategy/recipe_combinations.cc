#include "tests/core/strategy/recipe_combinations.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/sources/fitted_source.h"
#include "core/strategy/make_strategy.h"
#include "core/study/fact_meanings.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

constexpr int kInitialResults = 8;
constexpr int kSuggestions = kSanitized ? 3 : 5;

FakeStudy StudyOn(const std::shared_ptr<const SearchSpace>& space) {
  FakeStudy study(space, {SourceOn(space, "near", 0.02), SourceOn(space, "far", 0.4)});
  for (int i = 0; i < kInitialResults; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    study.End(Ending::kMeasured, BowlValueAt(*space, study.open.front().configuration, 0));
  }
  return study;
}

}  // namespace

const std::vector<std::string>& AllPriors() {
  static const auto* const names = new std::vector<std::string>{
      "none",    "delta", "stacked", "scaml", "cluster",    "envelope", "env_gp",
      "diff_gp", "rgpe",  "rm_gp",   "scot",  "pretrained", "deviation"};
  return *names;
}

const std::vector<std::string>& AllCalibrations() {
  static const auto* const names = new std::vector<std::string>{"fixed",
                                                                "mle",
                                                                "map",
                                                                "hmc",
                                                                "expanding(map)",
                                                                "shrinking(map)",
                                                                "consistent(map)",
                                                                "expanding(consistent(mle))",
                                                                "shrinking(fixed)"};
  return *names;
}

const std::vector<std::string>& AllAcquisitions() {
  static const auto* const names = new std::vector<std::string>{
      "ucb", "ei", "log_ei", "pi", "max_value_pi", "max_value_pi_draws", "thompson"};
  return *names;
}

std::vector<std::string> EveryCalibration() {
  std::vector<std::string> names;
  for (const std::string rule : {"", "expanding(", "shrinking("}) {
    for (const std::string plain : {"fixed", "mle", "map", "hmc"}) {
      for (const std::string loss : {"", "consistent("}) {
        std::string name = rule;
        name += loss;
        name += plain;
        if (!loss.empty()) name += ")";
        if (!rule.empty()) name += ")";
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> EveryAcquisition() {
  std::vector<std::string> names = AllAcquisitions();
  for (const char* multiplier : {"ucb_theory", "ucb_theory_continuous", "ucb_dimension"}) {
    names.push_back(multiplier);
  }
  return names;
}

const std::vector<std::string>& AllExplorations() {
  static const auto* const names = new std::vector<std::string>{
      "none", "exp3", "portfolio", "hedge", "alternate", "random", "turns"};
  return *names;
}

CombinationStudies::CombinationStudies()
    : library_(std::make_unique<SourceLibrary>(size_t{64} << 20)) {
  studies_ = {StudyOn(SquareSpace()), StudyOn(MixedSpace()), StudyOn(LineOfCandidates(40))};
}

bool CombinationStudies::Try(const RecipeChange& change) {
  const std::string name = absl::StrCat(change.prior, " ", change.calibration, " ",
                                        change.acquisition, " ", change.exploration);
  // Expansions look one step ahead and soon have a reason to grow.
  RecipeChange growing = change;
  growing.options.insert({{"expanding_estimate", 1}, {"regret_power", 0.999}});
  const auto strategy = MakeStrategy(*FindPreset("gp_log_ei"), growing);
  if (!strategy.ok()) {
    const std::optional<FieldViolation> violation = ViolationOf(strategy.status());
    EXPECT_TRUE(violation.has_value()) << name;
    EXPECT_NE(strategy.status().message().find("cannot be combined"), std::string::npos) << name;
    return false;
  }
  if (kSanitized) {  // Recipes share the studies out among them.
    TakeSome(**strategy, studies_[next_++ % studies_.size()], name);
  } else {
    for (const FakeStudy& study : studies_) TakeSome(**strategy, study, name);
  }
  return true;
}

void CombinationStudies::TakeSome(const Strategy& strategy, FakeStudy study,
                                  const std::string& name) {
  for (int i = 0; i < kSuggestions; ++i) {
    StudyView view = study.view();
    view.fitted_sources = library_.get();
    const auto suggestions = strategy.Suggest(view, 1, 11, Deadline::Infinite());
    ASSERT_TRUE(suggestions.ok()) << name << ": " << suggestions.status();
    const Suggestion& suggestion = suggestions->front();
    EXPECT_TRUE(IsLegal(*study.space, suggestion.configuration)) << name;
    EXPECT_EQ(suggestion.provenance.rung, Rung::kRecipe)
        << name << ": " << suggestion.provenance.rung_reason;
    for (const Fact& fact : suggestion.provenance.facts) {
      const double* const number = std::get_if<double>(&fact.value);
      EXPECT_TRUE(number == nullptr || std::isfinite(*number)) << name << ": " << fact.name;
      EXPECT_FALSE(MeaningOfFact(fact.name).empty()) << name << ": " << fact.name;
    }
    for (const Note& note : suggestion.provenance.notes) {
      for (double each : note.values) EXPECT_TRUE(std::isfinite(each)) << name << ": " << note.name;
    }
    study.Lease(*suggestions);
    if (i == 1) continue;  // Is open when the third is asked for.
    study.End(Ending::kMeasured, BowlValueAt(*study.space, study.open.front().configuration, 0));
  }
}

}  // namespace slipstream
