// Converts studies between the wire, the core and the store. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_STUDY_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_STUDY_CONVERSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/recipe/recipe_names.h"
#include "core/sources/fitted_source.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "server/store/records.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// The immutable part of a study, checked and parsed.
struct StudyDefinition {
  std::shared_ptr<const SearchSpace> space;
  std::string metric;
  Goal goal = Goal::kMaximize;
  bool noiseless = false;
  std::string preset;
  RecipeChange recipe;  // Overrides to the preset's recipe.
  uint64_t seed = 0;
  std::vector<std::string> source_ids;
  std::string stopping = "none";  // The rule of early stopping, and its options.
  std::map<std::string, double> stopping_options;
  LeasePolicy lease;  // The policy at the study's creation; it may be changed later.
};

// How long workers hold trials where the creator leaves it open.
inline constexpr LeasePolicy kDefaultLease = {.duration_ms = 3'600'000, .max_requeues = 3};

// The policy, with defaults for what is absent. An InvalidField with the path inside
// the message when a value is out of its bounds.
absl::StatusOr<LeasePolicy> LeasePolicyFromProto(const v1::LeasePolicy& policy);

// The study's one metric, checked. An InvalidField on "metrics..." otherwise.
struct MetricAndGoal {
  std::string metric;
  Goal goal = Goal::kMaximize;
  bool noiseless = false;
};
absl::StatusOr<MetricAndGoal> MetricFromProto(
    const google::protobuf::RepeatedPtrField<v1::Metric>& metrics);

// Parses and checks a study that is to be created, except whether its source tasks
// exist. INVALID_ARGUMENT, an InvalidField with the path inside the message.
absl::StatusOr<StudyDefinition> StudyDefinitionFromProto(const v1::Study& study);

// A new study for the store; the seed and the preset of `study` must be set.
NewStudy NewStudyOf(const v1::Study& study, const StudyDefinition& definition,
                    absl::string_view study_id);

// Parses a stored study; `candidates` are the store's bytes. DATA_LOSS when the bytes
// cannot be read.
absl::StatusOr<StudyDefinition> StoredStudyDefinition(const StudyRecord& record,
                                                      const std::string& candidates);

// What is asked of new studies alone. Those from before may have a metric with a parameter's name,
// and options that have no effect on their recipe. An InvalidField as above.
absl::Status CheckNewStudy(const v1::Study& study);

// Whether suggestions by the study's recipe always learn from source tasks, if there
// are any.
bool LearnsFromSources(const v1::Algorithm& algorithm);

// Whether the study's recipe makes use of source tasks, to learn from or to begin with; absent if
// this version does not know the recipe.
std::optional<bool> UsesSources(const v1::Algorithm& algorithm);

// How the prior of the study's recipe wants these sources fitted; absent
// when the study has no sources or its preset does not fit them.
std::optional<SourceFitOptions> SourceFitFor(
    const StudyDefinition& definition,
    absl::Span<const std::shared_ptr<const SourceTaskData>> sources);

// A stored study for the wire; the candidate list is left out if `candidates` is
// empty. DATA_LOSS when the bytes cannot be read.
absl::StatusOr<v1::Study> StudyToProto(const StudyRecord& record, const std::string& candidates);

// Encodes the labels of `study` for the store.
std::string LabelBytes(const v1::Study& study);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_STUDY_CONVERSION_H_
