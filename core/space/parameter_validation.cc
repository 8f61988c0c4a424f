#include "core/space/parameter_validation.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/space/search_space.h"

namespace slipstream {
namespace {

constexpr char kPositive[] = "above 0 on a logarithmic scale";

// Checks one domain; its messages name the parameter.
class DomainCheck {
 public:
  DomainCheck(size_t index, absl::string_view name) : index_(index), name_(name) {}

  absl::Status operator()(const DoubleDomain& domain) const {
    SLIPSTREAM_RETURN_IF_ERROR(Finite("min", domain.min));
    SLIPSTREAM_RETURN_IF_ERROR(Finite("max", domain.max));
    if (!(domain.min < domain.max)) {
      return Invalid("max", FormatNumber(domain.max),
                     absl::StrCat("above min ", FormatNumber(domain.min)));
    }
    return Positive("min", domain.scale, domain.min);
  }

  absl::Status operator()(const IntegerDomain& domain) const {
    if (domain.min > domain.max) {
      return Invalid("max", absl::StrCat(domain.max), absl::StrCat("at least min ", domain.min));
    }
    const uint64_t span = static_cast<uint64_t>(domain.max) - static_cast<uint64_t>(domain.min);
    if (span > static_cast<uint64_t>(SpaceLimits::kMaxIntegerSpan)) {
      return Invalid(
          "max", absl::StrCat(domain.max),
          absl::StrCat("at most 2^53 (", SpaceLimits::kMaxIntegerSpan, ") above min ", domain.min));
    }
    if (domain.scale != Scale::kLinear && domain.min <= 0) {
      return Invalid("min", absl::StrCat(domain.min), kPositive);
    }
    return absl::OkStatus();
  }

  absl::Status operator()(const DiscreteDomain& domain) const {
    SLIPSTREAM_RETURN_IF_ERROR(ChoiceCount(domain.values.size()));
    for (size_t i = 0; i < domain.values.size(); ++i) {
      SLIPSTREAM_RETURN_IF_ERROR(Finite(Choice(i), domain.values[i]));
      if (i > 0 && !(domain.values[i - 1] < domain.values[i])) {
        return Invalid(
            Choice(i), FormatNumber(domain.values[i]),
            absl::StrCat("above the value before it, ", FormatNumber(domain.values[i - 1])));
      }
    }
    return Positive(Choice(0), domain.scale, domain.values[0]);
  }

  absl::Status operator()(const CategoricalDomain& domain) const {
    SLIPSTREAM_RETURN_IF_ERROR(ChoiceCount(domain.values.size()));
    std::map<absl::string_view, size_t> seen;
    for (size_t i = 0; i < domain.values.size(); ++i) {
      const std::string& word = domain.values[i];
      if (word.empty() || word.size() > SpaceLimits::kMaxChoiceBytes) {
        return Invalid(
            Choice(i), Quoted(word),
            absl::StrCat("1 to ", SpaceLimits::kMaxChoiceBytes, " bytes, not ", word.size()));
      }
      if (!IsUtf8(word)) return Invalid(Choice(i), Quoted(word), "UTF-8");
      const auto [first, is_new] = seen.emplace(word, i);
      if (!is_new) {
        return Invalid(Choice(i), Quoted(word),
                       absl::StrCat("different from ", Choice(first->second)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status operator()(const BooleanDomain&) const { return absl::OkStatus(); }

 private:
  static std::string Choice(size_t index) { return absl::StrCat("values[", index, "]"); }

  absl::Status Invalid(absl::string_view field, absl::string_view value,
                       absl::string_view bound) const {
    return InvalidParameter(index_, name_, field, value, bound);
  }

  absl::Status Finite(absl::string_view field, double value) const {
    if (std::isfinite(value)) return absl::OkStatus();
    return Invalid(field, FormatNumber(value), "finite");
  }

  absl::Status Positive(absl::string_view field, Scale scale, double value) const {
    if (scale == Scale::kLinear || value > 0) return absl::OkStatus();
    return Invalid(field, FormatNumber(value), kPositive);
  }

  absl::Status ChoiceCount(size_t count) const {
    if (count >= 1 && count <= SpaceLimits::kMaxChoices) return absl::OkStatus();
    return Invalid("values", absl::StrCat(count, " values"),
                   absl::StrCat("1 to ", SpaceLimits::kMaxChoices, " values"));
  }

  size_t index_;
  absl::string_view name_;
};

absl::Status ValidateName(size_t index, absl::string_view name) {
  if (name.empty() || name.size() > SpaceLimits::kMaxNameBytes) {
    return InvalidParameter(
        index, name, "name", Quoted(name),
        absl::StrCat("1 to ", SpaceLimits::kMaxNameBytes, " bytes, not ", name.size()));
  }
  if (!IsUtf8(name)) return InvalidParameter(index, name, "name", Quoted(name), "UTF-8");
  if (HasControlCharacter(name)) {
    return InvalidParameter(index, name, "name", Quoted(name), "without control characters");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InvalidParameter(size_t index, absl::string_view name, absl::string_view field,
                              absl::string_view value, absl::string_view bound) {
  return InvalidField(absl::StrCat("parameters[", index, "].", field), value,
                      absl::StrCat(bound, " for parameter ",
                                   Quoted(PrintableText(name, SpaceLimits::kMaxNameBytes))));
}

absl::Status ValidateParameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty() || parameters.size() > SpaceLimits::kMaxParameters) {
    return InvalidField("parameters", absl::StrCat(parameters.size(), " parameters"),
                        absl::StrCat("1 to ", SpaceLimits::kMaxParameters, " parameters"));
  }
  std::map<absl::string_view, size_t> seen;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    SLIPSTREAM_RETURN_IF_ERROR(ValidateName(i, name));
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new) {
      return InvalidParameter(i, name, "name", Quoted(name),
                              absl::StrCat("different from parameters[", first->second, "].name"));
    }
    SLIPSTREAM_RETURN_IF_ERROR(std::visit(DomainCheck(i, name), parameters[i].domain));
  }
  return absl::OkStatus();
}

}  // namespace slipstream
