// Numbers that people can set on an ingredient of a recipe, by name.
//
// An ingredient keeps its options in a struct of its own and says in a table, beside that struct,
// how each of them is called and bounded:
//
//   constexpr Option<EnvelopeOptions> kOptions[] = {
//       OptionAt<&EnvelopeOptions::shape>(
//           {"envelope_shape", "", 0.1, 100, false, "tau_0 of the belief in the noise"}),
//   };
//   OptionSet options(EnvelopeOptions(), kOptions);
//   options.Set("envelope_shape", 7);
//   MakeEnvelope(options.As<EnvelopeOptions>());
//
// Option sets are values: copies are independent. Not thread-safe while one is changed.
#ifndef SLIPSTREAM_CORE_BASE_OPTION_SET_H_
#define SLIPSTREAM_CORE_BASE_OPTION_SET_H_

#include <cassert>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace slipstream {

// The description of an option. Ingredients may share an option if its whole description is the
// same; its value then stays when one such ingredient replaces another.
struct OptionInfo {
  absl::string_view name;  // snake_case.
  absl::string_view unit;  // Empty: a plain number.
  double least = 0;
  double most = 0;
  bool whole = false;         // Only whole numbers.
  absl::string_view summary;  // One line for people.

  friend bool operator==(const OptionInfo&, const OptionInfo&) = default;
};

template <typename Options>
struct Option {
  OptionInfo info;
  std::optional<double> (*get)(const Options& options);  // Empty: not given.
  void (*set)(Options& options, double value);
};

namespace option_internal {

template <typename Pointer>
struct MemberPointer;
template <typename Class, typename Field>
struct MemberPointer<Field Class::*> {
  using Owner = Class;
};

template <typename Field>
struct FieldNumber {
  static std::optional<double> Get(const Field& field) { return static_cast<double>(field); }
  static void Set(Field& field, double value) {
    if constexpr (std::is_same_v<Field, bool>) {
      field = value > 0;
    } else if constexpr (std::is_enum_v<Field>) {
      field = static_cast<Field>(static_cast<int>(value));
    } else {
      field = static_cast<Field>(value);
    }
  }
};

template <typename Field>
struct FieldNumber<std::optional<Field>> {
  static std::optional<double> Get(const std::optional<Field>& field) {
    return field.has_value() ? FieldNumber<Field>::Get(*field) : std::nullopt;
  }
  static void Set(std::optional<Field>& field, double value) {
    FieldNumber<Field>::Set(field.emplace(), value);
  }
};

template <typename Options, auto first, auto... rest>
struct Place {
  static auto& In(Options& options) { return ((options.*first).*....*rest); }
  using Number = FieldNumber<std::remove_reference_t<decltype(In(std::declval<Options&>()))>>;

  static std::optional<double> Get(const Options& options) {
    return Number::Get(In(const_cast<Options&>(options)));
  }
  static void Set(Options& options, double value) { Number::Set(In(options), value); }
};

}  // namespace option_internal

// The option in the field that the pointers to members lead to, one inside the other: a number, a
// bool, an enumerator counted from 0, or a std::optional of one.
template <auto first, auto... rest>
constexpr auto OptionAt(OptionInfo info) {
  using Options = typename option_internal::MemberPointer<decltype(first)>::Owner;
  using Place = option_internal::Place<Options, first, rest...>;
  return Option<Options>{info, Place::Get, Place::Set};
}

class OptionSet {
 public:
  // Without options.
  OptionSet() = default;

  // `table` must outlive all copies of the set. Options have operator==.
  template <typename Options, size_t size>
  OptionSet(Options values, const Option<Options> (&table)[size])
      : values_(std::make_shared<Values<Options>>(std::move(values), absl::MakeConstSpan(table))) {}

  std::vector<OptionInfo> Infos() const;
  bool Has(absl::string_view name) const;
  // Empty if it is not given; the option exists.
  std::optional<double> Get(absl::string_view name) const;
  // The value is within the option's bounds. Nothing happens if there is no such option.
  void Set(absl::string_view name, double value);
  // Takes over the values of all options that `other` has as well.
  void TakeFrom(const OptionSet& other);

  // The struct itself, of the type that the set was made of.
  template <typename Options>
  const Options& As() const {
    assert(dynamic_cast<const Values<Options>*>(values_.get()) != nullptr);
    return static_cast<const Values<Options>&>(*values_).values;
  }

  friend bool operator==(const OptionSet& a, const OptionSet& b);

 private:
  class AnyValues {
   public:
    virtual ~AnyValues() = default;
    virtual std::shared_ptr<AnyValues> Copy() const = 0;
    virtual size_t size() const = 0;
    virtual const OptionInfo& info(size_t place) const = 0;
    virtual std::optional<double> Get(size_t place) const = 0;
    virtual void Set(size_t place, double value) = 0;
    virtual bool Equals(const AnyValues& other) const = 0;
  };

  template <typename Options>
  class Values final : public AnyValues {
   public:
    Values(Options options, absl::Span<const Option<Options>> option_table)
        : values(std::move(options)), table(option_table) {}

    std::shared_ptr<AnyValues> Copy() const override { return std::make_shared<Values>(*this); }
    size_t size() const override { return table.size(); }
    const OptionInfo& info(size_t place) const override { return table[place].info; }
    std::optional<double> Get(size_t place) const override { return table[place].get(values); }
    void Set(size_t place, double value) override { table[place].set(values, value); }
    bool Equals(const AnyValues& other) const override {
      const auto* const same = dynamic_cast<const Values*>(&other);
      return same != nullptr && same->values == values;
    }

    Options values;
    absl::Span<const Option<Options>> table;
  };

  // The option's index, or the number of options if there is none of that name.
  size_t PlaceOf(absl::string_view name) const;

  // Null: no options. Never changed, as copies share it: setting a value replaces it.
  std::shared_ptr<const AnyValues> values_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_OPTION_SET_H_
