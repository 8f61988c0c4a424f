#include "client/cli/domain_check.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "client/cli/status_macros.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

// 2^53: a wider integer range is refused by the server.
constexpr uint64_t kWidestIntegerRange = uint64_t{1} << 53;

absl::Status CheckScale(v1::Scale scale, double lowest) {
  const bool logarithmic = scale == v1::LOG || scale == v1::REVERSE_LOG;
  if (!logarithmic || lowest > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a logarithmic scale needs values above 0, but the lowest is ", FormatNumber(lowest)));
}

absl::Status CheckDouble(const v1::DoubleDomain& domain) {
  if (!std::isfinite(domain.min()) || !std::isfinite(domain.max())) {
    return absl::InvalidArgumentError("the bounds must be finite numbers");
  }
  if (domain.min() >= domain.max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the lower bound ", FormatNumber(domain.min()),
                     " is not below the upper bound ", FormatNumber(domain.max())));
  }
  return CheckScale(domain.scale(), domain.min());
}

absl::Status CheckInteger(const v1::IntegerDomain& domain) {
  if (domain.min() > domain.max()) {
    return absl::InvalidArgumentError(absl::StrCat("the lower bound ", domain.min(),
                                                   " is above the upper bound ", domain.max()));
  }
  const uint64_t width = static_cast<uint64_t>(domain.max()) - static_cast<uint64_t>(domain.min());
  if (width > kWidestIntegerRange) {
    return absl::InvalidArgumentError("the bounds are more than 2^53 apart");
  }
  return CheckScale(domain.scale(), static_cast<double>(domain.min()));
}

absl::Status CheckDiscrete(const v1::DiscreteDomain& domain) {
  if (domain.values().empty()) return absl::InvalidArgumentError("it has no values");
  for (int i = 0; i < domain.values_size(); ++i) {
    if (!std::isfinite(domain.values(i))) {
      return absl::InvalidArgumentError("the values must be finite numbers");
    }
    if (i > 0 && domain.values(i) <= domain.values(i - 1)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the values must ascend, but ", FormatNumber(domain.values(i)), " comes after ",
          FormatNumber(domain.values(i - 1))));
    }
  }
  return CheckScale(domain.scale(), domain.values(0));
}

absl::Status CheckCategorical(const v1::CategoricalDomain& domain) {
  if (domain.values().empty()) return absl::InvalidArgumentError("it has no values");
  absl::flat_hash_set<std::string> seen;
  for (const std::string& value : domain.values()) {
    if (value.empty()) return absl::InvalidArgumentError("one of its values is empty");
    if (!seen.insert(value).second) {
      return absl::InvalidArgumentError(absl::StrCat("the value '", value, "' is there twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDomain(const v1::Parameter& parameter) {
  switch (parameter.domain_case()) {
    case v1::Parameter::kDoubleDomain:
      return CheckDouble(parameter.double_domain());
    case v1::Parameter::kIntegerDomain:
      return CheckInteger(parameter.integer_domain());
    case v1::Parameter::kDiscreteDomain:
      return CheckDiscrete(parameter.discrete_domain());
    case v1::Parameter::kCategoricalDomain:
      return CheckCategorical(parameter.categorical_domain());
    case v1::Parameter::kBooleanDomain:
      return absl::OkStatus();
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("it has no domain");
}

}  // namespace slipstream::cli
