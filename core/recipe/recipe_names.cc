#include "core/recipe/recipe_names.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/base/near_names.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr absl::string_view kPrior = "prior";
constexpr absl::string_view kCalibration = "calibration";
constexpr absl::string_view kAcquisition = "acquisition";
constexpr absl::string_view kExploration = "exploration";
constexpr absl::string_view kInitial = "initial";
constexpr absl::string_view kModel = "model";

// A calibration that is named by its wrapper alone wraps this one.
constexpr absl::string_view kWrappedUnlessTold = "map";

struct AxisField {
  RecipeAxis axis;
  absl::string_view name;
  std::string RecipeChange::*value;
};
constexpr AxisField kAxisFields[] = {
    {RecipeAxis::kPrior, kPrior, &RecipeChange::prior},
    {RecipeAxis::kCalibration, kCalibration, &RecipeChange::calibration},
    {RecipeAxis::kAcquisition, kAcquisition, &RecipeChange::acquisition},
    {RecipeAxis::kExploration, kExploration, &RecipeChange::exploration},
};

const AxisField& FieldOf(RecipeAxis axis) {
  return *std::find_if(std::begin(kAxisFields), std::end(kAxisFields),
                       [axis](const AxisField& field) { return field.axis == axis; });
}

std::string OptionField(absl::string_view name) { return absl::StrCat("options[", name, "]"); }

// The names of the rows for which `is_meant` holds.
template <typename Row, typename IsMeant>
std::string NamesIn(absl::Span<const Row* const> rows, absl::string_view separator,
                    const IsMeant& is_meant) {
  std::vector<absl::string_view> names;
  for (const Row* row : rows) {
    if (is_meant(*row)) names.push_back(row->about.name);
  }
  return absl::StrJoin(names, separator);
}

// Replaces the choice by the row of that name, if any name is given.
template <typename Row>
absl::Status Choose(absl::string_view field, const std::string& name,
                    absl::Span<const Row* const> rows, Choice<Row>& choice) {
  if (name.empty()) return absl::OkStatus();
  const Row* const row = FindRow(rows, name);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const Row* each : rows) names.emplace_back(each->about.name);
    return InvalidField(field, name, absl::StrCat("one of ", NearNames(name, std::move(names))));
  }
  choice = Choice<Row>(*row, choice.options());
  return absl::OkStatus();
}

// Takes "wrapper(...)", or "wrapper" alone, off `name`; false if it is not there.
bool Unwrap(absl::string_view wrapper, absl::string_view& name) {
  if (name == wrapper) {
    name = kWrappedUnlessTold;
    return true;
  }
  absl::string_view rest = name;
  if (!absl::ConsumePrefix(&rest, wrapper) || !absl::ConsumePrefix(&rest, "(") ||
      !absl::ConsumeSuffix(&rest, ")")) {
    return false;
  }
  name = rest;
  return true;
}

bool IsBase(const CalibrationRow& row) { return row.make != nullptr; }
bool IsWrapper(const CalibrationRow& row) { return row.wrap != nullptr; }
bool IsRule(const CalibrationRow& row) { return row.rule != nullptr; }

using CalibrationTable = absl::Span<const CalibrationRow* const>;

// The row among those that `is_meant` holds for whose name wraps `rest`, with the options of the
// one that it replaces; nothing if there is none.
std::optional<Choice<CalibrationRow>> UnwrapAny(
    CalibrationTable rows, bool (*is_meant)(const CalibrationRow&),
    const std::optional<Choice<CalibrationRow>>& replaced, absl::string_view& rest) {
  for (const CalibrationRow* row : rows) {
    if (!is_meant(*row) || !Unwrap(row->about.name, rest)) continue;
    return Choice<CalibrationRow>(*row, replaced.has_value() ? replaced->options() : OptionSet());
  }
  return std::nullopt;
}

absl::Status ChooseCalibration(const std::string& name, CalibrationTable rows,
                               CalibrationChoice& choice) {
  if (name.empty()) return absl::OkStatus();
  absl::string_view rest = name;
  choice.rule = UnwrapAny(rows, IsRule, choice.rule, rest);
  choice.wrapper = UnwrapAny(rows, IsWrapper, choice.wrapper, rest);
  const CalibrationRow* const base = FindRow(rows, rest);
  if (base != nullptr && IsBase(*base)) {
    choice.base = Choice<CalibrationRow>(*base, choice.base.options());
    return absl::OkStatus();
  }
  return InvalidField(
      kCalibration, name,
      absl::StrCat(NamesIn(rows, ", ", IsBase), ", ", NamesIn(rows, " or ", IsWrapper),
                   "(one of these but fixed), or ", NamesIn(rows, " or ", IsRule),
                   "(any of these), such as expanding(map)"));
}

