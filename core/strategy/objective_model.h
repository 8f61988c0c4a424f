// A model of a study's objective: what a recipe makes of the study's results.
#ifndef SLIPSTREAM_CORE_STRATEGY_OBJECTIVE_MODEL_H_
#define SLIPSTREAM_CORE_STRATEGY_OBJECTIVE_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/acquisition/searched_model.h"
#include "core/base/deadline.h"
#include "core/calibration/calibration.h"
#include "core/gp/output_transform.h"
#include "core/gp/surrogate.h"
#include "core/prior/prior.h"
#include "core/recipe/recipe.h"
#include "core/strategy/calibration_cache.h"
#include "core/strategy/scaled_results.h"
#include "core/study/study_view.h"
#include "core/study/training_set.h"

namespace slipstream {

// The input of a model. All of it must outlive the call it is passed to.
struct ObjectiveModelRequest {
  const StudyView& view;  // Without sources it has at least one result.
  const Recipe& recipe;
  const Calibration& calibration;
  // Finds the most probable hyperparameters, by which scales of results are compared.
  const Calibration& judge;
  CalibrationCache& cache;
  // The number of results that were there before the study asked a model for the first time.
  Index initial_results = 1;
  uint64_t seed = 0;
  Deadline deadline = Deadline::Infinite();
  // With transfer: the recipe's prior and the sources that it can use, not none.
  const Prior* prior = nullptr;
  SourceModels sources = {};
  // The scale that the results share with the sources, of positive sign; none: their own.
  std::optional<OutputTransform> scale = {};
  // Without a prior: whether the model stands beside one that learns from sources.
  bool beside_sources = false;
  // What is believed of the noise, unless results are exact or it is given.
  HyperparameterBelief noise = kUsualNoise;
  // The scaling of the results, if another model of the same results has decided it; none: the
  // recipe's.
  std::optional<Scaling> scaling = {};
};

// Has `prior` precompute and cache what ObjectiveModel::Fit will need of the sources, at least one,
// and of the view's space. The view's trials are not read.
absl::Status PreparePrior(const Prior& prior, const StudyView& view, const Recipe& recipe,
                          const SourceModels& sources,
                          const Deadline& deadline = Deadline::Infinite());

// How results are scaled beside source tasks.
Scaling ScalingWithSources(const ObjectiveModelRequest& request);

class FeasibilityModel;

class ObjectiveModel final : public SearchedModel {
 public:
  // DEADLINE_EXCEEDED when there was no time, FAILED_PRECONDITION when a
  // factorisation failed.
  static absl::StatusOr<ObjectiveModel> Fit(const ObjectiveModelRequest& request);

  const TrainingSet& training() const { return scaled_.training; }
  const Scaling& scaling() const { return scaled_.scaling; }
  const Vector& results() const override { return training().data.y; }
  const OutputTransform& transform() const override { return training().transform; }
  // Whether the transform leads to the objective's own units. Beside sources it takes results of
  // two configurations to know these, unless the scale is one that the sources share.
  bool knows_units() const {
    return transfer_ == nullptr || results().size() > 1 || scaling().shared.has_value();
  }
  // The calibrated model: the transfer's, or that of the results alone.
  const Model& model() const { return transfer_ != nullptr ? transfer_->model() : model_; }
  const TrainingData& calibration_data() const {
    return transfer_ != nullptr ? transfer_->data() : training().data;
  }
  const std::vector<Hyperparameters>& hyperparameters() const { return calibrated_->members; }
  size_t size() const override { return members_.size(); }
  const Surrogate& member(size_t member) const override { return *members_[member]; }
  // The member's noise variance, on the model's scale.
  double NoiseVariance(size_t member) const override;
  // The best value so far as the member sees it, pending trials included.
  double Incumbent(size_t member) const override;

