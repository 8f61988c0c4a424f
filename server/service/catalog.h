// A cache of the studies and source tasks in the store, parsed and ready to use.
// Thread-safe. The objects that it returns are immutable and shared.
#ifndef SLIPSTREAM_SERVER_SERVICE_CATALOG_H_
#define SLIPSTREAM_SERVER_SERVICE_CATALOG_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/memo.h"
#include "core/stopping/stopping_rule.h"
#include "core/strategy/strategy.h"
#include "core/study/study_view.h"
#include "server/convert/study_conversion.h"
#include "server/store/store.h"

namespace slipstream {

using SourceTasks = std::vector<std::shared_ptr<const SourceTaskData>>;

// The immutable part of a study.
struct CatalogStudy {
  int64_t key = 0;
  std::string id;
  int64_t create_ms = 0;
  StudyDefinition definition;
  std::unique_ptr<const Strategy> strategy;
  std::unique_ptr<const StoppingRule> stopping;
  // The largest size of a trial without an outcome on the wire.
  size_t most_trial_bytes = 0;

  // The study for the store, so that another one with its id is not taken for it.
  StudyRef ref() const { return {id, key}; }
  // The study without its trials. `sources` are the study's own; they, the study
  // and `fitted_sources` must outlive the view.
  StudyView View(const SourceTasks& sources, SourceProvider* fitted_sources) const;
};

class Catalog {
 public:
  // `store` must outlive the catalog.
  Catalog(Store* store, size_t study_bytes, size_t source_bytes)
      : store_(store), studies_(study_bytes), sources_(source_bytes) {}

  // Null if the study is not cached; never reads the store.
  std::shared_ptr<const CatalogStudy> FindStudy(const std::string& id);
  // Reads the store if need be. NOT_FOUND, DATA_LOSS, or the store's errors;
  // FAILED_PRECONDITION when this version does not know the study's preset; RESOURCE_EXHAUSTED, an
  // OverloadError, without memory for it.
  absl::StatusOr<std::shared_ptr<const CatalogStudy>> GetStudy(const std::string& id);
  // To be called when the study was deleted, or another one has its id.
  void ForgetStudy(const std::string& id);
  // Whether `study` is gone or another one has its id, and so has been forgotten.
  // Reads the store; true also when that fails.
  bool ForgetIfGone(const CatalogStudy& study);

  // Reads the store if need be. NOT_FOUND, DATA_LOSS, the store's errors, or RESOURCE_EXHAUSTED as
  // above.
  absl::StatusOr<std::shared_ptr<const SourceTaskData>> GetSource(const std::string& id);
  // The same by its name, "sourceTasks/...".
  absl::StatusOr<std::shared_ptr<const SourceTaskData>> GetSourceNamed(const std::string& name);

  // Whether every source task of a study that is to be created exists and shares a parameter with
  // its space, and all of them together are not too large. Reads no observations. Errors as those
  // of GetSource, NOT_FOUND with all that are missing, or an InvalidField on
  // "study.source_tasks[i]" or "study.source_tasks".
  absl::Status CheckSources(const StudyDefinition& definition);

  // All source tasks of a study, in the study's order.
  absl::StatusOr<SourceTasks> GetSourcesOf(const CatalogStudy& study);

  // Approximate sizes of what is cached.
  size_t study_bytes() const { return studies_.cost(); }
  size_t source_bytes() const { return sources_.cost(); }

 private:
  absl::StatusOr<std::shared_ptr<const CatalogStudy>> ReadStudy(const std::string& id);
  absl::StatusOr<std::shared_ptr<const SourceTaskData>> ReadSource(const std::string& id);
  uint64_t Forgotten();
  void Cache(const std::shared_ptr<const CatalogStudy>& study, uint64_t forgotten_before);

  Store* const store_;
  Memo<std::string, const CatalogStudy> studies_;  // Bounded in bytes.
  // Counts calls of ForgetStudy, so that a study read before one is not cached
  // after it.
  std::mutex forget_mutex_;
  uint64_t forgotten_ = 0;
  Memo<std::string, const SourceTaskData> sources_;  // Bounded in bytes.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_CATALOG_H_
