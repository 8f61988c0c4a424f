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
    const absl::Status accepted = reads_.Run([=, this] {
      if (!catalog_.ForgetIfGone(*cached)) return done(status);
      WithStudyRead(cached->id, done, task);
    });
    if (!accepted.ok()) done(accepted);
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
  const absl::Status accepted = reads_.Run([=, this] {
    const absl::StatusOr<StudyPointer> study = catalog_.GetStudy(id);
    if (!study.ok()) return done(study.status());
    task(*study, done);
  });
  if (!accepted.ok()) done(accepted);
}

}  // namespace slipstream
