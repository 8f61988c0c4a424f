#include "server/service/study_finder.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status.h"

namespace slipstream {

void StudyFinder::WithStudy(const std::string& id, const Done& done, const StudyTask& task) {
  const StudyPointer cached = catalog_.FindStudy(id);
  if (cached == nullptr) return WithStudyRead(id, done, task);
  task(cached, [=, this](absl::Status status) {
    const bool may_be_gone = absl::IsNotFound(status) || absl::IsInvalidArgument(status);
    if (!may_be_gone) return done(std::move(status));
    BeginOn(&reads_, done, [=, this] {
      if (!catalog_.ForgetIfGone(*cached)) return status;
      WithStudyRead(cached->id, done, task);
      return absl::OkStatus();
    });
  });
}

absl::Status StudyFinder::ReadStudy(
    const std::string& id, const std::function<absl::Status(const CatalogStudy&)>& task) {
  SLIPSTREAM_ASSIGN_OR_RETURN(StudyPointer study, catalog_.GetStudy(id));
  const absl::Status status = task(*study);
  if (!absl::IsNotFound(status) || !catalog_.ForgetIfGone(*study)) return status;
  SLIPSTREAM_ASSIGN_OR_RETURN(study, catalog_.GetStudy(id));
  return task(*study);
}

void StudyFinder::WithStudyRead(const std::string& id, const Done& done, const StudyTask& task) {
  BeginOn(&reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyPointer study, catalog_.GetStudy(id));
    task(study, done);
    return absl::OkStatus();
  });
}

}  // namespace slipstream
