#include "server/service/catalog.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/near_names.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/space/space_mapping.h"
#include "core/strategy/make_strategy.h"
#include "server/convert/resource_name.h"
#include "server/convert/source_conversion.h"
#include "server/convert/trial_conversion.h"
#include "server/service/call_limits.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// Approximate, for the cache.
size_t BytesOf(const CatalogStudy& study) {
  return sizeof(CatalogStudy) + study.definition.space->MemoryBytes() +
         study.definition.source_ids.size() * 64;
}

absl::StatusOr<std::unique_ptr<const Strategy>> StrategyOf(const StudyRecord& record,
                                                           const StudyDefinition& definition) {
  const std::string& preset = definition.preset;
  const Preset* entry = FindPreset(preset);
  if (entry == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOfStudy(record.id), " uses the preset '", preset,
                     "', which this version of the server does not know; it knows ",
                     NearNames(preset, PresetNames())));
  }
  absl::StatusOr<std::unique_ptr<Strategy>> strategy = MakeStrategy(*entry, definition.recipe);
  if (strategy.ok()) return *std::move(strategy);
  return absl::FailedPreconditionError(absl::StrCat(
      NameOfStudy(record.id), " has a recipe that this version of the server does not ",
      "know: ", strategy.status().message()));
}

absl::StatusOr<std::unique_ptr<const StoppingRule>> StoppingOf(const StudyRecord& record,
                                                               const StudyDefinition& definition) {
  absl::StatusOr<std::unique_ptr<const StoppingRule>> rule =
      MakeStoppingRule(definition.stopping, definition.stopping_options);
  if (rule.ok()) return rule;
  return absl::FailedPreconditionError(absl::StrCat(
      NameOfStudy(record.id), " has a rule of early stopping that this version of the ",
      "server does not know: ", rule.status().message()));
}

}  // namespace

StudyView CatalogStudy::View(const SourceTasks& sources, SourceProvider* fitted_sources) const {
  StudyView view;
  view.space = definition.space.get();
  view.goal = definition.goal;
  view.noiseless = definition.noiseless;
  view.sources = sources;
  view.fitted_sources = fitted_sources;
  return view;
}

std::shared_ptr<const CatalogStudy> Catalog::FindStudy(const std::string& id) {
  return studies_.Find(id);
}

absl::StatusOr<std::shared_ptr<const CatalogStudy>> Catalog::GetStudy(const std::string& id) {
  if (std::shared_ptr<const CatalogStudy> found = studies_.Find(id)) return found;
  return OrOutOfMemory([&] { return ReadStudy(id); });
}

absl::StatusOr<std::shared_ptr<const CatalogStudy>> Catalog::ReadStudy(const std::string& id) {
  const uint64_t forgotten_before = Forgotten();
  StudyRecord record;
  absl::StatusOr<std::string> candidates;
  do {
    SLIPSTREAM_ASSIGN_OR_RETURN(record, store_->GetStudy(id));
    candidates = store_->GetCandidates(record.key);
  } while (absl::IsNotFound(candidates.status()));  // Deleted, or replaced, between the two reads.
  SLIPSTREAM_RETURN_IF_ERROR(candidates.status());
  auto study = std::make_shared<CatalogStudy>();
  study->key = record.key;
  study->id = id;
  study->create_ms = record.create_ms;
  SLIPSTREAM_ASSIGN_OR_RETURN(study->definition, StoredStudyDefinition(record, *candidates));
  SLIPSTREAM_ASSIGN_OR_RETURN(study->strategy, StrategyOf(record, study->definition));
  SLIPSTREAM_ASSIGN_OR_RETURN(study->stopping, StoppingOf(record, study->definition));
  study->most_trial_bytes = MostTrialBytes(*study->definition.space);
  Cache(study, forgotten_before);
  return std::shared_ptr<const CatalogStudy>(std::move(study));
}

void Catalog::ForgetStudy(const std::string& id) {
  const std::lock_guard<std::mutex> lock(forget_mutex_);
  ++forgotten_;
  studies_.Erase(id);
}

bool Catalog::ForgetIfGone(const CatalogStudy& study) {
  const absl::StatusOr<StudyRecord> record = store_->GetStudy(study.id);
  if (record.ok() && record->key == study.key) return false;
  ForgetStudy(study.id);
  return true;
}

uint64_t Catalog::Forgotten() {
  const std::lock_guard<std::mutex> lock(forget_mutex_);
  return forgotten_;
}

void Catalog::Cache(const std::shared_ptr<const CatalogStudy>& study, uint64_t forgotten_before) {
  const std::lock_guard<std::mutex> lock(forget_mutex_);
  if (forgotten_ == forgotten_before) studies_.Put(study->id, study, BytesOf(*study));
}

absl::StatusOr<std::shared_ptr<const SourceTaskData>> Catalog::GetSource(const std::string& id) {
  if (std::shared_ptr<const SourceTaskData> found = sources_.Find(id)) return found;
  return OrOutOfMemory([&] { return ReadSource(id); });
}

absl::StatusOr<std::shared_ptr<const SourceTaskData>> Catalog::ReadSource(const std::string& id) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskRecord record, store_->GetSourceTask(id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<std::string> chunks, store_->GetSourceChunks(id));
  SLIPSTREAM_ASSIGN_OR_RETURN(SourceTaskData data, StoredSourceTask(record, chunks));
  const size_t bytes = data.MemoryBytes();
  auto shared = std::make_shared<const SourceTaskData>(std::move(data));
  sources_.Put(id, shared, bytes);
  return shared;
}

absl::StatusOr<std::shared_ptr<const SourceTaskData>> Catalog::GetSourceNamed(
    const std::string& name) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string id, ParseSourceTaskName("name", name));
  return GetSource(id);
}

absl::Status Catalog::CheckSources(const StudyDefinition& definition) {
  int64_t bytes = 0;
  std::vector<std::string> missing;
  absl::Status unfit;  // Why the first one that is there is not of the study's kind.
  for (size_t i = 0; i < definition.source_ids.size(); ++i) {
    const absl::StatusOr<SourceTaskRecord> record =
        store_->GetSourceTask(definition.source_ids[i]);
    if (absl::IsNotFound(record.status())) {
      missing.push_back(definition.source_ids[i]);
      continue;
    }
    SLIPSTREAM_RETURN_IF_ERROR(record.status());
    SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader source, StoredSourceTaskHeader(*record));
    bytes += ObservationBytes(*record, source);
    const absl::Status overlap = SpaceMapping::Create(*source.space, *definition.space).status();
    if (overlap.ok()) continue;
    unfit.Update(InvalidField(
        absl::StrCat("study.source_tasks[", i, "]"), NameOfSourceTask(record->id),
        absl::StrCat("a source task that shares a parameter with the study: ",
                     overlap.message())));
  }
  // All of them, so that they need not be brought along one by one.
  if (!missing.empty()) return SourceTasksNotFound(missing);
  SLIPSTREAM_RETURN_IF_ERROR(unfit);
  if (bytes <= kMaxSourceBytes) return absl::OkStatus();
  return InvalidField("study.source_tasks",
                      absl::StrCat(bytes >> 20, " MiB of observations in memory"),
                      absl::StrCat("at most ", kMaxSourceBytes >> 20,
                                   " MiB; choose fewer source tasks, or smaller ones"));
}

absl::StatusOr<SourceTasks> Catalog::GetSourcesOf(const CatalogStudy& study) {
  SourceTasks sources;
  for (const std::string& id : study.definition.source_ids) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const SourceTaskData> source, GetSource(id));
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace slipstream
