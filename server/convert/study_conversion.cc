#include "server/convert/study_conversion.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/near_names.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/recipe/recipe.h"
#include "core/recipe/recipe_names.h"
#include "core/stopping/stopping_rule.h"
#include "server/convert/content_hash.h"
#include "server/convert/resource_name.h"
#include "server/convert/space_conversion.h"
#include "server/convert/study_limits.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr int64_t kMsPerSecond = 1000;

static_assert(static_cast<int>(StudyState::kActive) == v1::Study::ACTIVE);
static_assert(static_cast<int>(StudyState::kPaused) == v1::Study::PAUSED);
static_assert(static_cast<int>(StudyState::kCompleted) == v1::Study::COMPLETED);

absl::StatusOr<std::vector<std::string>> SourceIdsFromProto(const v1::Study& study) {
  if (study.source_tasks_size() > kMaxSources) {
    return InvalidField("source_tasks", absl::StrCat(study.source_tasks_size(), " source tasks"),
                        absl::StrCat("at most ", kMaxSources));
  }
  std::vector<std::string> ids;
  std::set<std::string> seen;
  for (int i = 0; i < study.source_tasks_size(); ++i) {
    const std::string field = absl::StrCat("source_tasks[", i, "]");
    SLIPSTREAM_ASSIGN_OR_RETURN(std::string id, ParseSourceTaskName(field, study.source_tasks(i)));
    if (!seen.insert(id).second) {
      return InvalidField(field, study.source_tasks(i), "named once");
    }
    ids.push_back(std::move(id));
  }
  return ids;
}

absl::Status Unreadable(const StudyRecord& record) {
  return absl::DataLossError(
      absl::StrCat(NameOfStudy(record.id), " cannot be read from the store"));
}

RecipeChange RecipeChangeFromProto(const v1::Recipe& recipe) {
  RecipeChange change{recipe.prior(), recipe.calibration(), recipe.acquisition(), recipe.initial(),
                      recipe.exploration()};
  change.options.insert(recipe.options().begin(), recipe.options().end());
  return change;
}

// The definition without its space.
absl::StatusOr<StudyDefinition> PlainDefinition(const v1::Study& study) {
  StudyDefinition definition;
  SLIPSTREAM_ASSIGN_OR_RETURN(MetricAndGoal metric, MetricFromProto(study.metrics()));
  definition.metric = std::move(metric.metric);
  definition.goal = metric.goal;
  definition.noiseless = metric.noiseless;
  definition.preset = study.algorithm().preset();
  definition.recipe = RecipeChangeFromProto(study.algorithm().recipe());
  definition.seed = study.seed();
  if (!study.early_stopping().rule().empty()) definition.stopping = study.early_stopping().rule();
  definition.stopping_options.insert(study.early_stopping().options().begin(),
                                     study.early_stopping().options().end());
  SLIPSTREAM_ASSIGN_OR_RETURN(definition.source_ids, SourceIdsFromProto(study));
  return definition;
}

absl::Status CheckAlgorithm(const v1::Algorithm& algorithm) {
  const Preset* preset = FindPreset(algorithm.preset());
  if (preset == nullptr) {
    return InvalidField("algorithm.preset", algorithm.preset(),
                        absl::StrCat("one of ", NearNames(algorithm.preset(), PresetNames())));
  }
  if (algorithm.recipe().options_size() > kMaxRecipeOptions) {
    return InvalidField("algorithm.recipe.options",
                        absl::StrCat(algorithm.recipe().options_size(), " options"),
                        absl::StrCat("at most ", kMaxRecipeOptions));
  }
  return WithFieldPrefix(preset->With(RecipeChangeFromProto(algorithm.recipe())).status(),
                         "algorithm.recipe.");
}

absl::Status CheckStopping(const v1::EarlyStopping& stopping) {
  if (stopping.options_size() > kMaxRecipeOptions) {
    return InvalidField("early_stopping.options", absl::StrCat(stopping.options_size(), " options"),
                        absl::StrCat("at most ", kMaxRecipeOptions));
  }
  const std::map<std::string, double> options(stopping.options().begin(), stopping.options().end());
  return WithFieldPrefix(
      MakeStoppingRule(stopping.rule().empty() ? "none" : stopping.rule(), options).status(),
      "early_stopping.");
}

v1::LeasePolicy LeasePolicyToProto(const LeasePolicy& policy) {
  v1::LeasePolicy proto;
  *proto.mutable_duration() = DurationOf(policy.duration_ms);
  proto.set_max_requeues(static_cast<int32_t>(policy.max_requeues));
  return proto;
}

