#include "client/cpp/differences.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/cpp/parameter_text.h"
#include "client/cpp/value_message.h"

namespace slipstream::client_internal {
namespace {

using client::Configuration;
using client::NewStudy;
using client::Parameter;
using client::Space;
using client::Value;

const Parameter* Find(const Space& space, const std::string& name) {
  for (const auto& [other, parameter] : space) {
    if (other == name) return &parameter;
  }
  return nullptr;
}

// The parameter with its values in the kinds of those that they are of, as 1 and 1.0 are the same
// default of a real parameter.
Parameter InKind(const Parameter& parameter, const Space& space) {
  Parameter same = parameter;
  if (parameter.default_value()) {
    same = same.Default(InKindOf(parameter, *parameter.default_value()));
  }
  const Parameter* const parent = Find(space, parameter.parent());
  if (parent == nullptr) return same;
  std::vector<Value> values;
  for (const Value& value : parameter.parent_values()) values.push_back(InKindOf(*parent, value));
  return same.When(parameter.parent(), std::move(values));
}

Configuration InKind(const Configuration& row, const Space& space) {
  Configuration same = row;
  for (auto& [name, value] : same) {
    if (const Parameter* const parameter = Find(space, name)) value = InKindOf(*parameter, value);
  }
  return same;
}

// For example "C=2, kernel=\"poly\"".
std::string RowText(const Configuration& row) {
  return absl::StrJoin(row, ", ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.first, "=", TextOf(entry.second));
  });
}

// Which ones those are is decided when the study is created.
bool AsksForAllSources(const NewStudy& asked) {
  return asked.sources.size() == 1 && absl::EndsWith(asked.sources.front(), "sourceTasks/-");
}

class Comparison {
 public:
  Comparison(const NewStudy& asked, const NewStudy& existing, ParameterText text)
      : asked_(asked), existing_(existing), text_(std::move(text)) {}

  std::vector<std::string> Run() {
    CompareSpaces();
    CompareCandidates();
    CompareText("objective", ObjectiveOf(asked_), ObjectiveOf(existing_));
    if (!asked_.sources.empty() && !AsksForAllSources(asked_)) CompareSources();
    CompareSettings();
    return std::move(found_);
  }

 private:
  void CompareSpaces() {
    for (const auto& [name, parameter] : asked_.space) {
      const Parameter* const there = Find(existing_.space, name);
      const std::string asked = text_(name, InKind(parameter, asked_.space));
      const std::string has =
          there == nullptr ? "none" : text_(name, InKind(*there, existing_.space));
      CompareText(absl::StrCat("parameter '", name, "'"), asked, has);
    }
    for (const auto& [name, parameter] : existing_.space) {
      if (Find(asked_.space, name) != nullptr) continue;
      found_.push_back(
          absl::StrCat("parameter '", name, "': not asked for, the study has ",
                       text_(name, parameter)));
    }
  }

  void CompareCandidates() {
    CompareText("candidates", absl::StrCat(asked_.candidates.size()),
                absl::StrCat(existing_.candidates.size()));
    if (asked_.candidates.size() != existing_.candidates.size()) return;
    for (size_t i = 0; i < asked_.candidates.size(); ++i) {
      const Configuration asked = InKind(asked_.candidates[i], asked_.space);
      const Configuration has = InKind(existing_.candidates[i], existing_.space);
      if (asked == has) continue;
      CompareText(absl::StrCat("candidate ", i), RowText(asked), RowText(has));
      return;
    }
    if (asked_.candidates.empty()) return;
    CompareText("allow_repeats", absl::StrCat(asked_.allow_repeats),
                absl::StrCat(existing_.allow_repeats));
  }

  void CompareSources() {
    const std::set<std::string> asked(asked_.sources.begin(), asked_.sources.end());
    const std::set<std::string> has(existing_.sources.begin(), existing_.sources.end());
    for (const std::string& name : asked) {
      if (has.count(name) > 0) continue;
      found_.push_back(
          absl::StrCat("source task ", name, ": asked for, the study does not use it"));
    }
    for (const std::string& name : has) {
      if (asked.count(name) > 0) continue;
      found_.push_back(absl::StrCat("source task ", name, ": not asked for, the study uses it"));
    }
  }

  void CompareSettings() {
    if (!asked_.preset.empty()) CompareText("preset", asked_.preset, existing_.preset);
    if (!asked_.recipe.empty() && asked_.recipe != existing_.recipe) {
      found_.push_back("recipe: the study has a different one");
    }
    if (asked_.seed) {
      CompareText("seed", absl::StrCat(*asked_.seed), absl::StrCat(existing_.seed.value_or(0)));
    }
    if (!asked_.stopping.empty()) {
      CompareText("stopping", asked_.stopping,
                  existing_.stopping.empty() ? "none" : existing_.stopping);
    }
    if (!asked_.stopping_options.empty() && asked_.stopping_options != existing_.stopping_options) {
      found_.push_back("stopping_options: the study has different ones");
    }
    if (asked_.lease) CompareText("lease", LeaseOf(asked_), LeaseOf(existing_));
    if (asked_.requeues) {
      CompareText("requeues", absl::StrCat(*asked_.requeues),
                  absl::StrCat(existing_.requeues.value_or(0)));
    }
  }

  // In milliseconds, of which the server keeps whole ones.
  static std::string LeaseOf(const NewStudy& study) {
    return absl::FormatDuration(
        absl::FromChrono(std::chrono::floor<std::chrono::milliseconds>(*study.lease)));
  }

  static std::string ObjectiveOf(const NewStudy& study) {
    return absl::StrCat(study.maximize.empty() ? "minimize " : "maximize ", study.maximize,
                        study.minimize, study.exact ? ", exact" : "");
  }

  void CompareText(const std::string& what, const std::string& asked, const std::string& has) {
    if (asked == has) return;
    found_.push_back(absl::StrCat(what, ": asked for ", asked, ", the study has ", has));
  }

  const NewStudy& asked_;
  const NewStudy& existing_;
  const ParameterText text_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> Differences(const NewStudy& asked, const NewStudy& existing,
                                     ParameterText text) {
  if (!text) text = [](const std::string&, const Parameter& one) { return TextOf(one); };
  return Comparison(asked, existing, std::move(text)).Run();
}

}  // namespace slipstream::client_internal
