#include "server/service/transfer_preparation.h"

#include <memory>
#include <optional>
#include <vector>

#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream {

void TransferPreparation::FitSource(const std::string& source_id) {
  const absl::StatusOr<std::shared_ptr<const SourceTaskData>> source =
      catalog_.GetSource(source_id);
  if (source.ok()) fitting_.Prepare(*source, *(*source)->space, SourceFitOptions());
}

bool TransferPreparation::FitSourcesFor(const StudyDefinition& definition) {
  if (!SourceFitFor(definition, {})) return false;  // Without reading the store.
  std::vector<std::shared_ptr<const SourceTaskData>> sources;
  for (const std::string& id : definition.source_ids) {
    absl::StatusOr<std::shared_ptr<const SourceTaskData>> source = catalog_.GetSource(id);
    if (source.ok()) sources.push_back(*std::move(source));
  }
  const std::optional<SourceFitOptions> options = SourceFitFor(definition, sources);
  for (const auto& source : sources) fitting_.Prepare(source, *definition.space, *options);
  return true;
}

void TransferPreparation::PrepareStudy(const std::string& study_id) {
  // The work may outlive this object, but neither the catalog nor the fitting.
  Catalog& catalog = catalog_;
  SourceFitting& fitting = fitting_;
  fitting.PrepareTogether(NameOfStudy(study_id), [&catalog, &fitting, study_id]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const CatalogStudy> study,
                                catalog.GetStudy(study_id));
    SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTasks sources, catalog.GetSourcesOf(*study));
    return study->strategy->Prepare(study->View(sources, &fitting), fitting.GivesUp());
  });
}

}  // namespace slipstream
