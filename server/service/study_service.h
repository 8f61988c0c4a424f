// The calls about studies and presets, free of any transport: requests and
// answers are messages, errors are absl::Status with an InvalidField where a field
// is wrong. proto/slipstream/v1/services.proto says what each call does.
//
// Every call answers through `done`, exactly once, perhaps before it returns and
// perhaps later on another thread; request and response must live until then.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_STUDY_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_STUDY_SERVICE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/empty.pb.h"
#include "server/service/answering.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/transfer_preparation.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class StudyService {
 public:
  // All pointers must outlive the service. `reads` runs what reads the store, `computations` what
  // checks a new study.
  StudyService(Store* store, Catalog* catalog, TransferPreparation* transfer, Executor* reads,
               Executor* computations, size_t full_page_bytes)
      : store_(*store),
        catalog_(*catalog),
        transfer_(*transfer),
        reads_(reads),
        computations_(computations),
        full_page_bytes_(full_page_bytes) {}

  void CreateStudy(const v1::CreateStudyRequest* request, v1::Study* response, Done done);
  void GetStudy(const v1::GetStudyRequest* request, v1::Study* response, Done done);
  void ListStudies(const v1::ListStudiesRequest* request, v1::ListStudiesResponse* response,
                   Done done);
  void UpdateStudy(const v1::UpdateStudyRequest* request, v1::Study* response, Done done);
  void DeleteStudy(const v1::DeleteStudyRequest* request, google::protobuf::Empty* response,
                   Done done);
  void ListPresets(const v1::ListPresetsRequest* request, v1::ListPresetsResponse* response,
                   Done done);

 private:
  // Answers once the study is stored, or returns why it cannot be.
  absl::Status StoreNewStudy(const v1::CreateStudyRequest& request, RequestGuard guard,
                             v1::Study* response, const Done& done);
  // How the study's sources serve, by the provenances of its latest trials.
  absl::Status FillTransfer(const StudyRecord& record, bool with_shares, v1::Study* response);
  absl::Status FillStudy(const StudyRecord& record, bool with_candidates, v1::Study* response);
  // Has the study learn from all source tasks of the project that fit it.
  absl::Status AddAllSources(const std::string& project, v1::Study* study,
                             StudyDefinition* definition);

  Store& store_;
  Catalog& catalog_;
  TransferPreparation& transfer_;
  Executor* const reads_;
  Executor* const computations_;
  const size_t full_page_bytes_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_STUDY_SERVICE_H_
