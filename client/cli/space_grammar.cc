#include "client/cli/space_grammar.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/escaped_text.h"
#include "client/cli/status_macros.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {

const char kParameterGrammar[] =
    R"(--param takes NAME=KIND[:DOMAIN[:SCALE]], such as 'lr=double:1e-5..1:log':
  NAME=double:LOW..HIGH[:SCALE]     real numbers
  NAME=integer:LOW..HIGH[:SCALE]    whole numbers
  NAME=discrete:N,N,...[:SCALE]     a list of ascending numbers
  NAME=categorical:VALUE,VALUE,...  a list of categories
  NAME=boolean                      true or false
SCALE is linear (the default), log or reverse_log. Two parts may follow:
  ;default=VALUE                    the value used where it is not set
  ;when=PARENT:VALUE|VALUE...       active only where PARENT has such a value
A backslash before one of = : ; , | \ makes it an ordinary character.
Example: --param 'kernel=categorical:rbf,poly;default=rbf'
         --param 'degree=integer:2..5;when=kernel:poly')";

namespace {

// A condition as text, which is resolved when all parameters are known.
struct Condition {
  int parameter = 0;
  std::string parent;
  std::vector<std::string> values;
};

absl::Status Complain(const std::string& complaint) {
  return absl::InvalidArgumentError(complaint);
}

absl::StatusOr<v1::Scale> ParseScale(const std::vector<std::string>& parts) {
  if (parts.size() < 3) return v1::SCALE_UNSPECIFIED;
  if (parts.size() > 3) {
    return Complain(absl::StrCat("unexpected ':", parts[3], "' after the scale"));
  }
  const std::string& word = parts[2];
  // Spelled out it would be other content than left out, and so another source task.
  if (word == "linear") return v1::SCALE_UNSPECIFIED;
  if (word == "log") return v1::LOG;
  if (word == "reverse_log" || word == "reverse-log") return v1::REVERSE_LOG;
  return Complain(absl::StrCat("scale '", word, "' is not linear, log or reverse_log"));
}

absl::StatusOr<std::pair<std::string, std::string>> ParseRange(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) {
    return Complain(absl::StrCat("range '", text, "' is not LOW..HIGH"));
  }
  return std::make_pair(text.substr(0, dots), text.substr(dots + 2));
}

template <typename Number>
absl::StatusOr<Number> ParseBound(const char* which, const std::string& text,
                                  absl::StatusOr<Number> (*parse)(absl::string_view)) {
  absl::StatusOr<Number> number = parse(text);
  if (number.ok()) return number;
  return Complain(absl::StrCat(which, " ", std::string(number.status().message())));
}

template <typename Number, typename Domain>
absl::Status ReadRange(const std::vector<std::string>& parts,
                       absl::StatusOr<Number> (*parse)(absl::string_view), Domain* domain) {
  ASSIGN_OR_RETURN(const auto range, ParseRange(parts[1]));
  ASSIGN_OR_RETURN(const Number low, ParseBound("lower bound", range.first, parse));
  ASSIGN_OR_RETURN(const Number high, ParseBound("upper bound", range.second, parse));
  ASSIGN_OR_RETURN(const v1::Scale scale, ParseScale(parts));
  domain->set_min(low);
  domain->set_max(high);
  domain->set_scale(scale);
  return absl::OkStatus();
}

absl::Status ReadDiscrete(const std::vector<std::string>& parts, v1::DiscreteDomain* domain) {
  for (const std::string& text : SplitEscaped(parts[1], ',')) {
    ASSIGN_OR_RETURN(const double value, ParseBound("value", text, ParseNumber));
    domain->add_values(value);
  }
  ASSIGN_OR_RETURN(const v1::Scale scale, ParseScale(parts));
  domain->set_scale(scale);
  return absl::OkStatus();
}