absl::Status CheckMetricIsNoParameter(const v1::Study& study) {
  for (const v1::Parameter& parameter : study.space().parameters()) {
    for (const v1::Metric& metric : study.metrics()) {
      if (parameter.name() != metric.name()) continue;
      return InvalidField("metrics[0].name", metric.name(), "a name that no parameter has");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRecipeOptions(const v1::Algorithm& algorithm) {
  const Preset* const preset = FindPreset(algorithm.preset());
  if (preset == nullptr) return absl::OkStatus();
  const RecipeChange change = RecipeChangeFromProto(algorithm.recipe());
  SLIPSTREAM_ASSIGN_OR_RETURN(const Recipe recipe, preset->With(change));
  return WithFieldPrefix(CheckOptionsHaveEffect(recipe, change), "algorithm.recipe.");
}

}  // namespace

absl::StatusOr<MetricAndGoal> MetricFromProto(
    const google::protobuf::RepeatedPtrField<v1::Metric>& metrics) {
  if (metrics.size() != 1) {
    return InvalidField("metrics", absl::StrCat(metrics.size(), " metrics"), "exactly one metric");
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckName("metrics[0].name", metrics[0].name()));
  if (!v1::Metric::Noise_IsValid(metrics[0].noise())) {
    return InvalidField("metrics[0].noise", absl::StrCat(static_cast<int>(metrics[0].noise())),
                        "NOISE_UNSPECIFIED or EXACT");
  }
  const bool noiseless = metrics[0].noise() == v1::Metric::EXACT;
  switch (metrics[0].goal()) {
    case v1::Metric::MAXIMIZE:
      return MetricAndGoal{metrics[0].name(), Goal::kMaximize, noiseless};
    case v1::Metric::MINIMIZE:
      return MetricAndGoal{metrics[0].name(), Goal::kMinimize, noiseless};
    default:
      return InvalidField("metrics[0].goal", absl::StrCat(static_cast<int>(metrics[0].goal())),
                          "MAXIMIZE or MINIMIZE");
  }
}

absl::StatusOr<LeasePolicy> LeasePolicyFromProto(const v1::LeasePolicy& policy) {
  LeasePolicy result = kDefaultLease;
  if (policy.has_duration()) {
    const google::protobuf::Duration& duration = policy.duration();
    const bool whole = duration.nanos() >= 0 && duration.nanos() < 1'000'000'000;
    const bool off = duration.seconds() == 0 && duration.nanos() == 0;
    if (!off && (!whole || duration.seconds() < 1 || duration.seconds() > kMostLeaseSeconds)) {
      return InvalidField(
          "duration", SecondsText(duration.seconds(), duration.nanos()),
          absl::StrCat("1 s to ", kMostLeaseSeconds, " s, or 0 for leases that ", "never end"));
    }
    result.duration_ms = duration.seconds() * kMsPerSecond + duration.nanos() / 1'000'000;
  }
  if (policy.has_max_requeues()) {
    if (policy.max_requeues() < 0 || policy.max_requeues() > kMostRequeues) {
      return InvalidField("max_requeues", absl::StrCat(policy.max_requeues()),
                          absl::StrCat("0 to ", kMostRequeues));
    }
    result.max_requeues = policy.max_requeues();
  }
  return result;
}

absl::Status CheckNewStudy(const v1::Study& study) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckMetricIsNoParameter(study));
  return CheckRecipeOptions(study.algorithm());
}

