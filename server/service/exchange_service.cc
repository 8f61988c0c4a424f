#include "server/service/exchange_service.h"

#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/study_conversion.h"
#include "server/service/meant_study.h"

namespace slipstream {

void ExchangeService::ExportStudy(const v1::ExportStudyRequest* request, const Opened& opened) {
  const auto open = [=, this]() -> absl::StatusOr<std::unique_ptr<StudyExport>> {
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRef study,
                                MeantStudyOf(*request, "name", request->name()));
    return StudyExport::Open(&store_, study);
  };
  const absl::Status accepted = reads_.Run([=] { opened(OrOutOfMemory(open)); });
  if (!accepted.ok()) opened(accepted);
}

// One read of each export waits at a time, and exports are bounded by the memory that they hold.
void ExchangeService::NextLines(StudyExport* open, const Lines& lines) {
  reads_.Continue([open, lines] { lines(OrOutOfMemory([open] { return open->Next(); })); },
                  Executor::Turn::kLater);
}

absl::Status ExchangeService::StoreImport(const std::shared_ptr<StudyImport>& import,
                                          v1::Study* response, const Done& done) {
  SLIPSTREAM_ASSIGN_OR_RETURN(ImportedStudy study, import->Finish());
  RequestGuard guard = import->Guard();
  if (AnswerRepeat(&store_, guard, response, done)) return absl::OkStatus();
  SLIPSTREAM_RETURN_IF_ERROR(catalog_.CheckSources(import->definition()));
  const bool needs_fits = TransferPreparation::NeedsFits(import->definition());
  const Done then_prepare = [this, done, needs_fits, id = study.study.id](absl::Status imported) {
    catalog_.ForgetStudy(id);
    if (imported.ok() && needs_fits) transfer_.PrepareStudy(id);
    done(std::move(imported));
  };
  // The candidate list may be large, and the caller knows it.
  std::function<absl::Status(const StudyRecord&, v1::Study*)> convert =
      [](const StudyRecord& record, v1::Study* answer) {
        SLIPSTREAM_ASSIGN_OR_RETURN(*answer, StudyToProto(record, {}));
        return absl::OkStatus();
      };
  store_.ImportStudy(
      std::move(study),
      AnsweringWrite<StudyRecord>(std::move(guard), response, std::move(convert), then_prepare));
  return absl::OkStatus();
}

void ExchangeService::ImportStudy(std::unique_ptr<StudyImport> import, v1::Study* response,
                                  const Done& done) {
  const std::shared_ptr<StudyImport> shared = std::move(import);
  BeginOn(&computations_, done, [=, this] { return StoreImport(shared, response, done); });
}

}  // namespace slipstream
