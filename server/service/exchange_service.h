// The calls that carry whole studies out of a server and into one, free of any transport: requests
// and answers are messages, errors are absl::Status with an InvalidField where a field is wrong.
// proto/slipstream/v1/services.proto says what each call does.
//
// Every call answers through its callback, exactly once, perhaps before it returns and perhaps
// later on another thread. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_EXCHANGE_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_EXCHANGE_SERVICE_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/service/answering.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/study_export.h"
#include "server/service/study_import.h"
#include "server/service/transfer_preparation.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class ExchangeService {
 public:
  using Opened = std::function<void(absl::StatusOr<std::unique_ptr<StudyExport>>)>;
  using Lines = std::function<void(absl::StatusOr<v1::ExportStudyResponse>)>;

  // All pointers must outlive the service. `reads` runs what reads the store, `computations` what
  // checks an import.
  ExchangeService(Store* store, Catalog* catalog, TransferPreparation* transfer, Executor* reads,
                  Executor* computations)
      : store_(*store),
        catalog_(*catalog),
        transfer_(*transfer),
        reads_(*reads),
        computations_(*computations) {}

  // `request` must live until `opened` has been called.
  void ExportStudy(const v1::ExportStudyRequest* request, const Opened& opened);
  // The next lines of `open`, which must live until then; none after the last one.
  void NextLines(StudyExport* open, const Lines& lines);

  // Imports what `import` has collected; `response` must live until `done` has been called.
  void ImportStudy(std::unique_ptr<StudyImport> import, v1::Study* response, const Done& done);

 private:
  absl::Status StoreImport(const std::shared_ptr<StudyImport>& import, v1::Study* response,
                           const Done& done);

  Store& store_;
  Catalog& catalog_;
  TransferPreparation& transfer_;
  Executor& reads_;
  Executor& computations_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_EXCHANGE_SERVICE_H_
