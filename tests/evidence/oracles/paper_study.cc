// A small study of one preset, written down for programs that compute it once more from the
// equations of its paper (oracles.py): what was measured, the hyperparameters that were learnt, and
// what the preset believed and wanted at the points that it suggested.
//
//   evidence_paper_study PRESET [OPTION=VALUE ...]
//
// prints one JSON object.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/prior/cluster/cluster_prior.h"
#include "core/recipe/presets.h"
#include "core/space/encoded_points.h"
#include "core/space/quasi_random.h"
#include "core/strategy/make_strategy.h"
#include "tests/core/strategy/fitted_model.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

constexpr uint64_t kSeed = 11;
constexpr int kModelSuggestions = 10;
constexpr int kMostSuggestions = 40;
constexpr int kSourcePoints = 18;
// Points all over the space where sources are compared.
constexpr int kClusterPlaces = 300;
constexpr int kDeviationPlaces = 32;

// Two kinds of tasks: one hill that wanders, and its opposite.
double ValueAt(double x, double y, double shift, double sign) {
  const double hill = std::exp(
      -6 * ((x - 0.35 - shift) * (x - 0.35 - shift) + (y - 0.6 + shift) * (y - 0.6 + shift)));
  return 5 + sign * 2 * hill + 0.4 * std::sin(7 * x + 2 * y);
}

std::shared_ptr<const SourceTaskData> SourceTask(int number, double shift, double sign) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", number);
  source->space = SquareSpace();
  for (int i = 0; i < kSourcePoints; ++i) {
    const auto place = static_cast<uint64_t>(100 * number + i);
    const double x = CounterRandomUniform(7, place, 0);
    const double y = CounterRandomUniform(7, place, 1);
    source->points.push_back(
        {{{Value::Double(x), Value::Double(y)}}, Ending::kMeasured, ValueAt(x, y, shift, sign)});
  }
  return source;
}

// Methods of a single source get one; the others two kinds of two each.
std::vector<std::shared_ptr<const SourceTaskData>> SourcesFor(const Recipe& recipe) {
  if (TaskScaleOf(recipe) != TaskScale::kOwn) return {SourceTask(0, 0.05, 1)};
  return {SourceTask(0, 0.05, 1), SourceTask(1, 0.3, -1), SourceTask(2, -0.05, 1),
          SourceTask(3, 0.35, -1)};
}

std::string Text(double value) { return absl::StrFormat("%.17g", value); }

template <typename Numbers>
std::string ListOf(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (Index i = 0; i < numbers.size(); ++i) texts.push_back(Text(numbers[i]));
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

std::string RowsText(const PointMatrix& points) {
  std::vector<std::string> rows;
  for (Index i = 0; i < points.rows(); ++i) rows.push_back(ListOf(Vector(points.row(i))));
  return absl::StrCat("[", absl::StrJoin(rows, ", "), "]");
}

std::string TextOf(const Hyperparameters& hyperparameters) {
  return absl::StrCat("{\"kernel\": ", ListOf(hyperparameters.kernel),
                      ", \"noise\": ", Text(std::exp(hyperparameters.log_noise_variance)),
                      ", \"mean\": ", Text(hyperparameters.mean),
                      ", \"weights\": ", ListOf(hyperparameters.weights), "}");
}

std::string ValuesText(const std::vector<SourcePoint>& points) {
  Vector values(static_cast<Index>(points.size()));
  for (size_t i = 0; i < points.size(); ++i) values[static_cast<Index>(i)] = *points[i].value;
  return ListOf(values);
}

std::string SourcesText(const FakeStudy& study, const SourceModels& models) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < models.size(); ++i) {
    texts.push_back(absl::StrCat(
        "{\"x\": ", RowsText(models[i]->data.x), ", \"y\": ", ValuesText(study.sources[i]->points),
        ", \"hyperparameters\": ", TextOf(models[i]->hyperparameters), "}"));
  }
  return absl::StrCat("[", absl::StrJoin(texts, ",\n"), "]");
}

// As many points of the study's space as places are to be chosen among.
PointMatrix PointsOf(const SearchSpace& space, int count) {
  std::vector<Configuration> some;
  for (const auto& point : QuasiRandomPoints(2, 0, 0, count)) some.push_back(space.Sample(point));
  return EncodeAll(space, some);
}

// The clusters that sources fall into, and the places where they are compared.
std::string ClustersText(const Recipe& recipe, const SourceModels& models,
                         const PointMatrix& places) {
  const auto& options = recipe.prior.options().As<ClusterOptions>();
  const SourcePrototypes made = MakePrototypes(models, places, options.prototypes).value();
  std::vector<std::string> groups;
  for (const Prototype& prototype : made.prototypes) {
    groups.push_back(absl::StrCat("[", absl::StrJoin(prototype.members, ", "), "]"));
  }
  return absl::StrCat("{\"groups\": [", absl::StrJoin(groups, ", "),
                      "], \"places\": ", RowsText(made.places), "}");
}