absl::Status ReadCategorical(const std::vector<std::string>& parts,
                             v1::CategoricalDomain* domain) {
  for (const std::string& text : SplitEscaped(parts[1], ',')) {
    domain->add_values(Unescape(text));
  }
  if (parts.size() == 2) return absl::OkStatus();
  return Complain(absl::StrCat(
      "unexpected ':", parts[2],
      "': categories have no scale (write a colon in a category as \\:)"));
}

absl::Status ReadDomain(const std::string& text, v1::Parameter* parameter) {
  const std::vector<std::string> parts = SplitEscaped(text, ':');
  const std::string& kind = parts[0];
  if (kind == "boolean") {
    parameter->mutable_boolean_domain();
    if (parts.size() == 1) return absl::OkStatus();
    return Complain(absl::StrCat("unexpected ':", parts[1], "': boolean has no domain"));
  }
  const bool known =
      kind == "double" || kind == "integer" || kind == "discrete" || kind == "categorical";
  if (!known) {
    return Complain(absl::StrCat("kind '", kind,
                                 "' is not double, integer, discrete, categorical or boolean"));
  }
  if (parts.size() == 1 || parts[1].empty()) {
    return Complain(absl::StrCat("the domain after '", kind, "' is missing, for example ",
                                 kind == "double" || kind == "integer" ? "':1..8'" : "':a,b'"));
  }
  if (kind == "double") return ReadRange(parts, ParseNumber, parameter->mutable_double_domain());
  if (kind == "integer") {
    return ReadRange(parts, ParseInteger, parameter->mutable_integer_domain());
  }
  if (kind == "discrete") return ReadDiscrete(parts, parameter->mutable_discrete_domain());
  return ReadCategorical(parts, parameter->mutable_categorical_domain());
}

absl::Status ReadDefault(const std::string& text, v1::Parameter* parameter) {
  auto value = ParseValue(*parameter, Unescape(text));
  if (!value.ok()) {
    return Complain(absl::StrCat("default ", std::string(value.status().message())));
  }
  *parameter->mutable_default_value() = *std::move(value);
  return absl::OkStatus();
}

absl::Status ReadCondition(const std::string& text, Condition* condition) {
  const std::vector<std::string> parts = SplitEscaped(text, ':');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return Complain(absl::StrCat("'when=", text, "' is not when=PARENT:VALUE|VALUE..."));
  }
  condition->parent = Unescape(parts[0]);
  for (const std::string& value : SplitEscaped(parts[1], '|')) {
    condition->values.push_back(Unescape(value));
  }
  return absl::OkStatus();
}

// One of the parts that follow a semicolon.
absl::Status ReadExtra(const std::string& text, v1::Parameter* parameter, Condition* condition) {
  const std::vector<std::string> parts = SplitEscaped(text, '=', 2);
  if (parts.size() == 2 && parts[0] == "default") {
    if (parameter->has_default_value()) return Complain("'default=' appears twice");
    return ReadDefault(parts[1], parameter);
  }
  if (parts.size() == 2 && parts[0] == "when") {
    if (!condition->values.empty()) return Complain("'when=' appears twice");
    return ReadCondition(parts[1], condition);
  }
  return Complain(absl::StrCat("';", text, "' is neither ;default=VALUE nor ;when=PARENT:VALUE"));
}

absl::Status ReadParameter(const std::string& text, v1::Parameter* parameter,
                           Condition* condition) {
  const std::vector<std::string> sides = SplitEscaped(text, '=', 2);
  if (sides.size() < 2 || sides[0].empty()) {
    return Complain("it does not begin with NAME=, for example 'lr=double:1e-5..1:log'");
  }
  parameter->set_name(Unescape(sides[0]));
  const std::vector<std::string> parts = SplitEscaped(sides[1], ';');
  RETURN_IF_ERROR(ReadDomain(parts[0], parameter));
  for (size_t i = 1; i < parts.size(); ++i) {
    RETURN_IF_ERROR(ReadExtra(parts[i], parameter, condition));
  }
  return absl::OkStatus();
}

