#include "core/strategy/objective_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/acquisition/acquisition.h"
#include "core/base/even_parts.h"
#include "core/base/status.h"
#include "core/gp/feasible_surrogate.h"
#include "core/gp/largest_places.h"
#include "core/gp/patched_process.h"
#include "core/space/candidate_list.h"
#include "core/space/encoded_points.h"
#include "core/space/quasi_random.h"
#include "core/strategy/branch_beliefs.h"
#include "core/strategy/training_history.h"

namespace slipstream {
namespace {

// The belief in the mean where there is nothing but the study's own results. They are few and stand
// mostly where it is good, so their own mean, which is 0, says little; on families of functions
// that no figure is reported on, a belief as wide as this leaves an eighth less regret than one of
// deviation 1 after 10 to 30 suggestions.
constexpr double kMeanDeviation = 3;

ModelOptions ModelOptionsOf(const StudyView& view, const Recipe& recipe, bool with_sources) {
  ModelOptions options;
  options.smoothness = recipe.model_options().smoothness;
  options.noiseless = view.noiseless;
  options.warps_inputs = recipe.model_options().warps_inputs;
  options.gamma = recipe.model_options().gamma;
  // Given hyperparameters are those of the process beside the sources, not of the study alone.
  // A recipe with a guard also has a model of the study alone. That model takes them if the study
  // has no sources, and always takes the noise, which belongs to the results.
  const GivenHyperparameters& given = recipe.model_options().given;
  const bool is_guarded = recipe.model_options().transfer_guard;
  const bool is_of_process = with_sources == recipe.prior->uses_sources();
  if (is_of_process || (is_guarded && view.sources.empty())) options.given = given;
  if (is_guarded) options.given.noise_deviation = given.noise_deviation;
  if (view.noiseless) options.given.noise_deviation.reset();  // That is known of this study.
  return options;
}

// Pending trials are absorbed (Surrogate::Absorb) where they are more than this many, ...
constexpr Index kManyPending = 16;
// ... or where results or sources are.
constexpr Index kManyResults = 100;
constexpr size_t kManySources = 8;
// At most so many pending trials are absorbed: the cost grows with the square of their number.
constexpr Index kMostPending = 256;
constexpr double kPromisingDeviations = 2;
// Where one process cannot take all results, only so many of the best ones may be the incumbent.
constexpr Index kMostContenders = 256;
// Of these so many are predicted one by one, as the search does it.
constexpr Index kMostLookedAtAlone = 8;
// And only so many draws of the hyperparameters become models.
constexpr size_t kMostMembers = 4;

Scaling ScalingBy(OutputWarp warp, const Recipe& recipe) {
  Scaling scaling{warp};
  scaling.most = static_cast<size_t>(recipe.model_options().exact_results);
  return scaling;
}

// Evenly among the candidates, or all over the cube; the same for all studies of
// the space, which then share what priors make of their sources.
PointMatrix PlacesOf(const SearchSpace& space, Index count) {
  const auto most = static_cast<size_t>(count);
  std::vector<Configuration> some;
  if (!space.has_candidates()) {
    for (const auto& point : QuasiRandomPoints(space.dimension(), 0, 0, most)) {
      some.push_back(space.Sample(point));
    }
    return EncodeAll(space, some);
  }
  const std::vector<Configuration>& all = space.candidates();
  for (size_t place : FirstOfParts(all.size(), most)) some.push_back(all[place]);
  return EncodeAll(space, some);
}

}  // namespace

absl::Status PreparePrior(const Prior& prior, const StudyView& view, const Recipe& recipe,
                          const SourceModels& sources, const Deadline& deadline) {
  const TrainingData nothing = NoResults(*view.space);
  Places places([&](Index count) { return PlacesOf(*view.space, count); });
  return prior.Prepare({KindsOf(*view.space), nothing, sources, ModelOptionsOf(view, recipe, true),
                        std::move(places),
                        /*earlier=*/{},
                        /*seed=*/0,
                        /*calibrated_results=*/{},
                        /*initial_results=*/0, deadline});
}

Scaling ScalingWithSources(const ObjectiveModelRequest& request) {
  Scaling scaling = ScalingBy(WarpWithSources(request.recipe), request.recipe);
  if (request.scale.has_value()) {
    scaling.shared = request.scale->WithSign(request.view.goal == Goal::kMinimize ? -1 : 1);
  }
  return scaling;
}

absl::StatusOr<ObjectiveModel> ObjectiveModel::Fit(const ObjectiveModelRequest& request) {
  ObjectiveModel fitted;
  fitted.noiseless_ = request.view.noiseless;
  if (request.prior == nullptr) {
    SLIPSTREAM_RETURN_IF_ERROR(fitted.CalibrateAlone(request));
    fitted.CollectAllResults(request.view);
  } else {
    SLIPSTREAM_RETURN_IF_ERROR(fitted.CalibrateWithSources(request));
  }
  const TrainingSet& training = fitted.training();
  fitted.pending_.resize(0, training.data.x.cols());
  if (training.infeasible.rows() + training.failed.rows() > 0) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        fitted.feasibility_, FitFeasibility(KindsOf(*request.view.space), training.data.x,
                                            training.infeasible, training.failed));
  }
  SLIPSTREAM_RETURN_IF_ERROR(fitted.BuildMembers(request.deadline));
  return fitted;
}

