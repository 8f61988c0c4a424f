#include "client/cli/source_warnings.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/source_titles.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

// Whether the source measured the same as the study, with the opposite goal.
bool IsOpposite(const v1::SourceTask& source, const v1::Study& study) {
  if (source.metrics().empty() || study.metrics().empty()) return false;
  return source.metrics(0).name() == study.metrics(0).name() &&
         source.metrics(0).goal() != study.metrics(0).goal();
}

// The parameters that `one` has and `other` lacks, in quotation marks.
std::vector<std::string> ParametersLacking(const v1::SearchSpace& one,
                                           const v1::SearchSpace& other) {
  std::vector<std::string> lacking;
  for (const v1::Parameter& parameter : one.parameters()) {
    const bool is_there = std::any_of(
        other.parameters().begin(), other.parameters().end(),
        [&parameter](const v1::Parameter& same) { return same.name() == parameter.name(); });
    if (!is_there) lacking.push_back(absl::StrCat("'", parameter.name(), "'"));
  }
  return lacking;
}

// What to say of a source in which parameters of the study may have other names, or nothing.
std::string OtherNames(const v1::Study& study, const v1::SourceTask& source) {
  const std::vector<std::string> lacking = ParametersLacking(study.space(), source.space());
  const std::vector<std::string> unused = ParametersLacking(source.space(), study.space());
  if (lacking.empty() || unused.empty()) return "";
  return absl::StrCat(" has no ", absl::StrJoin(lacking, ", "), ", and its ",
                      absl::StrJoin(unused, ", "), unused.size() == 1 ? " is" : " are",
                      " not used. If that is the same under another name, register it again with "
                      "the study's name");
}

// Whether a source's value is certain to have no place in the parameter's domain. Those between the
// values of a domain with steps have the place of the nearest one.
bool IsOutside(const v1::ParameterValue& value, const v1::Parameter& parameter) {
  if (parameter.has_categorical_domain() && value.has_category_value()) {
    const auto& words = parameter.categorical_domain().values();
    return std::find(words.begin(), words.end(), value.category_value()) == words.end();
  }
  const bool is_number = value.has_double_value() || value.has_integer_value();
  if (!is_number) return false;
  const double number = value.has_double_value() ? value.double_value()
                                                 : static_cast<double>(value.integer_value());
  const auto is_beyond = [number](auto low, auto high) {
    return number < static_cast<double>(low) || number > static_cast<double>(high);
  };
  if (parameter.has_double_domain()) {
    return is_beyond(parameter.double_domain().min(), parameter.double_domain().max());
  }
  if (parameter.has_integer_domain()) {
    return is_beyond(parameter.integer_domain().min(), parameter.integer_domain().max());
  }
  if (!parameter.has_discrete_domain()) return false;
  const auto& values = parameter.discrete_domain().values();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return low != values.end() && is_beyond(*low, *high);
}

// The parameter by which a source's best result is outside the study's space; null if it is not.
const v1::Parameter* BestIsOutsideOf(const v1::Study& study, const v1::SourceTask& source) {
  const auto& best = source.best().configuration().values();
  for (const v1::Parameter& parameter : study.space().parameters()) {
    const auto value = best.find(parameter.name());
    // One with a condition may not be active there.
    if (value == best.end() || parameter.has_condition()) continue;
    if (IsOutside(value->second, parameter)) return &parameter;
  }
  return nullptr;
}

}  // namespace

void WarnOfOppositeSources(const v1::Study& study, const std::vector<v1::SourceTask>& sources,
                           Session& session) {
  std::vector<v1::SourceTask> opposite;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(opposite),
               [&study](const v1::SourceTask& source) { return IsOpposite(source, study); });
  if (opposite.empty()) return;
  const v1::SourceTask& first = opposite.front();
  const size_t others = opposite.size() - 1;
  const std::string more =
      others == 0 ? "" : absl::StrCat(" and ", others, others == 1 ? " other" : " others");
  const v1::Metric& own = study.metrics(0);
  const bool maximizes = own.goal() == v1::Metric::MAXIMIZE;
  session.Warn(absl::StrCat(
      SourceText(first.name(), TitlesOf({first})), more, others == 0 ? " is" : " are", " to ",
      maximizes ? "minimize " : "maximize ", own.name(), ", and the study to ",
      maximizes ? "maximize" : "minimize",
      " it: what was best there is expected to be best here. If that is a slip, delete the study "
      "and create it with --",
      maximizes ? "minimize" : "maximize"));
}

void WarnOfSourcesThatFitInPart(const v1::Study& study,
                                const std::vector<v1::SourceTask>& sources, Session& session) {
  std::set<std::string> told;  // What holds for several sources is told of the first.
  for (const v1::SourceTask& source : sources) {
    const std::string title = SourceText(source.name(), TitlesOf({source}));
    const std::string names = OtherNames(study, source);
    if (!names.empty() && told.insert(names).second) session.Warn(title + names);
    const v1::Parameter* const outside = BestIsOutsideOf(study, source);
    if (outside == nullptr || !told.insert(outside->name()).second) continue;
    const v1::ParameterValue& value = source.best().configuration().values().at(outside->name());
    session.Warn(absl::StrCat(title, " has its best result at ", outside->name(), "=",
                              FormatValue(value), ", which is not ", DescribeDomain(*outside),
                              ": results outside the study's space are left out"));
  }
}

}  // namespace slipstream::cli