  // Adds pending trials, as if they had given what each member expects of them. Where they or
  // the results are many, each costs an appended point; of very many only those that promise most
  // are added. Predictions from the results around a point keep to the same deadline from then on,
  // as they do to that of Fit before: what they have no time for is predicted from a sample of the
  // results. DEADLINE_EXCEEDED as Fit; the model is of no use then.
  absl::Status AddPending(const SearchSpace& space, absl::Span<const Configuration> pending,
                          const Deadline& deadline);
  // Whether AddPending appends points: searches then share a screen (next_point.h).
  bool absorbs() const { return absorbs_; }
  // Tells the members that their predictions will be wanted at these points repeatedly.
  void Remember(const PointMatrix& x);

  // The same with other hyperparameters for its members, at least one.
  absl::StatusOr<ObjectiveModel> WithMembers(std::vector<Hyperparameters> members,
                                             const Deadline& deadline) const;

  // The logarithm of how likely these results are under the first member's hyperparameters; absent
  // where that cannot be told.
  std::optional<double> LogLikelihoodOf(const TrainingData& results) const;

  std::optional<int64_t> round() const override {
    return transfer_ != nullptr ? transfer_->Round() : std::nullopt;
  }

  // Whether a prediction takes much longer than one from the target's results alone would.
  bool is_costly() const override { return transfer_ != nullptr; }
  bool looks_closer_at_single_points() const override { return all_results_ != nullptr; }

  // The measured configurations from the best on, at most `count`.
  std::vector<Configuration> BestConfigurations(size_t count) const override;

  // How it came about, for provenance.
  std::vector<Fact> Facts() const;
  // The weights of the sources that have any, heaviest first.
  std::vector<SourceWeight> SourceWeights() const;

 private:
  absl::Status CalibrateAlone(const ObjectiveModelRequest& request);
  absl::Status CalibrateWithSources(const ObjectiveModelRequest& request);
  absl::Status Calibrate(const ObjectiveModelRequest& request, const Model& model,
                         const TrainingData& part);
  absl::Status BuildMembers(const Deadline& deadline);
  absl::StatusOr<std::unique_ptr<Surrogate>> MemberOf(const Hyperparameters& hyperparameters);
  // Called if there are too many results for one process.
  void CollectAllResults(const StudyView& view);
  // This many results leave little doubt about hyperparameters, and each member costs much.
  void ThinMembers();
  // The member's means at `x`, at least one point. Where there are too many results for one
  // process, the best few are no less than what a search sees there, which looks closer at single
  // points: an incumbent below that would be improved on again and again by points next to it.
  Vector SearchedMeans(const Surrogate& member, const PointMatrix& x) const;
  // The means of the member's objective at the training set's results, but at those that may be its
  // incumbent only where there are too many results for one process.
  Vector MeansAtResults(const Surrogate& member) const;
  PointMatrix MostPromising(const PointMatrix& x, Index count) const;
  absl::Status Fantasize(const PointMatrix& x, const Deadline& deadline);
  absl::Status Absorb(const PointMatrix& x, const Deadline& deadline);
  // Whether the members' means at the results are those of base_means_.
  bool HasBaseMeans() const { return pending_.rows() == 0 || absorbs_; }

  ScaledResults scaled_;
  // Null where the training set has them all.
  std::shared_ptr<const TrainingData> all_results_;
  // When the members' predictions have to be quick, if there are too many results for one process.
  std::shared_ptr<Deadline> prediction_deadline_ =
      std::make_shared<Deadline>(Deadline::Infinite());
  bool noiseless_ = false;
  Model model_;                                         // Without transfer.
  std::shared_ptr<const Transfer> transfer_;            // Null without.
  std::shared_ptr<const FeasibilityModel> feasibility_;  // Null where all is feasible.
  std::vector<std::string> source_names_;
  std::optional<std::string> task_scale_ = {};  // Where it is not the study's own.
  double least_of_sources_ = 0;                 // The worst of their results.
  std::shared_ptr<const Calibrated> calibrated_;
  std::vector<std::string> hyperparameter_names_;
  std::vector<std::unique_ptr<Surrogate>> members_;
  PointMatrix pending_;
  double jitter_ = 0;
  // Each member's means at the results without pending trials, and the best of its means at the
  // pending trials that it absorbed.
  std::vector<Vector> base_means_;
  std::vector<double> best_pending_;
  bool absorbs_ = false;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_OBJECTIVE_MODEL_H_
