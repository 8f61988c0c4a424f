#include "server/convert/space_conversion.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

absl::StatusOr<NamedValue> ValueFromProto(absl::string_view field,
                                          const v1::ParameterValue& proto) {
  switch (proto.kind_case()) {
    case v1::ParameterValue::kDoubleValue:
      return NamedValue(proto.double_value());
    case v1::ParameterValue::kIntegerValue:
      return NamedValue(static_cast<int64_t>(proto.integer_value()));
    case v1::ParameterValue::kCategoryValue:
      return NamedValue(proto.category_value());
    case v1::ParameterValue::kBooleanValue:
      return NamedValue(proto.boolean_value());
    case v1::ParameterValue::KIND_NOT_SET:
      break;
  }
  return InvalidField(field, "empty", "a value of one kind");
}

void ValueToProto(const NamedValue& value, v1::ParameterValue* proto) {
  if (const double* number = std::get_if<double>(&value)) proto->set_double_value(*number);
  if (const int64_t* integer = std::get_if<int64_t>(&value)) proto->set_integer_value(*integer);
  if (const std::string* word = std::get_if<std::string>(&value)) proto->set_category_value(*word);
  if (const bool* truth = std::get_if<bool>(&value)) proto->set_boolean_value(*truth);
}

absl::StatusOr<Scale> ScaleFromProto(absl::string_view field, v1::Scale scale) {
  switch (scale) {
    case v1::SCALE_UNSPECIFIED:
    case v1::LINEAR:
      return Scale::kLinear;
    case v1::LOG:
      return Scale::kLog;
    case v1::REVERSE_LOG:
      return Scale::kReverseLog;
    default:
      return InvalidField(field, absl::StrCat(static_cast<int>(scale)),
                          "LINEAR, LOG or REVERSE_LOG");
  }
}

absl::StatusOr<Domain> DoubleFromProto(const std::string& path, const v1::DoubleDomain& proto) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const Scale scale, ScaleFromProto(absl::StrCat(path, ".double_domain.scale"), proto.scale()));
  return Domain(DoubleDomain{proto.min(), proto.max(), scale});
}

absl::StatusOr<Domain> IntegerFromProto(const std::string& path, const v1::IntegerDomain& proto) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const Scale scale,
      ScaleFromProto(absl::StrCat(path, ".integer_domain.scale"), proto.scale()));
  return Domain(IntegerDomain{proto.min(), proto.max(), scale});
}

absl::StatusOr<Domain> DiscreteFromProto(const std::string& path,
                                         const v1::DiscreteDomain& proto) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const Scale scale,
      ScaleFromProto(absl::StrCat(path, ".discrete_domain.scale"), proto.scale()));
  return Domain(DiscreteDomain{{proto.values().begin(), proto.values().end()}, scale});
}

absl::StatusOr<Domain> DomainFromProto(const std::string& path, const v1::Parameter& proto) {
  switch (proto.domain_case()) {
    case v1::Parameter::kDoubleDomain:
      return DoubleFromProto(path, proto.double_domain());
    case v1::Parameter::kIntegerDomain:
      return IntegerFromProto(path, proto.integer_domain());
    case v1::Parameter::kDiscreteDomain:
      return DiscreteFromProto(path, proto.discrete_domain());
    case v1::Parameter::kCategoricalDomain: {
      const auto& values = proto.categorical_domain().values();
      return Domain(CategoricalDomain{{values.begin(), values.end()}});
    }
    case v1::Parameter::kBooleanDomain:
      return Domain(BooleanDomain{});
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  return InvalidField(absl::StrCat(path, ".domain"), "empty",
                      absl::StrCat("a domain for parameter '", proto.name(), "'"));
}

absl::StatusOr<Condition> ConditionFromProto(const std::string& path, const v1::Condition& proto) {
  Condition condition{proto.parent(), {}};
  for (int i = 0; i < proto.values_size(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        NamedValue value,
        ValueFromProto(absl::StrCat(path, ".condition.values[", i, "]"), proto.values(i)));
    condition.values.push_back(std::move(value));
  }
  return condition;
}

absl::StatusOr<Parameter> ParameterFromProto(const std::string& path, const v1::Parameter& proto) {
  Parameter parameter;
  parameter.name = proto.name();
  SLIPSTREAM_ASSIGN_OR_RETURN(parameter.domain, DomainFromProto(path, proto));
  if (proto.has_default_value()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        parameter.default_value,
        ValueFromProto(absl::StrCat(path, ".default_value"), proto.default_value()));
  }
  if (proto.has_condition()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(parameter.condition, ConditionFromProto(path, proto.condition()));
  }
  return parameter;
}