absl::StatusOr<StudyDefinition> StudyDefinitionFromProto(const v1::Study& study) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("display_name", study.display_name(), kMaxTitleBytes));
  SLIPSTREAM_RETURN_IF_ERROR(CheckLabels("labels", study.labels()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckAlgorithm(study.algorithm()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckStopping(study.early_stopping()));
  if (study.state() != v1::Study::STATE_UNSPECIFIED && study.state() != v1::Study::ACTIVE) {
    return InvalidField("state", absl::StrCat(static_cast<int>(study.state())),
                        "ACTIVE or unset in a new study");
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyDefinition definition, PlainDefinition(study));
  absl::StatusOr<LeasePolicy> lease = LeasePolicyFromProto(study.lease_policy());
  if (!lease.ok()) return WithFieldPrefix(lease.status(), "lease_policy.");
  definition.lease = *lease;
  absl::StatusOr<SearchSpace> space = SpaceFromProto(study.space());
  if (!space.ok()) return WithFieldPrefix(space.status(), "space.");
  definition.space = std::make_shared<const SearchSpace>(*std::move(space));
  return definition;
}

NewStudy NewStudyOf(const v1::Study& study, const StudyDefinition& definition,
                    absl::string_view study_id) {
  v1::Study stored;
  *stored.mutable_space()->mutable_parameters() = study.space().parameters();
  *stored.mutable_metrics() = study.metrics();
  *stored.mutable_algorithm() = study.algorithm();
  stored.set_seed(study.seed());
  if (study.has_early_stopping()) *stored.mutable_early_stopping() = study.early_stopping();
  *stored.mutable_source_tasks() = study.source_tasks();
  NewStudy result;
  if (study.space().has_candidates()) {
    // The definition says that there is a list; the list itself is stored apart.
    stored.mutable_space()->mutable_candidates()->set_allow_repeats(
        study.space().candidates().allow_repeats());
    result.candidates = DeterministicBytes(study.space().candidates());
  }
  result.id = std::string(study_id);
  result.definition = DeterministicBytes(stored);
  result.display_name = study.display_name();
  result.labels = LabelBytes(study);
  result.source_ids = definition.source_ids;
  result.lease = definition.lease;
  return result;
}

absl::StatusOr<StudyDefinition> StoredStudyDefinition(const StudyRecord& record,
                                                      const std::string& candidates) {
  v1::Study study;
  if (!study.ParseFromString(record.definition)) return Unreadable(record);
  if (study.space().has_candidates() &&
      !study.mutable_space()->mutable_candidates()->ParseFromString(candidates)) {
    return Unreadable(record);
  }
  absl::StatusOr<StudyDefinition> definition = PlainDefinition(study);
  absl::StatusOr<SearchSpace> space = SpaceFromProto(study.space());
  if (!definition.ok() || !space.ok()) return Unreadable(record);
  definition->space = std::make_shared<const SearchSpace>(*std::move(space));
  return definition;
}

bool LearnsFromSources(const v1::Algorithm& algorithm) {
  const Preset* const preset = FindPreset(algorithm.preset());
  if (preset == nullptr || !preset->has_model) return preset != nullptr;
  const absl::StatusOr<Recipe> recipe = preset->With(RecipeChangeFromProto(algorithm.recipe()));
  return recipe.ok() && recipe->prior->uses_sources();
}

std::optional<bool> UsesSources(const v1::Algorithm& algorithm) {
  const Preset* const preset = FindPreset(algorithm.preset());
  if (preset == nullptr) return std::nullopt;
  if (!preset->has_model) return preset->name == "source_portfolio";
  const absl::StatusOr<Recipe> recipe = preset->With(RecipeChangeFromProto(algorithm.recipe()));
  if (!recipe.ok()) return std::nullopt;
  return recipe->prior->uses_sources() || recipe->initial->from_sources ||
         recipe->initial->known_first;
}

std::optional<SourceFitOptions> SourceFitFor(
    const StudyDefinition& definition,
    absl::Span<const std::shared_ptr<const SourceTaskData>> sources) {
  const Preset* preset = FindPreset(definition.preset);
  if (preset == nullptr || !preset->has_model || definition.source_ids.empty()) return {};
  const absl::StatusOr<Recipe> recipe = preset->With(definition.recipe);
  if (!recipe.ok() || !recipe->prior->uses_sources()) return {};
  return SourceFitOf(*recipe, sources, *definition.space);
}

absl::StatusOr<v1::Study> StudyToProto(const StudyRecord& record, const std::string& candidates) {
  v1::Study study;
  v1::Study labels;
  if (!study.ParseFromString(record.definition) || !labels.ParseFromString(record.labels)) {
    return Unreadable(record);
  }
  if (study.space().has_candidates()) {
    v1::CandidateList* list = study.mutable_space()->mutable_candidates();
    if (candidates.empty()) {
      study.mutable_space()->clear_candidates();
    } else if (!list->ParseFromString(candidates)) {
      return Unreadable(record);
    }
  }
  study.set_name(NameOfStudy(record.id));
  study.set_display_name(record.display_name);
  study.mutable_labels()->swap(*labels.mutable_labels());
  study.set_state(static_cast<v1::Study::State>(record.state));
  *study.mutable_create_time() = TimestampOf(record.create_ms);
  *study.mutable_update_time() = TimestampOf(record.update_ms);
  study.set_trial_count(record.trial_count);
  study.set_succeeded_trial_count(record.succeeded_count);
  if (record.best) study.set_best_value(*record.best);
  if (record.last_trial_ms) *study.mutable_last_trial_time() = TimestampOf(*record.last_trial_ms);
  *study.mutable_lease_policy() = LeasePolicyToProto(record.lease);
  return study;
}

std::string LabelBytes(const v1::Study& study) {
  v1::Study labels;
  *labels.mutable_labels() = study.labels();
  return DeterministicBytes(labels);
}

}  // namespace slipstream
