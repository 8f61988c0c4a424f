// Studies and source tasks, read from the store and kept ready for use.
// Thread-safe. What it hands out is immutable and shared.
#ifndef SLIPSTREAM_SERVER_SERVICE_CATALOG_H_
#define SLIPSTREAM_SERVER_SERVICE_CATALOG_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/memo.h"
#include "core/strategy/strategy.h"
#include "core/study/study_view.h"
#include "server/convert/study_conversion.h"
#include "server/store/store.h"

namespace slipstream {

// A study without what changes.
struct CatalogStudy {
  int64_t key = 0;
  std::string id;
  StudyDefinition definition;
  std::unique_ptr<const Strategy> strategy;
  size_t most_trial_bytes = 0;  // Of a trial without an outcome, on the wire.
};

class Catalog {
 public:
  // `store` must outlive the catalog.
  Catalog(Store* store, size_t study_bytes, size_t source_bytes)
      : store_(store), studies_(study_bytes), sources_(source_bytes) {}

  // Null if the study is not at hand; never reads the store.
  std::shared_ptr<const CatalogStudy> FindStudy(const std::string& id);
  // Reads the store if need be. NOT_FOUND, DATA_LOSS, or the store's errors;
  // FAILED_PRECONDITION when the study's preset is not of this version.
  absl::StatusOr<std::shared_ptr<const CatalogStudy>> GetStudy(const std::string& id);
  // To be called when the study was deleted, or found to be another.
  void ForgetStudy(const std::string& id);

  // Reads the store if need be. NOT_FOUND, DATA_LOSS, or the store's errors.
  absl::StatusOr<std::shared_ptr<const SourceTaskData>> GetSource(const std::string& id);

  using Sources = std::vector<std::shared_ptr<const SourceTaskData>>;
  // All of a study's, in its order.
  absl::StatusOr<Sources> GetSourcesOf(const CatalogStudy& study);

 private:
  uint64_t Forgotten();
  void Keep(const std::shared_ptr<const CatalogStudy>& study, uint64_t forgotten_before);

  Store* const store_;
  Memo<std::string, const CatalogStudy> studies_;  // Bounded in bytes.
  // Counts ForgetStudy, so that what was read before is not kept after it.
  std::mutex forget_mutex_;
  uint64_t forgotten_ = 0;
  Memo<std::string, const SourceTaskData> sources_;  // Bounded in bytes.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_CATALOG_H_