absl::StatusOr<std::vector<Assignment>> AssignmentsFromProto(const v1::Configuration& proto) {
  std::vector<Assignment> assignments;
  assignments.reserve(proto.values().size());
  for (const auto& [name, value] : proto.values()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(NamedValue named,
                                ValueFromProto(absl::StrCat("values[", name, "]"), value));
    assignments.push_back({name, std::move(named)});
  }
  return assignments;
}

absl::StatusOr<SearchSpace::CandidateTable> CandidatesFromProto(const v1::CandidateList& proto) {
  SearchSpace::CandidateTable table;
  table.allow_repeats = proto.allow_repeats();
  table.rows.reserve(proto.configurations_size());
  for (int i = 0; i < proto.configurations_size(); ++i) {
    absl::StatusOr<std::vector<Assignment>> row = AssignmentsFromProto(proto.configurations(i));
    if (!row.ok()) {
      return WithFieldPrefix(row.status(), absl::StrCat("candidates.configurations[", i, "]."));
    }
    table.rows.push_back(*std::move(row));
  }
  return table;
}

// Inserts the domain's name into the path of a violation: the core says
// "parameters[2].min" where the message has "parameters[2].double_domain.min".
absl::Status WithDomainInPath(const absl::Status& status, const v1::SearchSpace& proto) {
  const std::optional<FieldViolation> violation = ViolationOf(status);
  if (!violation) return status;
  absl::string_view rest = violation->field;
  const size_t close = rest.find(']');
  int index = 0;
  if (!absl::ConsumePrefix(&rest, "parameters[") || close == absl::string_view::npos ||
      !absl::SimpleAtoi(rest.substr(0, rest.find(']')), &index) ||
      index >= proto.parameters_size()) {
    return status;
  }
  const std::string member = violation->field.substr(close + 1);
  const bool of_domain = member == ".min" || member == ".max" || member == ".scale" ||
                         absl::StartsWith(member, ".values");
  const google::protobuf::FieldDescriptor* domain =
      proto.parameters(index).GetReflection()->GetOneofFieldDescriptor(
          proto.parameters(index), v1::Parameter::descriptor()->FindOneofByName("domain"));
  if (!of_domain || domain == nullptr) return status;
  return InvalidField(
      absl::StrCat(violation->field.substr(0, close + 1), ".", domain->name(), member),
      violation->value, violation->bound);
}

}  // namespace

absl::StatusOr<SearchSpace> SpaceFromProto(const v1::SearchSpace& proto) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < proto.parameters_size(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        Parameter parameter,
        ParameterFromProto(absl::StrCat("parameters[", i, "]"), proto.parameters(i)));
    parameters.push_back(std::move(parameter));
  }
  std::optional<SearchSpace::CandidateTable> candidates;
  if (proto.has_candidates()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(candidates, CandidatesFromProto(proto.candidates()));
  }
  absl::StatusOr<SearchSpace> space =
      SearchSpace::Create(std::move(parameters), std::move(candidates));
  if (!space.ok()) return WithDomainInPath(space.status(), proto);
  return space;
}

absl::StatusOr<Configuration> ConfigurationFromProto(const SearchSpace& space,
                                                     const v1::Configuration& proto) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Assignment> assignments,
                              AssignmentsFromProto(proto));
  return space.Resolve(assignments);
}

void ConfigurationToProto(const SearchSpace& space, const Configuration& configuration,
                          v1::Configuration* proto) {
  for (const Assignment& assignment : space.Name(configuration)) {
    ValueToProto(assignment.value, &(*proto->mutable_values())[assignment.name]);
  }
}

}  // namespace slipstream