std::string FactsText(const Suggestion& suggestion) {
  std::vector<std::string> texts;
  for (const Fact& fact : suggestion.provenance.facts) {
    if (const auto* const number = std::get_if<double>(&fact.value)) {
      texts.push_back(absl::StrCat("\"", fact.name, "\": ", Text(*number)));
    } else if (fact.name == "drawn_from") {
      const bool is_of_sources = std::get<std::string>(fact.value) == "sources";
      texts.push_back(absl::StrCat("\"drawn_from_sources\": ", is_of_sources ? "true" : "false"));
    }
  }
  return absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
}

// In the sources' order.
std::string SourceWeightsText(const FakeStudy& study, const Suggestion& suggestion) {
  Vector weights = Vector::Zero(static_cast<Index>(study.sources.size()));
  for (const SourceWeight& each : suggestion.provenance.sources) {
    for (size_t i = 0; i < study.sources.size(); ++i) {
      if (study.sources[i]->name == each.source) weights[static_cast<Index>(i)] = each.weight;
    }
  }
  return ListOf(weights);
}

std::string StepText(const FakeStudy& study, const FittedModel& fitted, const Suggestion& next) {
  const ObjectiveModel& model = fitted.model();
  std::vector<std::string> members;
  for (const Hyperparameters& member : model.hyperparameters()) members.push_back(TextOf(member));
  std::string text =
      absl::StrCat("{\"results\": ", study.ended.size(), ", \"suggested\": ", study.suggested,
                   ", \"members\": [", absl::StrJoin(members, ", "), "]");
  const PointMatrix at = EncodeAll(*study.space, absl::MakeConstSpan(&next.configuration, 1));
  absl::StrAppend(&text, ", \"point\": ", ListOf(Vector(at.row(0))),
                  ", \"source_weights\": ", SourceWeightsText(study, next),
                  ", \"facts\": ", FactsText(next), "}");
  return text;
}

int Run(const std::string& name, const RecipeChange& change) {
  const Preset* const preset = FindPreset(name);
  if (preset == nullptr || !preset->has_model) {
    std::cerr << name << " is no preset with a model\n";
    return 2;
  }
  const absl::StatusOr<Recipe> changed = preset->With(change);
  if (!changed.ok()) {
    std::cerr << changed.status() << "\n";
    return 2;
  }
  const Recipe& recipe = *changed;
  const std::unique_ptr<Strategy> strategy = *MakeStrategy(*preset, change);
  FakeStudy study(SquareSpace());
  if (recipe.prior->uses_sources()) study.sources = SourcesFor(recipe);
  const auto initial =
      static_cast<Index>(recipe.initial.options().Get("initial_points").value_or(3));
  std::vector<std::string> steps;
  std::string head;
  for (int i = 0; i < kMostSuggestions && steps.size() < kModelSuggestions; ++i) {
    const Suggestion next =
        strategy->Suggest(study.view(), 1, kSeed, Deadline::Infinite())->front();
    if (HasFact(next, "acquisition_value")) {
      const Index first = recipe.initial->from_model ? 0 : initial;
      const FittedModel fitted(recipe, study, first, kSeed);
      if (steps.empty()) {
        head = absl::StrCat("\"sources\": ", SourcesText(study, fitted.sources()));
        if (recipe.prior.name() == "cluster") {
          absl::StrAppend(&head, ",\n\"clusters\": ",
                          ClustersText(recipe, fitted.sources(),
                                       PointsOf(*study.space, kClusterPlaces)));
        } else if (recipe.prior.name() == "deviation") {
          absl::StrAppend(&head, ",\n\"places\": ",
                          RowsText(PointsOf(*study.space, kDeviationPlaces)));
        }
        absl::StrAppend(&head, ",\n\"initial\": ", first);
      }
      steps.push_back(StepText(study, fitted, next));
    }
    study.Lease({next});
    const std::vector<Value>& at = study.open.front().configuration.values;
    study.End(Ending::kMeasured, ValueAt(at[0].number(), at[1].number(), 0, 1));
  }
  Vector values(static_cast<Index>(study.ended.size()));
  std::vector<Configuration> configurations;
  for (size_t i = 0; i < study.ended.size(); ++i) {
    values[static_cast<Index>(i)] = *study.ended[i].value;
    configurations.push_back(study.ended[i].configuration);
  }
  std::cout << "{\"preset\": \"" << name << "\",\n"
            << head << ",\n\"x\": " << RowsText(EncodeAll(*study.space, configurations))
            << ",\n\"y\": " << ListOf(values) << ",\n\"steps\": [" << absl::StrJoin(steps, ",\n")
            << "]}\n";
  return 0;
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::RecipeChange change;
  for (int i = 2; i < argc; ++i) {
    const std::pair<std::string, std::string> option = absl::StrSplit(argv[i], '=');
    double value = 0;
    if (!absl::SimpleAtod(option.second, &value)) argc = 0;
    change.options[option.first] = value;
  }
  if (argc < 2) {
    std::cerr << "usage: evidence_paper_study PRESET [OPTION=VALUE ...]\n";
    return 2;
  }
  return slipstream::Run(argv[1], change);
}
