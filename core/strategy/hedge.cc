#include "core/strategy/hedge.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/space/candidate_list.h"
#include "core/exploration/exp3.h"
#include "core/recipe/recipe_names.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

constexpr uint64_t kHedgeLane = 0x4ed6e;
constexpr size_t kMostNominees = 1000;

struct HedgeArm {
  std::string name;
  Recipe recipe;
};

std::vector<HedgeArm> ArmsOf(const Recipe& recipe) {
  std::vector<HedgeArm> arms = {{NamesOf(recipe).acquisition, recipe}};
  for (AcquisitionKind kind :
       {AcquisitionKind::kUpperConfidenceBound, AcquisitionKind::kExpectedImprovement,
        AcquisitionKind::kProbabilityOfImprovement}) {
    if (kind == recipe.acquisition) continue;
    Recipe other = recipe;
    other.acquisition = kind;
    other.ucb_schedule = UcbSchedule::kConstant;
    arms.push_back({NamesOf(other).acquisition, other});
  }
  return arms;
}

std::string NomineeNote(const HedgeArm& arm) { return absl::StrCat("nominee_", arm.name); }

// The sum of the means at what the arm nominated.
double GainOf(const HedgeArm& arm, const ObjectiveModel& model, Index dimension,
              absl::Span<const EndedTrial> ended) {
  std::vector<const std::vector<double>*> nominees;
  for (auto trial = ended.rbegin(); trial != ended.rend() && nominees.size() < kMostNominees;
       ++trial) {
    const std::vector<double>* nominee = FindNote(trial->notes, NomineeNote(arm));
    if (nominee != nullptr && static_cast<Index>(nominee->size()) == dimension) {
      nominees.push_back(nominee);
    }
  }
  if (nominees.empty()) return 0;
  PointMatrix x(static_cast<Index>(nominees.size()), dimension);
  for (size_t i = 0; i < nominees.size(); ++i) {
    x.row(static_cast<Index>(i)) =
        Eigen::Map<const Vector>(nominees[i]->data(), dimension).transpose();
  }
  double gain = 0;
  for (const auto& member : model.members()) gain += member->Predict(x).mean.sum();
  return gain / static_cast<double>(model.members().size());
}

}  // namespace

absl::StatusOr<HedgeChoice> ChooseByHedge(const NextPointRequest& request,
                                          absl::Span<const EndedTrial> ended) {
  const std::vector<HedgeArm> arms = ArmsOf(request.recipe);
  const auto dimension = static_cast<Index>(request.space.dimension());
  HedgeChoice choice;
  std::vector<NextPoint> nominees;
  std::vector<double> gains;
  for (const HedgeArm& arm : arms) {
    SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint nominee,
                                ChooseNextPoint(request.With(arm.recipe, request.model)));
    const PointMatrix x = EncodeAll(request.space, absl::MakeConstSpan(&nominee.configuration, 1));
    choice.notes.push_back({NomineeNote(arm), std::vector<double>(x.data(), x.data() + x.size())});
    nominees.push_back(std::move(nominee));
    gains.push_back(GainOf(arm, request.model, dimension, ended));
  }
  const std::vector<double> probabilities =
      HedgeProbabilities(gains, request.recipe.exploration_options.hedge_rate);
  const size_t chosen = ArmAt(probabilities, CounterRandomUniform(request.seed, 0, kHedgeLane));
  choice.next = std::move(nominees[chosen]);
  choice.facts.push_back({"arm", arms[chosen].name});
  for (size_t i = 0; i < arms.size(); ++i) {
    choice.facts.push_back({absl::StrCat("probability_of_", arms[i].name), probabilities[i]});
    choice.facts.push_back({absl::StrCat("gain_of_", arms[i].name), gains[i]});
  }
  return choice;
}

}  // namespace slipstream
