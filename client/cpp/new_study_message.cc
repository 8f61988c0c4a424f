#include "client/cpp/new_study_message.h"

#include "absl/strings/str_cat.h"
#include "client/cpp/overloaded.h"
#include "client/cpp/study_name.h"
#include "client/cpp/value_message.h"

namespace slipstream::client_internal {
namespace {

using client::NewStudy;
using client::Parameter;
using client::Value;

v1::Scale ScaleOf(Parameter::Scale scale) {
  switch (scale) {
    case Parameter::Scale::kLog:
      return v1::LOG;
    case Parameter::Scale::kReverseLog:
      return v1::REVERSE_LOG;
    case Parameter::Scale::kLinear:
      break;
  }
  // LINEAR would be other content, and so another source task than those of the other clients.
  return v1::SCALE_UNSPECIFIED;
}

template <typename Range, typename Domain>
void FillRange(const Range& range, Parameter::Scale scale, Domain* domain) {
  domain->set_min(range.min);
  domain->set_max(range.max);
  domain->set_scale(ScaleOf(scale));
}

void FillDomain(const Parameter& parameter, v1::Parameter* message) {
  const Parameter::Scale scale = parameter.scale();
  std::visit(Overloaded{[&](const Parameter::RealRange& range) {
                          FillRange(range, scale, message->mutable_double_domain());
                        },
                        [&](const Parameter::IntegerRange& range) {
                          FillRange(range, scale, message->mutable_integer_domain());
                        },
                        [&](const Parameter::Numbers& numbers) {
                          v1::DiscreteDomain& domain = *message->mutable_discrete_domain();
                          domain.mutable_values()->Add(numbers.begin(), numbers.end());
                          domain.set_scale(ScaleOf(scale));
                        },
                        [&](const Parameter::Words& words) {
                          v1::CategoricalDomain& domain = *message->mutable_categorical_domain();
                          domain.mutable_values()->Add(words.begin(), words.end());
                        },
                        [&](const Parameter::Boolean&) { message->mutable_boolean_domain(); }},
             parameter.domain());
}

void AddParameter(const std::string& name, const Parameter& parameter, v1::SearchSpace* space) {
  v1::Parameter& message = *space->add_parameters();
  message.set_name(name);
  FillDomain(parameter, &message);
  if (parameter.default_value()) {
    *message.mutable_default_value() = MessageOf(*parameter.default_value());
  }
  if (parameter.parent().empty()) return;
  message.mutable_condition()->set_parent(parameter.parent());
  for (const Value& value : parameter.parent_values()) {
    *message.mutable_condition()->add_values() = MessageOf(value);
  }
}

void AddMetric(const std::string& name, v1::Metric::Goal goal, bool exact, v1::Study* study) {
  if (name.empty()) return;
  v1::Metric& metric = *study->add_metrics();
  metric.set_name(name);
  metric.set_goal(goal);
  if (exact) metric.set_noise(v1::Metric::EXACT);
}

void SetDuration(std::chrono::nanoseconds time, google::protobuf::Duration* duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  duration->set_seconds(seconds.count());
  duration->set_nanos(static_cast<int32_t>((time - seconds).count()));
}

// Null unless the name is an ingredient's.
std::string* IngredientOf(const std::string& name, v1::Recipe* recipe) {
  if (name == "prior") return recipe->mutable_prior();
  if (name == "calibration") return recipe->mutable_calibration();
  if (name == "acquisition") return recipe->mutable_acquisition();
  if (name == "initial") return recipe->mutable_initial();
  return name == "exploration" ? recipe->mutable_exploration() : nullptr;
}

void FillRecipe(const NewStudy& study, v1::Recipe* recipe) {
  for (const auto& [name, choice] : study.recipe) {
    if (const auto* number = std::get_if<double>(&choice)) {
      (*recipe->mutable_options())[name] = *number;
    } else {
      *IngredientOf(name, recipe) = std::get<std::string>(choice);
    }
  }
}

void FillCandidates(const NewStudy& study, v1::SearchSpace* space) {
  if (study.candidates.empty()) return;
  space->mutable_candidates()->set_allow_repeats(study.allow_repeats);
  for (const client::Configuration& candidate : study.candidates) {
    *space->mutable_candidates()->add_configurations() = MessageOf(candidate);
  }
}

}  // namespace

absl::Status CheckRecipe(const NewStudy& study) {
  v1::Recipe recipe;
  for (const auto& [name, choice] : study.recipe) {
    if (std::holds_alternative<double>(choice) || IngredientOf(name, &recipe) != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "recipe: '", name, "' is '", std::get<std::string>(choice),
        "', but an option must be a number, and the ingredients are prior, calibration, "
        "acquisition, initial, exploration"));
  }
  return absl::OkStatus();
}

absl::StatusOr<NewStudy> InItsProject(NewStudy study, const std::string& otherwise) {
  const bool has_id = !study.id.empty();
  const absl::StatusOr<StudyName> name =
      ReadStudyName(has_id ? study.id : "new", study.project, otherwise);
  if (!name.ok()) return name.status();
  study.project = name->project;
  if (has_id) study.id = name->id;
  for (std::string& source : study.sources) {
    if (source == "sourceTasks/-") source = ProjectPrefix(study.project) + source;
  }
  return study;
}

void FillLease(std::optional<std::chrono::nanoseconds> lease, std::optional<int> requeues,
               v1::LeasePolicy* policy) {
  if (lease) SetDuration(*lease, policy->mutable_duration());
  if (requeues) policy->set_max_requeues(*requeues);
}

v1::Study MessageOf(const NewStudy& study) {
  v1::Study message;
  for (const auto& [name, parameter] : study.space) {
    AddParameter(name, parameter, message.mutable_space());
  }
  FillCandidates(study, message.mutable_space());
  AddMetric(study.maximize, v1::Metric::MAXIMIZE, study.exact, &message);
  AddMetric(study.minimize, v1::Metric::MINIMIZE, study.exact, &message);
  message.mutable_source_tasks()->Add(study.sources.begin(), study.sources.end());
  if (!study.preset.empty()) message.mutable_algorithm()->set_preset(study.preset);
  if (!study.recipe.empty()) FillRecipe(study, message.mutable_algorithm()->mutable_recipe());
  if (study.seed) message.set_seed(*study.seed);
  if (!study.stopping.empty()) message.mutable_early_stopping()->set_rule(study.stopping);
  if (!study.stopping_options.empty()) {
    message.mutable_early_stopping()->mutable_options()->insert(study.stopping_options.begin(),
                                                                study.stopping_options.end());
  }
  if (study.lease || study.requeues) {
    FillLease(study.lease, study.requeues, message.mutable_lease_policy());
  }
  message.set_display_name(study.title);
  message.mutable_labels()->insert(study.labels.begin(), study.labels.end());
  return message;
}

}  // namespace slipstream::client_internal
