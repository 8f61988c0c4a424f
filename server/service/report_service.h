// The calls about intermediate measurements and early stopping, free of any transport:
// requests and answers are messages, errors are absl::Status with an InvalidField
// where a field is wrong. proto/slipstream/v1/services.proto says what each call
// does.
//
// Every call answers through `done`, exactly once, perhaps before it returns and
// perhaps later on another thread; request and response must live until then.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_REPORT_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_REPORT_SERVICE_H_

#include "server/service/answering.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/learning_curves.h"
#include "server/service/study_finder.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class ReportService {
 public:
  // All pointers must outlive the service. `reads` runs what reads the store.
  ReportService(Store* store, Catalog* catalog, LearningCurves* curves, Executor* reads)
      : store_(*store),
        curves_(*curves),
        reads_(reads),
        finder_(catalog, reads) {}

  void Report(const v1::ReportRequest* request, v1::ReportResponse* response, Done done);
  void ListReports(const v1::ListReportsRequest* request, v1::ListReportsResponse* response,
                   Done done);
  void ShouldStop(const v1::ShouldStopRequest* request, v1::ShouldStopResponse* response,
                  Done done);

 private:
  Store& store_;
  LearningCurves& curves_;
  Executor* const reads_;
  StudyFinder finder_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_REPORT_SERVICE_H_
