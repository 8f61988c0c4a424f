#include "core/space/space_key.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// Each text is preceded by its length, so that no two sequences look the same.
class KeyWriter {
 public:
  std::string Take() { return std::move(key_); }

  void Text(const std::string& text) { absl::StrAppend(&key_, text.size(), ":", text); }
  void Number(double value) { absl::StrAppend(&key_, FormatNumber(value), ";"); }
  void Whole(int64_t value) { absl::StrAppend(&key_, value, ";"); }
  void Of(Scale scale) { Whole(static_cast<int64_t>(scale)); }

  void Of(const NamedValue& value) {
    Whole(static_cast<int64_t>(value.index()));
    std::visit([this](const auto& held) { Held(held); }, value);
  }

  void Of(const DoubleDomain& domain) {
    Number(domain.min);
    Number(domain.max);
    Of(domain.scale);
  }
  void Of(const IntegerDomain& domain) {
    Whole(domain.min);
    Whole(domain.max);
    Of(domain.scale);
  }
  void Of(const DiscreteDomain& domain) {
    Whole(static_cast<int64_t>(domain.values.size()));
    for (double value : domain.values) Number(value);
    Of(domain.scale);
  }
  void Of(const CategoricalDomain& domain) {
    Whole(static_cast<int64_t>(domain.values.size()));
    for (const std::string& value : domain.values) Text(value);
  }
  void Of(const BooleanDomain&) {}

  void Of(const Parameter& parameter) {
    Text(parameter.name);
    Whole(static_cast<int64_t>(parameter.domain.index()));
    std::visit([this](const auto& domain) { Of(domain); }, parameter.domain);
    Whole(parameter.default_value.has_value() ? 1 : 0);
    if (parameter.default_value.has_value()) Of(*parameter.default_value);
    Whole(parameter.condition.has_value() ? 1 : 0);
    if (!parameter.condition.has_value()) return;
    Text(parameter.condition->parent);
    Whole(static_cast<int64_t>(parameter.condition->values.size()));
    for (const NamedValue& value : parameter.condition->values) Of(value);
  }

 private:
  void Held(double value) { Number(value); }
  void Held(int64_t value) { Whole(value); }
  void Held(bool value) { Whole(value ? 1 : 0); }
  void Held(const std::string& value) { Text(value); }

  std::string key_;
};

}  // namespace

std::string SpaceKeyOf(const SearchSpace& space) {
  KeyWriter writer;
  for (const Parameter& parameter : space.parameters()) writer.Of(parameter);
  return writer.Take();
}

}  // namespace slipstream
