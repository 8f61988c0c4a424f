#include "core/strategy/lengthscale_rule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr char kExpansionNote[] = "expansion";  // h, and the term of the regret.

bool SameMembers(const std::vector<Hyperparameters>& a, const std::vector<Hyperparameters>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Hyperparameters& one, const Hyperparameters& other) {
                      return one.kernel == other.kernel;
                    });
}

// Asks for the point that would be chosen with other members, and keeps the
// first answer and the latest.
class PointSearches {
 public:
  PointSearches(const NextPointRequest& request, const ObjectiveModel& base)
      : request_(request), base_(base) {}

  absl::StatusOr<double> Deviation(const std::vector<Hyperparameters>& members, double multiplier) {
    RuledModel ruled;
    if (!SameMembers(base_.hyperparameters(), members)) {
      SLIPSTREAM_ASSIGN_OR_RETURN(ruled.model, base_.WithMembers(members, request_.deadline));
    }
    const ObjectiveModel& model = ruled.model.has_value() ? *ruled.model : base_;
    NextPointRequest ask = request_.With(request_.acquisition, model);
    ask.ucb_multiplier = multiplier;
    SLIPSTREAM_ASSIGN_OR_RETURN(ruled.next, ChooseNextPoint(ask));
    const double deviation = ruled.next->model_deviation;
    (first_.next.has_value() ? latest_ : first_) = std::move(ruled);
    return deviation;
  }

  // The model with these members, with its point if it is one of those kept.
  absl::StatusOr<RuledModel> Take(const std::vector<Hyperparameters>& members) {
    for (RuledModel* kept : {&first_, &latest_}) {
      if (!kept->next.has_value()) continue;
      const ObjectiveModel& model = kept->model.has_value() ? *kept->model : base_;
      if (SameMembers(model.hyperparameters(), members)) return std::move(*kept);
    }
    RuledModel ruled;
    if (SameMembers(base_.hyperparameters(), members)) return ruled;
    SLIPSTREAM_ASSIGN_OR_RETURN(ruled.model, base_.WithMembers(members, request_.deadline));
    return ruled;
  }

  ChosenDeviation Asker() {
    return [this](const std::vector<Hyperparameters>& members, double multiplier) {
      return Deviation(members, multiplier);
    };
  }

 private:
  const NextPointRequest& request_;
  const ObjectiveModel& base_;
  RuledModel first_;
  RuledModel latest_;
};

}  // namespace

absl::StatusOr<RuledModel> ApplyLengthscaleRule(const LengthscaleRule& rule,
                                                const NextPointRequest& request,
                                                const ObjectiveModel& base,
                                                const LengthscalePast& past) {
  PointSearches searches(request, base);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const RuledLengthscales lengthscales,
      rule.Apply({base.model(), base.calibration_data(), base.hyperparameters(),
                  static_cast<Index>(request.space.dimension()), UpperBoundMultiplier(request),
                  past, searches.Asker()}));
  SLIPSTREAM_ASSIGN_OR_RETURN(RuledModel ruled, searches.Take(lengthscales.members));
  ruled.ucb_multiplier = lengthscales.multiplier;
  ruled.expansion = lengthscales.expansion;
  ruled.amplitude = lengthscales.amplitude;
  for (const auto& [name, value] : lengthscales.facts) ruled.facts.push_back({name, value});
  return ruled;
}

Notes ExpansionNotes(double h, double multiplier, double deviation) {
  return {{kExpansionNote, {h, 2 * multiplier * deviation}}};
}

LengthscalePast ExpansionPast(const StudyView& view, absl::Span<const Suggestion> made) {
  LengthscalePast past;
  const auto add = [&past](const Notes& notes) {
    const std::vector<double>* values = FindNote(notes, kExpansionNote);
    if (values == nullptr || values->size() != 2) return;
    // Those of a trial that was imported may be anything.
    if (!std::isfinite((*values)[0]) || !std::isfinite((*values)[1])) return;
    past.h = std::max(past.h, (*values)[0]);
    past.regret += (*values)[1];
    ++past.chosen_points;
  };
  for (const EndedTrial& trial : view.ended) {
    if (InformsModels(trial)) ++past.results;
    add(trial.notes);
  }
  for (const OpenTrial& trial : view.open) add(trial.notes);
  for (const Suggestion& suggestion : made) add(suggestion.provenance.notes);
  return past;
}

}  // namespace slipstream
