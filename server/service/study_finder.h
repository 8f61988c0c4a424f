// Finds the study that a call is about, in the catalog if it is cached.
#ifndef SLIPSTREAM_SERVER_SERVICE_STUDY_FINDER_H_
#define SLIPSTREAM_SERVER_SERVICE_STUDY_FINDER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/service/answering.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"

namespace slipstream {

// Thread-safe.
class StudyFinder {
 public:
  using StudyPointer = std::shared_ptr<const CatalogStudy>;
  // Takes the study and how to answer.
  using StudyTask = std::function<void(const StudyPointer&, Done)>;

  // Both must outlive the finder and its tasks.
  StudyFinder(Catalog* catalog, Executor* reads) : catalog_(*catalog), reads_(*reads) {}

  // Calls `task` with the study, at once if it is cached, otherwise from a reading
  // thread, and once more if the cached study turns out to be gone: it answers
  // NOT_FOUND then, or INVALID_ARGUMENT if what it was given does not fit that study,
  // having written nothing. Answers itself when there is no such study.
  void WithStudy(const std::string& id, const Done& done, const StudyTask& task);

  // The same for a task that only reads, on the calling thread, which must be a
  // reading one; once more only after NOT_FOUND.
  absl::Status ReadStudy(const std::string& id,
                         const std::function<absl::Status(const CatalogStudy&)>& task);

 private:
  void WithStudyRead(const std::string& id, const Done& done, const StudyTask& task);

  Catalog& catalog_;
  Executor& reads_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_STUDY_FINDER_H_
