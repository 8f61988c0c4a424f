// Ingredients of recipes: what every member of every axis says of itself, and a choice of one.
//
// Each axis has a type of row, which holds an Ingredient and how the member is made, and one table
// of rows. All that people see of an axis (names, options, what is refused and why) comes from the
// rows; nothing else knows the members.
#ifndef SLIPSTREAM_CORE_BASE_INGREDIENT_H_
#define SLIPSTREAM_CORE_BASE_INGREDIENT_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/option_set.h"

namespace slipstream {

enum class RecipeAxis { kPrior, kCalibration, kAcquisition, kExploration };

// A declaration that an ingredient does not go together with another one.
struct Conflict {
  RecipeAxis axis = RecipeAxis::kPrior;  // The other ingredient's axis.
  absl::string_view other;               // The other ingredient's name.
  bool all_but = false;  // If true, every ingredient of that axis except `other` conflicts.
  // If set, the conflict holds only while this option of the ingredient's own is not 0 ...
  absl::string_view option = {};
  bool unless_given = false;  // ... or, if true, only while it is not given.
  // If true, refusals name the option as what to change, else the other ingredient.
  bool blames_option = false;
  absl::string_view reason;  // Goes on after "X does not go together with Y, ".
};

struct Ingredient {
  absl::string_view name;            // Stored in studies: stays when the behaviour changes.
  absl::string_view summary;         // One line for people.
  absl::string_view source = {};     // The paper and equation; empty where there is none.
  OptionSet (*options)() = nullptr;  // At their defaults; null: no options.
  absl::Span<const Conflict> conflicts = {};
};

// One row of an axis and the values of its options. `Row` has an Ingredient named `about`; rows
// outlive choices.
template <typename Row>
class Choice {
 public:
  explicit Choice(const Row& row)
      : row_(&row), options_(row.about.options == nullptr ? OptionSet() : row.about.options()) {}

  // The same, with the values of options that it shares with `other`.
  Choice(const Row& row, const OptionSet& other) : Choice(row) { options_.TakeFrom(other); }

  const Row& row() const { return *row_; }
  const Row* operator->() const { return row_; }
  absl::string_view name() const { return row_->about.name; }
  const OptionSet& options() const { return options_; }
  OptionSet& options() { return options_; }

  friend bool operator==(const Choice&, const Choice&) = default;

 private:
  const Row* row_;
  OptionSet options_;
};

// Null if no row has the name.
template <typename Row>
const Row* FindRow(absl::Span<const Row* const> rows, absl::string_view name) {
  for (const Row* row : rows) {
    if (row->about.name == name) return row;
  }
  return nullptr;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_INGREDIENT_H_
