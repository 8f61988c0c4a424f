// The prior belief in a target that the source tasks give: one axis of a recipe.
//
// A prior turns the target's results and the fitted sources into a problem for
// a calibration, and what the calibration finds into what is believed of the
// objective:
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(auto transfer, prior->Combine(input));
//   SLIPSTREAM_ASSIGN_OR_RETURN(
//       Calibrated calibrated,
//       calibration.Calibrate(transfer->model(), {transfer->data(), seed, deadline}));
//   for (const Hyperparameters& member : calibrated.members)
//     surrogates.push_back(*transfer->Fit(member));
//
// So any prior goes with any calibration, and neither knows the other.
// Priors are immutable but for caches, and thread-safe.
#ifndef SLIPSTREAM_CORE_PRIOR_PRIOR_H_
#define SLIPSTREAM_CORE_PRIOR_PRIOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/base/fingerprint.h"
#include "core/gp/coordinate_kinds.h"
#include "core/gp/likelihood.h"
#include "core/gp/model.h"
#include "core/gp/surrogate.h"
#include "core/prior/blocks/source_model.h"

namespace slipstream {

// Points all over the space, the same at each call for a study: where functions
// are compared. Not every prior asks for them, so they are made at the first Get.
class Places {
 public:
  static constexpr Index kUsual = 256;

  explicit Places(PointMatrix points) : points_(std::move(points)), count_(kAny) {}
  explicit Places(std::function<PointMatrix(Index count)> make) : make_(std::move(make)) {}

  // At most `count` of them, spread evenly; those of another count may be other ones. What was got
  // before is gone. To be called from one thread.
  const PointMatrix& Get(Index count = kUsual) const {
    if (count_ != kAny && count_ != count) {
      points_ = make_(count);
      count_ = count;
    }
    return points_;
  }

 private:
  static constexpr Index kAny = -1;

  std::function<PointMatrix(Index count)> make_;
  mutable PointMatrix points_;
  mutable Index count_ = 0;
};

// The target's results as they were when there were fewer of them.
struct EarlierResults {
  // When there were `count`, on the scale of that time; at most as many as now.
  std::function<TrainingData(Index count)> at;
  // For each count, from 0 on, a fingerprint of all that `at` gives for it and for those below.
  std::function<std::vector<Fingerprint>()> fingerprints;
};

// The input that a prior is made from. Everything must outlive the call; none of it needs
// to outlive what the call returns.
struct PriorInput {
  const CoordinateKinds& kinds;
  // The target's results on the scale of models, in the order of its trials;
  // perhaps none.
  const TrainingData& target;
  // At least one, none null, all of the target's dimension.
  const SourceModels& sources;
  // Options of the target's own kernel.
  ModelOptions model;
  Places places;
  EarlierResults earlier;
  uint64_t seed = 0;
  // Hyperparameters are fitted to this many of the first results, as they are not
  // fitted again at each one; none: to all.
  std::optional<Index> calibrated_results = {};
  // How many of the results, the first ones, are of the study's start and not of its model.
  Index initial_results = 1;
  // Combine and Prepare give up with DEADLINE_EXCEEDED or CANCELLED when it has passed.
  Deadline deadline = Deadline::Infinite();

  // The results that hyperparameters are fitted to.
  TrainingData CalibrationPart() const {
    return FirstOf(target, calibrated_results.value_or(target.y.size()));
  }
};

// The belief in the logarithm of the amplitude of what sources do not tell, on results of variance
// 1: amplitude^2 ~ LogNormal(-2, 3), ScaML's.
inline constexpr HyperparameterBelief kDifferenceAmplitude = {-1, 1.5, -6.907755278982137,
                                                              3.4011973816621555};

// A remark about what a prior made of its sources, for provenance.
using Remark = std::pair<std::string, std::variant<double, std::string>>;

// A prior together with a target's results. Immutable, hence thread-safe.
class Transfer {
 public:
  virtual ~Transfer() = default;

  // What a calibration is to explain: hyperparameters that are open, and data,
  // which may be a part of what Fit learns from.
  const Model& model() const { return model_; }
  const TrainingData& data() const { return data_; }

  // What is believed of the objective, on the target's scale.
  // FAILED_PRECONDITION when a factorisation fails in spite of jitter.
  virtual absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const = 0;

  // The round of the method's own count in which the next point is chosen; none: it does not count.
  virtual std::optional<int64_t> Round() const { return std::nullopt; }

  // How much each source weighs, in the input's order: not negative, of sum 1
  // or less; what is missing is the target's own.
  virtual Vector Shares(const Hyperparameters& hyperparameters) const = 0;

  // The prior's own quantities under those hyperparameters, snake_case names.
  virtual std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const = 0;

 protected:
  Transfer(Model model, TrainingData data) : model_(std::move(model)), data_(std::move(data)) {}

 private:
  Model model_;
  TrainingData data_;
};

class Prior {
 public:
  virtual ~Prior() = default;

  // FAILED_PRECONDITION when a factorisation fails in spite of jitter.
  virtual absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const = 0;

  // Precomputes and caches what Combine needs of the input besides the target's results, which are
  // not read. Combine gives the same without it.
  virtual absl::Status Prepare(const PriorInput& /*input*/) const { return absl::OkStatus(); }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRIOR_H_
