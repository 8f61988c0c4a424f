// A source task fitted in the space of a study, and where studies get it from.
//
// Points are carried over by SpaceMapping: parameters are matched by name and in raw
// units, one that the source lacks has its declared default, and a point that
// has no place in the study's space is left out. Results are standardised by
// the source's own goal, so that good in the source stands for good in the
// study even where one is maximised and the other minimised; or all tasks' results
// have one scale, on which a result that is to be minimised counts as its opposite.
#ifndef SLIPSTREAM_CORE_SOURCES_FITTED_SOURCE_H_
#define SLIPSTREAM_CORE_SOURCES_FITTED_SOURCE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/base/memo.h"
#include "core/gp/model.h"
#include "core/gp/output_transform.h"
#include "core/prior/blocks/source_model.h"
#include "core/study/study_view.h"
#include "core/study/training_set.h"

namespace slipstream {

// The points that are outside the study's space by one of its parameters.
struct OutsidePoints {
  size_t count = 0;
  // The parameter's least and greatest value among them. Where the first one's is not a number,
  // `text` has that value instead.
  double least = 0;
  double most = 0;
  std::string text = {};
};

// The fate of a source's points.
struct SourceCounts {
  size_t points = 0;      // All of them.
  size_t used = 0;        // Different configurations that the model learns from.
  size_t no_result = 0;   // Failed, stopped early or without a finite value.
  // Without a value: learnt as the source's worst, or as worse if all its results are equal and on
  // a scale of their own. Failures are among these where their places, rather than chance, tell
  // them and no other trial has had a value.
  size_t infeasible = 0;
  size_t outside = 0;     // Without a place in the study's space.
  // Those by parameter of the study, by its index; a point may be outside by several.
  std::map<size_t, OutsidePoints> outside_by = {};
  size_t thinned = 0;     // Left out because there were more than a model takes.
  size_t limited = 0;     // Used, but so far off that they count as better than they are.
};

enum class SourceKernel {
  kMatern52,
  kMatern32TimesMatern12,  // The kernel of cm-BO.
  kSquaredExponential,
  kMatern32,
  kMatern12,
};

struct SourceFitOptions {
  SourceKernel kernel = SourceKernel::kMatern52;
  Lengthscales lengthscales = Lengthscales::kEach;
  OutputWarp warp = OutputWarp::kPower;  // Not kByEvidence.
  // The scale that the source shares with other tasks, of positive sign; none: its own, after
  // `warp`.
  std::optional<OutputTransform> scale = {};
  // Limits results that are far off on the source's own scale (core/study/training_set.h); 0: none.
  double reach = kUsualReach;
  GivenHyperparameters given = {};
  // The limit of different configurations: half of them are the best ones, the rest
  // are spread evenly over the others.
  size_t most_points = 1000;
  // Hyperparameters are fitted to this many, evenly spread over their order.
  size_t most_calibrated = 200;

  friend bool operator==(const SourceFitOptions&, const SourceFitOptions&) = default;
};

// Immutable, hence thread-safe.
struct FittedSource {
  std::shared_ptr<const SourceModel> model;  // Null where no point can be used.
  bool fit_failed = false;                   // There were points, but no model fits them.
  SourceCounts counts;
  size_t own_bytes = 0;  // Without the model's.

  // Approximate, for caches; grows with the model's cached predictions.
  size_t bytes() const;
};

// FAILED_PRECONDITION when no model can be fitted, DEADLINE_EXCEEDED when there
// was no time.
absl::StatusOr<std::shared_ptr<const FittedSource>> FitSource(const SourceTaskData& source,
                                                              const SearchSpace& space,
                                                              const SourceFitOptions& options,
                                                              Deadline deadline);

// Stands for a source that FitSource failed on, so that it is not tried again.
std::shared_ptr<const FittedSource> UnfittableSource(const SourceTaskData& source);

// Where strategies get fitted sources. Thread-safe.
class SourceProvider {
 public:
  virtual ~SourceProvider() = default;

  // UNAVAILABLE while it is being prepared: then the study goes on without
  // transfer for now. Other errors as FitSource.
  virtual absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) = 0;
};

// Fitted sources by name, space and options. LRU, bounded in bytes; evicts models that were not
// used for long, then cached predictions, then the other models. Fits what it lacks while the
// caller waits. Thread-safe.
class SourceLibrary : public SourceProvider {
 public:
  explicit SourceLibrary(size_t bytes);

  // The input of Get in one text.
  static std::string KeyOf(const SourceTaskData& source, const SearchSpace& space,
                           const SourceFitOptions& options);

  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override;

  // Null if it is not there.
  std::shared_ptr<const FittedSource> Find(const std::string& key) { return memo_.Find(key); }
  // Whether it was kept: there is no room if that would evict another model in use.
  bool Insert(const std::string& key, std::shared_ptr<const FittedSource> source) {
    return memo_.PutIfThereIsRoom(key, std::move(source));
  }
  size_t bytes() const { return memo_.cost(); }

 private:
  Memo<std::string, const FittedSource> memo_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SOURCES_FITTED_SOURCE_H_