absl::Status ObjectiveModel::CalibrateAlone(const ObjectiveModelRequest& request) {
  ModelOptions options = ModelOptionsOf(request.view, request.recipe, false);
  options.mean_deviation = kMeanDeviation;
  options.noise = request.noise;
  model_ = DefaultModel(KindsOf(*request.view.space), options);
  BelieveInBranches(*request.view.space, model_);
  FixGiven(options.given, model_);  // Which stays fixed, whatever is believed of branches.
  if (request.scaling.has_value()) {
    scaled_ = ScaleResults(request.view, *request.scaling);
  } else if (request.recipe.model_options().scale == TaskScale::kAsMeasured) {
    Scaling scaling = ScalingBy(OutputWarp::kStandardize, request.recipe);
    scaling.shared = OutputTransform::Identity(request.view.goal == Goal::kMinimize ? -1 : 1);
    scaled_ = ScaleResults(request.view, scaling);
    task_scale_ = "as measured";
  } else {
    Scaling scaling = ScalingBy(request.recipe.model_options().warp, request.recipe);
    scaling.beside_sources = request.beside_sources;
    SLIPSTREAM_ASSIGN_OR_RETURN(
        scaled_,
        ScaleResultsBy({model_, request.judge, request.cache, request.seed, request.deadline},
                       request.view, scaling));
  }
  return Calibrate(request, model_, scaled_.calibration_part);
}

void ObjectiveModel::CollectAllResults(const StudyView& view) {
  const TrainingSet& some = training();
  if (some.used == some.different) return;
  TrainingSetOptions options;
  options.reach = scaled_.scaling.reach;
  options.weighs_crowded = scaled_.scaling.beside_sources;
  options.transform = &some.transform;
  options.most = some.different;
  options.most_without_value = 0;
  all_results_ = std::make_shared<const TrainingData>(CollectTrainingSet(view, options).data);
  ThinMembers();
}

void ObjectiveModel::ThinMembers() {
  const std::vector<Hyperparameters>& all = calibrated_->members;
  if (all.size() <= kMostMembers) return;
  Calibrated fewer = *calibrated_;
  fewer.members.clear();
  for (size_t place : FirstOfParts(all.size(), kMostMembers)) fewer.members.push_back(all[place]);
  calibrated_ = std::make_shared<const Calibrated>(std::move(fewer));
}

absl::Status ObjectiveModel::CalibrateWithSources(const ObjectiveModelRequest& request) {
  const StudyView& view = request.view;
  Scaling scaling = request.scaling.value_or(ScalingWithSources(request));
  if (scaling.shared.has_value()) {
    task_scale_ = TaskScaleOf(request.recipe) == TaskScale::kShared ? "shared" : "as measured";
  }
  scaled_ = ScaleResults(view, scaling);
  const TrainingData& data = training().data;
  Places places([&](Index count) { return PlacesOf(*view.space, count); });
  ModelOptions options = ModelOptionsOf(view, request.recipe, true);
  options.noise = request.noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(
      transfer_,
      request.prior->Combine({KindsOf(*view.space), data, request.sources, std::move(options),
                              std::move(places), HistoryOf(view, scaling), request.seed,
                              std::min(scaled_.calibrated_to, data.y.size()),
                              request.initial_results, request.deadline}));
  least_of_sources_ = request.sources.front()->data.y.minCoeff();
  for (const auto& source : request.sources) {
    source_names_.push_back(source->name);
    least_of_sources_ = std::min(least_of_sources_, source->data.y.minCoeff());
  }
  return Calibrate(request, transfer_->model(), transfer_->data());
}

