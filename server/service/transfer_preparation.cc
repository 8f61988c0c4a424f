#include "server/service/transfer_preparation.h"

#include <memory>

#include "absl/status/status.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream {

bool TransferPreparation::NeedsFits(const StudyDefinition& definition) {
  return SourceFitFor(definition, {}).has_value();
}

// Work may outlive this object, but neither the catalog nor the fitting.
void TransferPreparation::FitSource(const std::string& source_id) {
  Catalog& catalog = catalog_;
  SourceFitting& fitting = fitting_;
  fitting.PrepareTogether(
      NameOfSourceTask(source_id), [&catalog, &fitting, source_id]() -> absl::Status {
        SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const SourceTaskData> source,
                                    catalog.GetSource(source_id));
        fitting.Prepare(source, *source->space, SourceFitOptions());
        return absl::OkStatus();
      });
}

void TransferPreparation::PrepareStudy(const std::string& study_id) {
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