std::string CalibrationName(const CalibrationChoice& choice) {
  std::string name(choice.base.name());
  for (const auto* wrapper : {&choice.wrapper, &choice.rule}) {
    if (wrapper->has_value()) name = absl::StrCat((*wrapper)->name(), "(", name, ")");
  }
  return name;
}

// Calls `visit` with each axis' field name and each choice on it.
template <typename AnyRecipe, typename Visit>
void ForEachChoice(AnyRecipe& recipe, const Visit& visit) {
  visit(kPrior, recipe.prior);
  visit(kCalibration, recipe.calibration.base);
  if (recipe.calibration.wrapper.has_value()) visit(kCalibration, *recipe.calibration.wrapper);
  if (recipe.calibration.rule.has_value()) visit(kCalibration, *recipe.calibration.rule);
  visit(kAcquisition, recipe.acquisition);
  visit(kExploration, recipe.exploration);
  visit(kInitial, recipe.initial);
  visit(kModel, recipe.model);
}

absl::Status CheckValue(const OptionInfo& info, absl::string_view field, double value) {
  const bool fits =
      value >= info.least && value <= info.most && (!info.whole || value == std::floor(value));
  if (fits) return absl::OkStatus();
  return InvalidField(field, FormatNumber(value),
                      absl::StrCat(info.whole ? "a whole number from " : "from ",
                                   FormatNumber(info.least), " to ", FormatNumber(info.most)));
}

std::vector<RecipeOption>::const_iterator FindOption(const std::vector<RecipeOption>& options,
                                                     absl::string_view name) {
  return std::find_if(options.begin(), options.end(),
                      [name](const RecipeOption& each) { return each.info.name == name; });
}

absl::Status SetOption(const std::string& name, double value,
                       const std::vector<RecipeOption>& options, Recipe& recipe) {
  const std::string field = OptionField(name);
  const auto option = FindOption(options, name);
  if (option == options.end()) {
    std::vector<std::string> names;
    for (const RecipeOption& each : options) names.emplace_back(each.info.name);
    return InvalidField(field, FormatNumber(value),
                        absl::StrCat("an option of ", NearNames(name, std::move(names))));
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckValue(option->info, field, value));
  ForEachChoice(recipe,
                [&](absl::string_view, auto& choice) { choice.options().Set(name, value); });
  return absl::OkStatus();
}

bool IsActive(const Conflict& conflict, const OptionSet& options) {
  if (conflict.option.empty()) return true;
  return (options.Get(conflict.option).value_or(0) != 0) != conflict.unless_given;
}

// The ingredient of the recipe that `conflict` is about; empty if there is none.
std::string FindConflicting(const Recipe& recipe, const Conflict& conflict) {
  std::string found;
  ForEachChoice(recipe, [&](absl::string_view field, const auto& choice) {
    const bool is_other = (choice.name() == conflict.other) != conflict.all_but;
    if (field == FieldOf(conflict.axis).name && is_other) found = std::string(choice.name());
  });
  return found;
}

// Refuses the recipe if it has the other ingredient of `conflict`, which is declared by the
// ingredient `name` with these options.
absl::Status CheckConflict(const Recipe& recipe, absl::string_view name, const OptionSet& options,
                           const Conflict& conflict) {
  const std::string found = FindConflicting(recipe, conflict);
  if (found.empty()) return absl::OkStatus();
  const AxisField& axis = FieldOf(conflict.axis);
  if (conflict.blames_option) {
    return InvalidField(OptionField(conflict.option),
                        FormatNumber(options.Get(conflict.option).value_or(0)),
                        absl::StrCat("0: it cannot be combined with the ", axis.name, " ", found,
                                     ", ", conflict.reason));
  }
  const std::string unless = conflict.unless_given
                                 ? absl::StrCat(" unless the option ", conflict.option, " is given")
                                 : "";
  return InvalidField(
      axis.name, NamesOf(recipe).*axis.value,
      absl::StrCat(conflict.all_but ? "" : "without ", conflict.other, ": ", name,
                   " cannot be combined with ", found, ", ", conflict.reason, unless));
}

// Refuses two ingredients that do not go together.
absl::Status CheckRecipe(const Recipe& recipe) {
  absl::Status status;
  ForEachChoice(recipe, [&](absl::string_view, const auto& choice) {
    for (const Conflict& conflict : choice->about.conflicts) {
      if (!IsActive(conflict, choice.options())) continue;
      status.Update(CheckConflict(recipe, choice.name(), choice.options(), conflict));
    }
  });
  return status;
}