absl::Status ObjectiveModel::Calibrate(const ObjectiveModelRequest& request, const Model& model,
                                       const TrainingData& part) {
  hyperparameter_names_ = HyperparameterNames(*model.kernel);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      calibrated_,
      request.cache.Get(request.calibration, model, {part, request.seed, request.deadline}));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Surrogate>> ObjectiveModel::MemberOf(
    const Hyperparameters& hyperparameters) {
  if (transfer_ != nullptr) return transfer_->Fit(hyperparameters);
  SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                              FitProcess(model_.kernel, scaled_.training.data, hyperparameters));
  jitter_ = std::max(jitter_, process.jitter());
  if (all_results_ != nullptr) {
    const std::shared_ptr<const GaussianPrior> prior = process.shared_prior();
    return PatchedProcess::Fit(prior,
                               {all_results_->x, all_results_->y,
                                NoiseOf(*all_results_, hyperparameters.log_noise_variance)},
                               std::move(process),
                               PatchedProcess::kMostFitted / calibrated_->members.size(),
                               prediction_deadline_);
  }
  return std::make_unique<GaussianProcess>(std::move(process));
}

Vector ObjectiveModel::SearchedMeans(const Surrogate& member, const PointMatrix& x) const {
  Vector means = member.PredictMean(x);
  if (all_results_ == nullptr) return means;
  for (Index row : LargestPlaces(means, kMostLookedAtAlone)) {
    means[row] = std::max(means[row], member.Predict(PointMatrix(x.row(row))).mean[0]);
  }
  return means;
}

Vector ObjectiveModel::MeansAtResults(const Surrogate& member) const {
  const TrainingData& data = scaled_.training.data;
  const Surrogate& objective = WhereMeasured(member);
  if (all_results_ == nullptr) return objective.PredictMean(data.x);
  Vector means = Vector::Constant(data.y.size(), -std::numeric_limits<double>::infinity());
  const std::vector<Index> contenders = LargestPlaces(data.y, kMostContenders);
  means(contenders) = SearchedMeans(objective, data.x(contenders, Eigen::all));
  return means;
}

absl::Status ObjectiveModel::BuildMembers(const Deadline& deadline) {
  members_.clear();
  base_means_.clear();
  *prediction_deadline_ = deadline;
  for (const Hyperparameters& hyperparameters : calibrated_->members) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to fit the model"));
    SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Surrogate> member, MemberOf(hyperparameters));
    const Vector means = MeansAtResults(*member);
    if (feasibility_ != nullptr) {
      const Vector& results = scaled_.training.data.y;
      const double incumbent = means.size() > 0 ? means.maxCoeff() : least_of_sources_;
      const double worst = results.size() > 0 ? results.minCoeff() : least_of_sources_;
      member = MakeFeasibleSurrogate(std::move(member), feasibility_, incumbent,
                                     std::min(worst, incumbent));
    }
    base_means_.push_back(means);
    members_.push_back(std::move(member));
  }
  // If time ran out, the means were predicted from a sample, and are not those at the results.
  if (all_results_ != nullptr) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to fit the model"));
  }
  best_pending_.assign(members_.size(), -std::numeric_limits<double>::infinity());
  return absl::OkStatus();
}

std::optional<double> ObjectiveModel::LogLikelihoodOf(const TrainingData& results) const {
  const absl::StatusOr<LikelihoodValue> likelihood =
      LogMarginalLikelihood(*model().kernel, results, calibrated_->members.front());
  if (!likelihood.ok()) return std::nullopt;
  return likelihood->value;
}

double ObjectiveModel::NoiseVariance(size_t member) const {
  return std::exp(calibrated_->members[member].log_noise_variance);
}

double ObjectiveModel::Incumbent(size_t member) const {
  // Before the first result anything is an improvement, so that what is expected most is best.
  if (scaled_.training.data.y.size() == 0) {
    const double pending =
        pending_.rows() == 0 ? least_of_sources_ : IncumbentOf(*members_[member], pending_);
    return std::max(least_of_sources_, pending);
  }
  // With transfer the model may be on a scale of its own, and where trials had no value its
  // predictions count from its mean at the best result.
  const bool is_as_measured = noiseless_ && transfer_ == nullptr && feasibility_ == nullptr;
  const double best = is_as_measured   ? scaled_.training.data.y.maxCoeff()
                      : HasBaseMeans() ? base_means_[member].maxCoeff()
                                       : MeansAtResults(*members_[member]).maxCoeff();
  if (absorbs_) return std::max(best, best_pending_[member]);
  return pending_.rows() == 0 ? best : std::max(best, IncumbentOf(*members_[member], pending_));
}

