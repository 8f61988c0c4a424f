#include "core/strategy/lengthscale_rule.h"

#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "core/calibration/shrinking.h"

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
  explicit PointSearches(const NextPointRequest& request) : request_(request) {}

  absl::StatusOr<double> Deviation(const std::vector<Hyperparameters>& members, double multiplier) {
    RuledModel ruled;
    if (!SameMembers(request_.model.hyperparameters(), members)) {
      SLIPSTREAM_ASSIGN_OR_RETURN(ruled.model, request_.model.WithMembers(members));
    }
    const ObjectiveModel& model = ruled.model.has_value() ? *ruled.model : request_.model;
    NextPointRequest ask = request_.With(request_.recipe, model);
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
      const ObjectiveModel& model = kept->model.has_value() ? *kept->model : request_.model;
      if (SameMembers(model.hyperparameters(), members)) return std::move(*kept);
    }
    RuledModel ruled;
    if (SameMembers(request_.model.hyperparameters(), members)) return ruled;
    SLIPSTREAM_ASSIGN_OR_RETURN(ruled.model, request_.model.WithMembers(members));
    return ruled;
  }

  ChosenDeviation Asker() {
    return [this](const std::vector<Hyperparameters>& members, double multiplier) {
      return Deviation(members, multiplier);
    };
  }

 private:
  const NextPointRequest& request_;
  RuledModel first_;
  RuledModel latest_;
};

absl::StatusOr<RuledModel> ExpandModel(const NextPointRequest& request, const ExpandingPast& past) {
  const ObjectiveModel& base = request.model;
  PointSearches searches(request);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const Expanded expanded,
      Expand(base.model(), base.calibration_data(), base.hyperparameters(),
             static_cast<Index>(request.space.dimension()), UcbMultiplier(request), past,
             request.recipe.expanding, searches.Asker()));
  SLIPSTREAM_ASSIGN_OR_RETURN(RuledModel ruled, searches.Take(expanded.members));
  ruled.ucb_multiplier = expanded.multiplier;
  ruled.expansion = expanded.h;
  ruled.amplitude = expanded.amplitude;
  ruled.facts = {{"h", expanded.h},
                 {"g", expanded.g},
                 {"b", expanded.b},
                 {"regret_estimate", expanded.regret},
                 {"regret_reference", expanded.reference}};
  return ruled;
}

absl::StatusOr<RuledModel> ShrinkModel(const NextPointRequest& request) {
  const ObjectiveModel& base = request.model;
  PointSearches searches(request);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Shrunk shrunk,
                              Shrink(base.model(), base.hyperparameters(), UcbMultiplier(request),
                                     request.recipe.shrinking, searches.Asker()));
  SLIPSTREAM_ASSIGN_OR_RETURN(RuledModel ruled, searches.Take(shrunk.members));
  ruled.facts = {{"g", shrunk.g}, {"chosen_deviation", shrunk.deviation}};
  return ruled;
}

}  // namespace

absl::StatusOr<RuledModel> ApplyLengthscaleRule(const NextPointRequest& request,
                                                const ExpandingPast& past) {
  switch (request.recipe.lengthscale_rule) {
    case LengthscaleRule::kAsCalibrated:
      return RuledModel();
    case LengthscaleRule::kExpanding:
      return ExpandModel(request, past);
    case LengthscaleRule::kShrinking:
      return ShrinkModel(request);
  }
  return absl::InternalError("a rule for lengthscales without a form");
}

Notes ExpansionNotes(double h, double multiplier, double deviation) {
  return {{kExpansionNote, {h, 2 * multiplier * deviation}}};
}

ExpandingPast ExpansionPast(const StudyView& view, absl::Span<const Suggestion> made) {
  ExpandingPast past;
  const auto add = [&past](const Notes& notes) {
    const std::vector<double>* values = FindNote(notes, kExpansionNote);
    if (values == nullptr || values->size() != 2) return;
    past.h = std::max(past.h, (*values)[0]);
    past.regret += (*values)[1];
    ++past.chosen_points;
  };
  for (const EndedTrial& trial : view.ended) {
    if (trial.ending == Ending::kMeasured) ++past.results;
    add(trial.notes);
  }
  for (const OpenTrial& trial : view.open) add(trial.notes);
  for (const Suggestion& suggestion : made) add(suggestion.provenance.notes);
  return past;
}

}  // namespace slipstream
