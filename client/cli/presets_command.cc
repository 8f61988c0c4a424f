#include "client/cli/presets_command.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/json_text.h"
#include "client/cli/near_name.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_view.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;
using Response = v1::ListPresetsResponse;

struct PresetsArguments {
  std::string name;
  bool ingredients = false;
};

// The first three axes of a recipe, and the others unless they have their usual value.
std::string ShortText(const v1::Recipe& recipe) {
  std::vector<std::string> parts;
  for (const Field& field : IngredientsOf(recipe)) {
    const bool is_usual = field.value == "quasi_random" || field.value == "none";
    const bool may_be_left_out = field.name == "initial" || field.name == "exploration";
    if (!field.value.empty() && !(is_usual && may_be_left_out)) parts.push_back(field.value);
  }
  return absl::StrJoin(parts, " ");
}

Table PresetsTable(const Response& response) {
  Table table;
  table.columns = {{"preset"}, {"default"}, {"recipe"}, {"summary", Align::kLeft, kSentences}};
  for (const Response::Preset& preset : response.presets()) {
    table.rows.push_back({preset.name(), preset.is_default() ? "yes" : "",
                          ShortText(preset.recipe()), preset.summary()});
  }
  return table;
}

std::string RangeText(const Response::Option& option) {
  return absl::StrCat(FormatNumber(option.min()), " to ", FormatNumber(option.max()),
                      option.whole() ? ", whole" : "");
}

std::string DefaultText(const Response::Option& option) {
  return option.has_default_value() ? FormatNumber(option.default_value()) : "not given";
}

// The options of the ingredient, in their order.
std::vector<Response::Option> OptionsOf(const Response::Ingredient& ingredient,
                                        const Response& response) {
  const std::string owner = absl::StrCat(ingredient.axis(), " ", ingredient.name());
  std::vector<Response::Option> options;
  for (const Response::Option& option : response.options()) {
    const auto& owners = option.ingredients();
    if (std::find(owners.begin(), owners.end(), owner) != owners.end()) options.push_back(option);
  }
  return options;
}

Table IngredientsTable(const Response& response) {
  Table table;
  table.columns = {{"axis"},
                   {"name"},
                   {"summary", Align::kLeft, kSentences},
                   {"source", Align::kLeft, kSentences},
                   {"options", Align::kLeft, kSentences},
                   {"conflicts", Align::kLeft, kSentences}};
  for (const Response::Ingredient& each : response.ingredients()) {
    table.rows.push_back({each.axis(), each.name(), each.summary(), each.source(),
                          absl::StrJoin(each.options(), " "),
                          absl::StrJoin(each.conflicts(), "; ")});
  }
  return table;
}

// The options of an ingredient.
Table OptionsTable(const Response::Ingredient& ingredient, const Response& response) {
  Table table;
  table.columns = {{"option"},
                   {"default", Align::kRight},
                   {"range"},
                   {"unit", Align::kLeft, kSentences},
                   {"summary", Align::kLeft, kSentences}};
  for (const Response::Option& option : OptionsOf(ingredient, response)) {
    table.rows.push_back({option.name(), DefaultText(option), RangeText(option), option.unit(),
                          option.summary()});
  }
  return table;
}

// The options that a recipe has, with their values in it.
Table OptionsTable(const v1::Recipe& recipe, const Response& response) {
  std::vector<std::string> ingredients = {"model model"};
  for (const Field& field : IngredientsOf(recipe)) {
    ingredients.push_back(absl::StrCat(field.name, " ", field.value));
  }
  const auto has = [&](const Response::Option& option) {
    for (const std::string& owner : option.ingredients()) {
      const std::string name = owner.substr(owner.find(' ') + 1);
      for (const std::string& ingredient : ingredients) {
        // A calibration names what it wraps: "expanding(map)".
        const bool is_wrapper = absl::StartsWith(owner, "calibration ") &&
                                absl::StrContains(ingredient, absl::StrCat(name, "("));
        if (owner == ingredient || is_wrapper) return true;
      }
    }
    return false;
  };
  Table table;
  table.columns = {{"option"},
                   {"value", Align::kRight},
                   {"default", Align::kRight},
                   {"range"},
                   {"unit", Align::kLeft, kSentences},
                   {"summary", Align::kLeft, kSentences}};
  for (const Response::Option& option : response.options()) {
    if (!has(option)) continue;
    const auto value = recipe.options().find(option.name());
    table.rows.push_back(
        {option.name(), value == recipe.options().end() ? "not given" : FormatNumber(value->second),
         DefaultText(option), RangeText(option), option.unit(), option.summary()});
  }
  return table;
}

// An ingredient's name with its summary and source.
std::string DescriptionOf(const Field& field, const Response& response) {
  for (const Response::Ingredient& each : response.ingredients()) {
    if (each.axis() != field.name || each.name() != field.value) continue;
    const std::string source = each.source().empty() ? "" : absl::StrCat(" (", each.source(), ")");
    return absl::StrCat(field.value, ": ", each.summary(), source);
  }
  return field.value;
}

