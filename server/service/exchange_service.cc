#include "server/service/exchange_service.h"

#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/study_conversion.h"
#include "server/service/meant_study.h"

namespace slipstream {

void ExchangeService::ExportStudy(const v1::ExportStudyRequest* request, const Opened& opened) {
  const absl::Status accepted = reads_.Run([=, this] {
    const absl::StatusOr<StudyRef> study = MeantStudyOf(*request, "name", request->name());
    opened(study.ok() ? StudyExport::Open(&store_, *study) : study.status());
  });
  if (!accepted.ok()) opened(accepted);
}

// One read of each export waits at a time, and exports are bounded by the memory that they hold.
void ExchangeService::NextLines(StudyExport* open, const Lines& lines) {
  reads_.Continue([open, lines] { lines(OrOutOfMemory([open] { return open->Next(); })); },
                  Executor::Turn::kLater);
}

void ExchangeService::StoreImport(const std::shared_ptr<StudyImport>& import, v1::Study* response,
                                  const Done& done) {
  absl::StatusOr<ImportedStudy> study = OrOutOfMemory([&] { return import->Finish(); });
  if (!study.ok()) return done(study.status());
  RequestGuard guard = import->Guard();
  if (AnswerRepeat(&store_, guard, response, done)) return;
  const absl::Status sources = catalog_.CheckSources(import->definition());
  if (!sources.ok()) return done(sources);
  const bool needs_fits = transfer_.FitSourcesFor(import->definition());
  const Done then_prepare = [this, done, needs_fits, id = study->study.id](absl::Status imported) {
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
      *std::move(study),
      AnsweringWrite<StudyRecord>(std::move(guard), response, std::move(convert), then_prepare));
}

void ExchangeService::ImportStudy(std::unique_ptr<StudyImport> import, v1::Study* response,
                                  const Done& done) {
  const std::shared_ptr<StudyImport> shared = std::move(import);
  const absl::Status accepted =
      computations_.Run([=, this] { StoreImport(shared, response, done); });
  if (!accepted.ok()) done(accepted);
}

}  // namespace slipstream