absl::Status ObjectiveModel::AddPending(const SearchSpace& space,
                                        absl::Span<const Configuration> pending,
                                        const Deadline& deadline) {
  *prediction_deadline_ = deadline;
  if (pending.empty()) return absl::OkStatus();
  const PointMatrix x = EncodeAll(space, pending);
  return Fantasize(x.rows() <= kMostPending ? x : MostPromising(x, kMostPending), deadline);
}

// Those of `x` with the highest upper bounds, in their order: a search comes near no other ones.
PointMatrix ObjectiveModel::MostPromising(const PointMatrix& x, Index count) const {
  const Predictions predictions = members_.front()->Predict(x);
  const Vector bounds = predictions.mean + kPromisingDeviations * predictions.variance.cwiseSqrt();
  return x(LargestPlaces(bounds, count), Eigen::all);
}

absl::Status ObjectiveModel::Fantasize(const PointMatrix& x, const Deadline& deadline) {
  PointMatrix all(pending_.rows() + x.rows(), x.cols());
  all << pending_, x;
  if (all.rows() > kManyPending || scaled_.training.data.y.size() > kManyResults ||
      source_names_.size() > kManySources) {
    const bool is_first = !std::exchange(absorbs_, true);
    // Starts again from the results, because pending trials that were taken in without absorbing
    // cannot be appended to.
    if (is_first && pending_.rows() > 0) SLIPSTREAM_RETURN_IF_ERROR(BuildMembers(deadline));
    SLIPSTREAM_RETURN_IF_ERROR(Absorb(is_first ? all : x, deadline));
  } else {
    for (std::unique_ptr<Surrogate>& member : members_) {
      SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the pending trials"));
      SLIPSTREAM_ASSIGN_OR_RETURN(member, member->Fantasize(x));
    }
  }
  pending_ = std::move(all);
  return absl::OkStatus();
}

absl::Status ObjectiveModel::Absorb(const PointMatrix& x, const Deadline& deadline) {
  for (size_t i = 0; i < members_.size(); ++i) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the pending trials"));
    std::unique_ptr<Surrogate>& member = members_[i];
    best_pending_[i] = std::max(best_pending_[i], SearchedMeans(*member, x).maxCoeff());
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool absorbed, member->Absorb(x));
    if (absorbed) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(member, member->Fantasize(x));
  }
  return absl::OkStatus();
}

void ObjectiveModel::Remember(const PointMatrix& x) {
  for (std::unique_ptr<Surrogate>& member : members_) member->Remember(x);
}

absl::StatusOr<ObjectiveModel> ObjectiveModel::WithMembers(std::vector<Hyperparameters> members,
                                                           const Deadline& deadline) const {
  ObjectiveModel other;
  other.scaled_ = scaled_;
  other.all_results_ = all_results_;
  other.noiseless_ = noiseless_;
  other.model_ = model_;
  other.transfer_ = transfer_;
  other.feasibility_ = feasibility_;
  other.task_scale_ = task_scale_;
  other.source_names_ = source_names_;
  other.least_of_sources_ = least_of_sources_;
  other.hyperparameter_names_ = hyperparameter_names_;
  Calibrated calibrated = *calibrated_;
  calibrated.members = std::move(members);
  other.calibrated_ = std::make_shared<const Calibrated>(std::move(calibrated));
  other.pending_.resize(0, pending_.cols());
  SLIPSTREAM_RETURN_IF_ERROR(other.BuildMembers(deadline));
  if (pending_.rows() > 0) SLIPSTREAM_RETURN_IF_ERROR(other.Fantasize(pending_, deadline));
  return other;
}

std::vector<Configuration> ObjectiveModel::BestConfigurations(size_t count) const {
  const Vector values = noiseless_       ? scaled_.training.data.y
                        : HasBaseMeans() ? base_means_.front()
                                         : MeansAtResults(*members_.front());
  std::vector<size_t> order(scaled_.training.configurations.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return values[static_cast<Index>(a)] > values[static_cast<Index>(b)];
  });
  order.resize(std::min(count, order.size()));
  std::vector<Configuration> best;
  for (size_t place : order) best.push_back(scaled_.training.configurations[place]);
  return best;
}

}  // namespace slipstream
