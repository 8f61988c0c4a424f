#include "server/service/study_finder.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream {

void StudyFinder::WithStudy(const std::string& id, const Done& done, const StudyTask& task) {
  const StudyPointer cached = catalog_.FindStudy(id);
  if (cached == nullptr) return WithStudyRead(id, done, task);
  task(cached, [=, this](absl::Status status) {
    if (!absl::IsNotFound(status)) return done(std::move(status));
    const absl::Status accepted = reads_.Run([=, this] {
      if (!catalog_.ForgetIfGone(*cached)) return done(status);
      WithStudyRead(cached->id, done, task);
    });
    if (!accepted.ok()) done(accepted);
  });
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
