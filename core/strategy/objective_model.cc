#include "core/strategy/objective_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/acquisition/acquisition.h"
#include "core/base/instruction_set.h"
#include "core/base/status.h"
#include "core/gp/feasible_surrogate.h"
#include "core/optim/space_maximizer.h"

namespace slipstream {
namespace {

constexpr size_t kMostCachedCalibrations = 4;

bool SameData(const TrainingData& a, const TrainingData& b) {
  return a.y.size() == b.y.size() && a.x.cols() == b.x.cols() && a.y == b.y && a.x == b.x &&
         a.repeats == b.repeats;
}

Model ModelOf(const StudyView& view, const Recipe& recipe) {
  ModelOptions options;
  options.smoothness = recipe.smoothness;
  options.noiseless = view.noiseless;
  return DefaultModel(KindsOf(*view.space), options);
}

}  // namespace

std::shared_ptr<const Calibrated> CalibrationCache::Find(const TrainingData& data, bool noiseless,
                                                         uint64_t seed) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.noiseless == noiseless && entry.seed == seed && SameData(entry.data, data)) {
      return entry.calibrated;
    }
  }
  return nullptr;
}

void CalibrationCache::Insert(const TrainingData& data, bool noiseless, uint64_t seed,
                              std::shared_ptr<const Calibrated> calibrated) {
  const std::lock_guard lock(mutex_);
  entries_.push_front({data, noiseless, seed, std::move(calibrated)});
  if (entries_.size() > kMostCachedCalibrations) entries_.pop_back();
}

absl::StatusOr<ObjectiveModel> ObjectiveModel::Fit(const StudyView& view, const Recipe& recipe,
                                                   const Calibration& calibration,
                                                   CalibrationCache& cache, uint64_t seed,
                                                   absl::Time deadline) {
  ObjectiveModel fitted;
  TrainingSetOptions options;
  options.warp = recipe.warp;
  fitted.noiseless_ = view.noiseless;
  fitted.training_ = CollectTrainingSet(view, options);
  fitted.pending_.resize(0, fitted.training_.data.x.cols());
  const Model model = ModelOf(view, recipe);
  fitted.hyperparameter_names_ = HyperparameterNames(*model.kernel);
  fitted.calibrated_to_ = ScheduledFitSize(fitted.training_.data.y.size());
  const TrainingData part = FirstOf(fitted.training_.data, fitted.calibrated_to_);
  fitted.calibrated_ = cache.Find(part, view.noiseless, seed);
  if (fitted.calibrated_ == nullptr) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated calibrated,
                                calibration.Calibrate(model, {part, seed, deadline}));
    fitted.calibrated_ = std::make_shared<const Calibrated>(std::move(calibrated));
    cache.Insert(part, view.noiseless, seed, fitted.calibrated_);
  }
  SLIPSTREAM_RETURN_IF_ERROR(fitted.BuildMembers(view, model.kernel));
  return fitted;
}

absl::Status ObjectiveModel::BuildMembers(const StudyView& view,
                                          const std::shared_ptr<const Kernel>& kernel) {
  std::shared_ptr<const GaussianProcess> feasibility;
  if (training_.infeasible.rows() > 0) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        feasibility,
        FitFeasibility(KindsOf(*view.space), training_.data.x, training_.infeasible));
  }
  for (const Hyperparameters& hyperparameters : calibrated_->members) {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(kernel, training_.data, hyperparameters));
    jitter_ = std::max(jitter_, process.jitter());
    std::unique_ptr<Surrogate> member = std::make_unique<GaussianProcess>(std::move(process));
    if (feasibility != nullptr) {
      member = MakeFeasibleSurrogate(std::move(member), feasibility, training_.data.y.minCoeff());
    }
    members_.push_back(std::move(member));
  }
  return absl::OkStatus();
}

double ObjectiveModel::NoiseVariance(size_t member) const {
  return std::exp(calibrated_->members[member].log_noise_variance);
}

double ObjectiveModel::Incumbent(size_t member) const {
  double incumbent = noiseless_ ? training_.data.y.maxCoeff()
                                : IncumbentOf(*members_[member], training_.data.x);
  if (pending_.rows() > 0) {
    incumbent = std::max(incumbent, IncumbentOf(*members_[member], pending_));
  }
  return incumbent;
}

absl::Status ObjectiveModel::AddPending(const SearchSpace& space,
                                        absl::Span<const Configuration> pending) {
  if (pending.empty()) return absl::OkStatus();
  const PointMatrix x = EncodeAll(space, pending);
  for (std::unique_ptr<Surrogate>& member : members_) {
    SLIPSTREAM_ASSIGN_OR_RETURN(member, member->Fantasize(x));
  }
  PointMatrix all(pending_.rows() + x.rows(), x.cols());
  all << pending_, x;
  pending_ = std::move(all);
  return absl::OkStatus();
}

std::vector<Configuration> ObjectiveModel::BestConfigurations(size_t count) const {
  const Vector values =
      noiseless_ ? training_.data.y : members_.front()->Predict(training_.data.x).mean;
  std::vector<size_t> order(training_.configurations.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return values[static_cast<Index>(a)] > values[static_cast<Index>(b)];
  });
  order.resize(std::min(count, order.size()));
  std::vector<Configuration> best;
  for (size_t place : order) best.push_back(training_.configurations[place]);
  return best;
}

std::vector<Fact> ObjectiveModel::Facts() const {
  std::vector<Fact> facts;
  facts.push_back({"instruction_set", std::string(InstructionSet())});
  facts.push_back({"results", static_cast<double>(training_.measured)});
  if (training_.used < training_.different) {
    facts.push_back({"subset", absl::StrCat("the best ", training_.used / 2, " and ",
                                            training_.used - training_.used / 2, " others of ",
                                            training_.different, " configurations")});
  }
  if (training_.infeasible.rows() > 0) {
    facts.push_back({"infeasible", static_cast<double>(training_.infeasible.rows())});
  }
  if (pending_.rows() > 0) facts.push_back({"pending", static_cast<double>(pending_.rows())});
  const Vector packed = calibrated_->members.front().Packed();
  std::vector<std::string> lengthscales;
  for (size_t i = 0; i < hyperparameter_names_.size(); ++i) {
    const std::string& name = hyperparameter_names_[i];
    const double value = packed[static_cast<Index>(i)];
    if (name.rfind("lengthscale", 0) == 0) {
      lengthscales.push_back(absl::StrCat(std::exp(value)));
    } else {
      facts.push_back({name, name == "mean" ? value : std::exp(value)});
    }
  }
  facts.push_back({"lengthscales", absl::StrJoin(lengthscales, " ")});
  facts.push_back({"calibrated_to", static_cast<double>(calibrated_to_)});
  facts.push_back({"likelihood_evaluations", static_cast<double>(calibrated_->evaluations)});
  if (members_.size() > 1) facts.push_back({"members", static_cast<double>(members_.size())});
  if (jitter_ > 0) facts.push_back({"jitter", jitter_});
  for (const auto& [name, value] : calibrated_->diagnostics) {
    if (std::isfinite(value)) {
      facts.push_back({name, value});
    } else {
      facts.push_back({name, std::string("infinite")});  // JSON has no such number.
    }
  }
  return facts;
}

}  // namespace slipstream
