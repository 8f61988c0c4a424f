#include "server/service/service.h"

#include <utility>

#include "core/base/status.h"
#include "core/recipe/presets.h"

namespace slipstream {

Service::Service(Store* store, ServiceOptions options)
    : store_(store),
      options_(std::move(options)),
      catalog_(store, options_.study_cache_bytes, options_.source_cache_bytes),
      fitting_(options_.fitted_source_bytes, options_.max_waiting_fits, options_.on_fitting_thread),
      histories_(store, options_.history_cache_bytes),
      computations_("computations", options_.compute_threads, options_.max_waiting_computations),
      suggest_queue_(store, &catalog_, &fitting_, &histories_, &computations_,
                     SuggestOptions{.version = options_.version,
                                    .budget = options_.suggest_budget,
                                    .on_unready_sources =
                                        [this](const std::string& id) { PrepareTransfer(id); },
                                    .max_answer_bytes = options_.max_answer_bytes}),
      reads_("reads", options_.read_threads, options_.max_waiting_reads) {}

void Service::Read(Done done, std::function<absl::Status()> work) {
  const absl::Status accepted = reads_.Run([done, work = std::move(work)] { done(work()); });
  if (!accepted.ok()) done(accepted);
}

void Service::WithStudy(const std::string& id, const Done& done, std::function<void(Study)> next) {
  if (Study study = catalog_.FindStudy(id)) return next(std::move(study));
  const absl::Status accepted = reads_.Run([this, id, done, next = std::move(next)] {
    absl::StatusOr<Study> study = catalog_.GetStudy(id);
    if (!study.ok()) return done(study.status());
    next(*std::move(study));
  });
  if (!accepted.ok()) done(accepted);
}

void Service::PrepareTransfer(const std::string& study_id) {
  fitting_.PrepareTogether(StudyName(study_id), [this, study_id]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Study study, catalog_.GetStudy(study_id));
    SLIPSTREAM_ASSIGN_OR_RETURN(const Catalog::Sources sources, catalog_.GetSourcesOf(*study));
    StudyView view;
    view.space = study->definition.space.get();
    view.goal = study->definition.goal;
    view.noiseless = study->definition.noiseless;
    view.sources = sources;
    view.fitted_sources = &fitting_;
    return study->strategy->Prepare(view);
  });
}

void Service::ListPresets(const v1::ListPresetsRequest*, v1::ListPresetsResponse* response,
                          Done done) {
  for (const Preset& preset : Presets()) {
    v1::ListPresetsResponse::Preset* entry = response->add_presets();
    entry->set_name(std::string(preset.name));
    entry->set_summary(std::string(preset.summary));
    entry->set_is_default(preset.name == kDefaultPreset);
    if (preset.has_model) *entry->mutable_recipe() = RecipeToProto(NamesOf(preset.recipe));
  }
  for (const RecipeOption& option : RecipeOptions()) {
    v1::ListPresetsResponse::Option* entry = response->add_options();
    entry->set_name(option.name);
    entry->set_summary(option.summary);
    entry->set_min(option.least);
    entry->set_max(option.most);
    entry->set_whole(option.whole);
  }
  done(absl::OkStatus());
}

}  // namespace slipstream
