// The learning curves of studies in the core's form, for rules of early stopping.
// Reports of trials that have ended never change, so their curves are cached; those
// of other trials are read from the store.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEARNING_CURVES_H_
#define SLIPSTREAM_SERVER_SERVICE_LEARNING_CURVES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/memo.h"
#include "core/stopping/stopping_rule.h"
#include "server/service/catalog.h"
#include "server/store/store.h"

namespace slipstream {

// The curves of a study's latest trials that have reports. Not thread-safe.
class StudyCurves {
 public:
  // What a rule sees that is asked about trial `number`. It holds until the next call
  // and as long as the curves.
  StoppingView ViewOf(int64_t number, Goal goal);

  // Approximate size in bytes.
  size_t MemoryBytes() const;

 private:
  friend class LearningCurves;

  struct Curve {
    std::optional<Ending> ending;  // Empty while a worker may go on.
    std::optional<double> final_value;
    std::vector<StepValue> reports;
  };

  std::map<int64_t, std::shared_ptr<const Curve>> curves_;  // By trial number.
  std::vector<LearningCurve> others_;                       // What the last view consists of.
};

// Thread-safe.
class LearningCurves {
 public:
  // `store` must outlive this. At most `max_points` reports of a study are looked at,
  // those of its latest trials; `cache_bytes` bounds what is cached.
  LearningCurves(Store* store, int64_t max_points, size_t cache_bytes)
      : store_(*store), max_points_(max_points), ended_(cache_bytes) {}

  // The study's curves as they are now, that of trial `number` among them. NOT_FOUND:
  // no such study or trial. FAILED_PRECONDITION: no worker has the trial, or it has
  // ended. Else the store's errors.
  absl::StatusOr<std::unique_ptr<StudyCurves>> Get(const CatalogStudy& study, int64_t number);

  // The approximate size of what is cached.
  size_t bytes() const { return ended_.cost(); }

 private:
  using Place = decltype(StudyCurves::curves_)::const_iterator;

  absl::StatusOr<std::vector<TrialRecord>> TrialsWithReports(const CatalogStudy& study,
                                                             const TrialRecord& asked);
  absl::Status ReadCurves(const CatalogStudy& study, const std::vector<TrialRecord>& trials,
                          StudyCurves* curves);
  absl::Status ReadRange(const CatalogStudy& study, absl::Span<const TrialRecord> trials,
                         StudyCurves* curves);
  void KeepEnded(const CatalogStudy& study, const StudyCurves& curves);

  Store& store_;
  const int64_t max_points_;
  Memo<int64_t, const StudyCurves> ended_;  // By study key. Bounded in bytes.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEARNING_CURVES_H_