// Needs all parameters, as the parent's domain determines the kind of the values.
absl::Status ResolveCondition(const Condition& condition, v1::SearchSpace* space) {
  const v1::Parameter* parent = nullptr;
  for (const v1::Parameter& parameter : space->parameters()) {
    if (parameter.name() == condition.parent) parent = &parameter;
  }
  if (parent == nullptr) {
    return Complain(
        absl::StrCat("'when=' names '", condition.parent, "', which is not a parameter"));
  }
  v1::Condition resolved;
  resolved.set_parent(condition.parent);
  for (const std::string& text : condition.values) {
    const auto value = ParseValue(*parent, text);
    if (!value.ok()) {
      return Complain(absl::StrCat("'when=", condition.parent, "': ",
                                   std::string(value.status().message())));
    }
    *resolved.add_values() = *value;
  }
  *space->mutable_parameters(condition.parameter)->mutable_condition() = std::move(resolved);
  return absl::OkStatus();
}

std::string Prefix(const std::string& text) { return absl::StrCat("--param '", text, "': "); }

std::string FormatScale(v1::Scale scale) {
  if (scale == v1::LOG) return ":log";
  return scale == v1::REVERSE_LOG ? ":reverse_log" : "";
}

void AppendNumber(std::string* out, double value) { out->append(FormatNumber(value)); }
void AppendWord(std::string* out, const std::string& word) { out->append(Escape(word)); }

std::string FormatDomain(const v1::Parameter& parameter) {
  if (parameter.has_double_domain()) {
    const v1::DoubleDomain& domain = parameter.double_domain();
    return absl::StrCat("double:", FormatNumber(domain.min()), "..", FormatNumber(domain.max()),
                        FormatScale(domain.scale()));
  }
  if (parameter.has_integer_domain()) {
    const v1::IntegerDomain& domain = parameter.integer_domain();
    return absl::StrCat("integer:", domain.min(), "..", domain.max(),
                        FormatScale(domain.scale()));
  }
  if (parameter.has_discrete_domain()) {
    const v1::DiscreteDomain& domain = parameter.discrete_domain();
    return absl::StrCat("discrete:", absl::StrJoin(domain.values(), ",", AppendNumber),
                        FormatScale(domain.scale()));
  }
  if (!parameter.has_categorical_domain()) return "boolean";
  return absl::StrCat("categorical:",
                      absl::StrJoin(parameter.categorical_domain().values(), ",", AppendWord));
}

}  // namespace

absl::StatusOr<v1::SearchSpace> ParseSpace(const std::vector<std::string>& texts) {
  v1::SearchSpace space;
  std::vector<Condition> conditions;
  for (size_t i = 0; i < texts.size(); ++i) {
    Condition condition;
    condition.parameter = static_cast<int>(i);
    RETURN_IF_ERROR(AsUsageError(Prefix(texts[i]),
                                 ReadParameter(texts[i], space.add_parameters(), &condition)));
    if (!condition.values.empty()) conditions.push_back(std::move(condition));
  }
  for (const Condition& condition : conditions) {
    RETURN_IF_ERROR(
        AsUsageError(Prefix(texts[condition.parameter]), ResolveCondition(condition, &space)));
  }
  return space;
}

std::string FormatParameter(const v1::Parameter& parameter) {
  std::string text = absl::StrCat(Escape(parameter.name()), "=", FormatDomain(parameter));
  if (parameter.has_default_value()) {
    absl::StrAppend(&text, ";default=", Escape(FormatValue(parameter.default_value())));
  }
  if (parameter.has_condition()) {
    absl::StrAppend(&text, ";when=", Escape(parameter.condition().parent()), ":",
                    absl::StrJoin(parameter.condition().values(), "|",
                                  [](std::string* out, const v1::ParameterValue& value) {
                                    out->append(Escape(FormatValue(value)));
                                  }));
  }
  return text;
}

}  // namespace slipstream::cli