void PrintPreset(const Response::Preset& preset, const Response& response, Session& session) {
  std::vector<Field> fields = {{"preset", preset.name()}, {"summary", preset.summary()}};
  if (preset.is_default()) fields.push_back({"default", "yes"});
  if (!preset.has_recipe()) fields.push_back({"recipe", "none: it needs no model"});
  if (preset.has_recipe()) {
    for (const Field& field : IngredientsOf(preset.recipe())) {
      fields.push_back({field.name, DescriptionOf(field, response)});
    }
  }
  session.Print(fields);
}

// The ingredients of that name, which several axes may have.
std::vector<Response::Ingredient> FindIngredients(const std::string& name,
                                                  const Response& response) {
  std::vector<Response::Ingredient> found;
  for (const Response::Ingredient& each : response.ingredients()) {
    if (each.name() == name) found.push_back(each);
  }
  return found;
}

void PrintIngredient(const Response::Ingredient& ingredient, const Response& response,
                     Session& session) {
  session.Print(WithoutEmpty({{ingredient.axis(), ingredient.name()},
                              {"summary", ingredient.summary()},
                              {"source", ingredient.source()},
                              {"conflicts", absl::StrJoin(ingredient.conflicts(), "; ")}}));
  if (ingredient.options().empty()) return;
  session.Print(std::string("\n"));
  session.Print(OptionsTable(ingredient, response));
}

// The ingredient with its options in full, in place of their names.
Json IngredientJson(const Response::Ingredient& ingredient, const Response& response) {
  Json json = JsonOf(ingredient);
  json["options"] = Json::array();
  for (const Response::Option& option : OptionsOf(ingredient, response)) {
    json["options"].push_back(JsonOf(option));
  }
  return json;
}

void PrintIngredients(const std::vector<Response::Ingredient>& ingredients,
                      const Response& response, Session& session) {
  Json array = Json::array();
  for (const Response::Ingredient& each : ingredients) {
    const bool is_first = &each == &ingredients.front();
    if (session.format() == Format::kJson) {
      array.push_back(IngredientJson(each, response));
    } else if (session.format() == Format::kCsv) {
      session.Print(OptionsTable(each, response), /*is_further=*/!is_first);
    } else {
      if (!is_first) session.Print(std::string("\n"));
      PrintIngredient(each, response, session);
    }
  }
  if (session.format() == Format::kJson) session.Print(JsonDocument(array));
}

// What is said of a name that no preset and no ingredient has.
absl::Status NoPreset(const std::string& name, const Response& response) {
  std::vector<std::string> presets;
  for (const Response::Preset& preset : response.presets()) presets.push_back(preset.name());
  std::vector<std::string> names = presets;
  for (const Response::Ingredient& each : response.ingredients()) {
    if (each.name() != "none") names.push_back(each.name());  // Nobody would ask for it.
  }
  return UsageError(absl::StrCat("there is no preset \"", name, "\"; there are ",
                                 absl::StrJoin(presets, ", "), DidYouMean(name, names)));
}

absl::Status ShowPreset(const std::string& name, const Response& response, Session& session) {
  for (const Response::Preset& preset : response.presets()) {
    if (preset.name() != name) continue;
    if (session.format() == Format::kJson) {
      session.Print(JsonText(preset));
      return absl::OkStatus();
    }
    Table options = OptionsTable(preset.recipe(), response);
    if (!preset.has_recipe()) options.rows.clear();
    if (session.format() == Format::kTable) PrintPreset(preset, response, session);
    if (session.format() == Format::kTable && preset.has_recipe()) session.Print(std::string("\n"));
    if (session.format() == Format::kCsv || preset.has_recipe()) session.Print(options);
    return absl::OkStatus();
  }
  const std::vector<Response::Ingredient> ingredients = FindIngredients(name, response);
  if (ingredients.empty()) return NoPreset(name, response);
  PrintIngredients(ingredients, response, session);
  return absl::OkStatus();
}

absl::Status ShowPresets(const PresetsArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const Response response, session.client().ListPresets());
  if (!arguments.name.empty()) return ShowPreset(arguments.name, response, session);
  if (session.format() == Format::kJson) {
    session.Print(arguments.ingredients ? JsonArrayOf(response.ingredients())
                                        : JsonArrayOf(response.presets()));
  } else {
    session.Print(arguments.ingredients ? IngredientsTable(response) : PresetsTable(response));
  }
  return absl::OkStatus();
}

}  // namespace

void AddPresetsCommand(CLI::App* app, Action* chosen) {
  const auto arguments = std::make_shared<PresetsArguments>();
  CLI::App* const command =
      app->add_subcommand("presets", "Lists the algorithms that a study can choose");
  CLI::Option* const name =
      command->add_option("name", arguments->name,
                          "Show this preset with all of its values, or this ingredient or rule of "
                          "early stopping with its options");
  command
      ->add_flag("--ingredients", arguments->ingredients,
                 "List the ingredients of recipes, and the rules of early stopping")
      ->excludes(name);
  command->callback([arguments, chosen] {
    *chosen = [arguments](Session& session) { return ShowPresets(*arguments, session); };
  });
}

}  // namespace slipstream::cli
