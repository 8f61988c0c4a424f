// What an objective model tells of itself, for provenance.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/instruction_set.h"
#include "core/strategy/objective_model.h"

namespace slipstream {

std::vector<SourceWeight> ObjectiveModel::SourceWeights() const {
  std::vector<SourceWeight> weights;
  if (transfer_ == nullptr) return weights;
  const auto members = static_cast<double>(calibrated_->members.size());
  Vector shares = Vector::Zero(static_cast<Index>(source_names_.size()));
  for (const Hyperparameters& member : calibrated_->members) {
    shares += transfer_->Shares(member) / members;
  }
  for (size_t i = 0; i < source_names_.size(); ++i) {
    const double share = shares[static_cast<Index>(i)];
    if (share > 0) weights.push_back({source_names_[i], share});
  }
  std::stable_sort(weights.begin(), weights.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return weights;
}

std::vector<Fact> ObjectiveModel::Facts() const {
  std::vector<Fact> facts;
  facts.push_back({"instruction_set", std::string(InstructionSet())});
  facts.push_back({"results", static_cast<double>(scaled_.training.measured)});
  if (all_results_ != nullptr) {
    facts.push_back({"patches", absl::StrCat("each prediction from the results around it, of ",
                                             all_results_->y.size(), " configurations")});
  } else if (scaled_.training.used < scaled_.training.different) {
    facts.push_back(
        {"subset", absl::StrCat("the best ", scaled_.training.used / 2, " and ",
                                scaled_.training.used - scaled_.training.used / 2, " others of ",
                                scaled_.training.different, " configurations")});
  }
  if (scaled_.training.limited > 0) {
    facts.push_back({"limited_results", static_cast<double>(scaled_.training.limited)});
  }
  if (scaled_.training.infeasible.rows() > 0) {
    facts.push_back({"infeasible", static_cast<double>(scaled_.training.infeasible.rows())});
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
  if (scaled_.power_evidence.has_value()) {
    facts.push_back({"power_evidence", *scaled_.power_evidence});
  }
  if (task_scale_.has_value()) facts.push_back({"task_scale", *task_scale_});
  facts.push_back({"calibrated_to", static_cast<double>(scaled_.calibrated_to)});
  if (transfer_ == nullptr && scaled_.calibration_part.y.size() < scaled_.calibrated_to) {
    facts.push_back({"calibration_points", static_cast<double>(scaled_.calibration_part.y.size())});
  }
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
  if (transfer_ != nullptr) {
    for (const auto& [name, value] : transfer_->Remarks(calibrated_->members.front())) {
      facts.push_back({name, value});
    }
  }
  return facts;
}

}  // namespace slipstream