template <typename Row>
void AddIngredients(absl::string_view axis, absl::Span<const Row* const> rows,
                    std::vector<RecipeIngredient>& ingredients) {
  for (const Row* row : rows) ingredients.push_back({std::string(axis), &row->about});
}

}  // namespace

absl::StatusOr<Recipe> ChangedRecipe(const Recipe& base, const RecipeChange& change,
                                     const RecipeTables& tables) {
  Recipe recipe = base;
  SLIPSTREAM_RETURN_IF_ERROR(Choose(kPrior, change.prior, tables.priors, recipe.prior));
  SLIPSTREAM_RETURN_IF_ERROR(
      ChooseCalibration(change.calibration, tables.calibrations, recipe.calibration));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose(kAcquisition, change.acquisition, tables.acquisitions, recipe.acquisition));
  SLIPSTREAM_RETURN_IF_ERROR(Choose(kInitial, change.initial, tables.initials, recipe.initial));
  SLIPSTREAM_RETURN_IF_ERROR(
      Choose(kExploration, change.exploration, tables.explorations, recipe.exploration));
  if (!change.options.empty()) {
    const std::vector<RecipeOption> options = RecipeOptions(tables);
    for (const auto& [name, value] : change.options) {
      SLIPSTREAM_RETURN_IF_ERROR(SetOption(name, value, options, recipe));
    }
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckRecipe(recipe));
  return recipe;
}

absl::Status CheckOptionsHaveEffect(const Recipe& changed, const RecipeChange& change) {
  if (change.options.empty()) return absl::OkStatus();
  const std::vector<RecipeOption> options = RecipeOptions();
  for (const auto& [name, value] : change.options) {
    bool has_effect = false;
    ForEachChoice(changed, [&, &option = name](absl::string_view, const auto& choice) {
      has_effect |= choice.options().Has(option);
    });
    if (has_effect) continue;
    return InvalidField(OptionField(name), FormatNumber(value),
                        absl::StrCat("left out of a recipe without ",
                                     absl::StrJoin(FindOption(options, name)->ingredients, ", ")));
  }
  return absl::OkStatus();
}

RecipeChange NamesOf(const Recipe& recipe) {
  RecipeChange names;
  names.prior = std::string(recipe.prior.name());
  names.calibration = CalibrationName(recipe.calibration);
  names.acquisition = std::string(recipe.acquisition.name());
  names.initial = std::string(recipe.initial.name());
  names.exploration = std::string(recipe.exploration.name());
  return names;
}

RecipeChange DescriptionOf(const Recipe& recipe) {
  RecipeChange description = NamesOf(recipe);
  ForEachChoice(recipe, [&](absl::string_view, const auto& choice) {
    for (const OptionInfo& info : choice.options().Infos()) {
      const std::optional<double> value = choice.options().Get(info.name);
      if (value.has_value()) description.options.emplace(info.name, *value);
    }
  });
  return description;
}

std::vector<RecipeIngredient> RecipeIngredients(const RecipeTables& tables) {
  std::vector<RecipeIngredient> ingredients;
  AddIngredients(kPrior, tables.priors, ingredients);
  AddIngredients(kCalibration, tables.calibrations, ingredients);
  AddIngredients(kAcquisition, tables.acquisitions, ingredients);
  AddIngredients(kExploration, tables.explorations, ingredients);
  AddIngredients(kInitial, tables.initials, ingredients);
  ingredients.push_back({std::string(kModel), &kStudyModel.about});
  return ingredients;
}

std::vector<RecipeOption> RecipeOptions(const RecipeTables& tables) {
  std::vector<RecipeOption> options;
  for (const RecipeIngredient& ingredient : RecipeIngredients(tables)) {
    if (ingredient.about->options == nullptr) continue;
    const OptionSet defaults = ingredient.about->options();
    for (const OptionInfo& info : defaults.Infos()) {
      auto option = std::find_if(options.begin(), options.end(),
                                 [&](const auto& each) { return each.info.name == info.name; });
      if (option == options.end()) {
        option = options.insert(option, {info, defaults.Get(info.name), {}});
      }
      option->ingredients.push_back(absl::StrCat(ingredient.axis, " ", ingredient.about->name));
    }
  }
  return options;
}

std::string DescribeConflict(const Conflict& conflict) {
  std::string when;
  if (!conflict.option.empty()) {
    when = conflict.unless_given ? absl::StrCat("unless ", conflict.option, " is given, ")
                                 : absl::StrCat("if ", conflict.option, " is not 0, ");
  }
  return absl::StrCat(when, "cannot be combined with ", FieldOf(conflict.axis).name, "s",
                      conflict.all_but ? " other than " : " named ", conflict.other, ", ",
                      conflict.reason);
}

}  // namespace slipstream
