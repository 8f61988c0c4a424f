#include "core/exploration/hedge.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/exploration/exp3.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

constexpr uint64_t kHedgeLane = 0x4ed6e;
constexpr size_t kMostNominees = 1000;

// The acquisitions that nominate besides the recipe's own.
constexpr absl::string_view kOtherArms[] = {"ucb", "ei", "pi"};

using Arm = Choice<AcquisitionRow>;

std::vector<Arm> ArmsOf(const Arm& own) {
  std::vector<Arm> arms = {own};
  for (const absl::string_view name : kOtherArms) {
    const AcquisitionRow& other = *FindRow(AcquisitionRows(), name);
    const bool is_own = &other == &own.row() || (other.is_upper_bound && own->is_upper_bound);
    if (!is_own) arms.emplace_back(other, own.options());
  }
  return arms;
}

std::string NomineeNote(const Arm& arm) { return absl::StrCat("nominee_", arm.name()); }

// Whether it is a point of the unit cube. That of a trial that was imported may be anything.
bool IsPoint(const std::vector<double>& nominee, Index dimension) {
  return static_cast<Index>(nominee.size()) == dimension &&
         std::all_of(nominee.begin(), nominee.end(),
                     [](double coordinate) { return coordinate >= 0 && coordinate <= 1; });
}

// The sum of the means at what the arm nominated.
double GainOf(const Arm& arm, const SearchedModel& model, Index dimension,
              absl::Span<const EndedTrial> ended) {
  std::vector<const std::vector<double>*> nominees;
  for (auto trial = ended.rbegin(); trial != ended.rend() && nominees.size() < kMostNominees;
       ++trial) {
    const std::vector<double>* nominee = FindNote(trial->notes, NomineeNote(arm));
    if (nominee != nullptr && IsPoint(*nominee, dimension)) nominees.push_back(nominee);
  }
  if (nominees.empty()) return 0;
  PointMatrix x(static_cast<Index>(nominees.size()), dimension);
  for (size_t i = 0; i < nominees.size(); ++i) {
    x.row(static_cast<Index>(i)) =
        Eigen::Map<const Vector>(nominees[i]->data(), dimension).transpose();
  }
  return MeanOutcomesTogether(model, x).sum();
}

// An arm's point, noted in `point`.
absl::StatusOr<NextPoint> Nominate(const NextPointRequest& request, const Arm& arm,
                                   ExploredPoint& point) {
  SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint nominee, ChooseNextPoint(request.With(arm, request.model)));
  const PointMatrix x = EncodeAll(request.space, absl::MakeConstSpan(&nominee.configuration, 1));
  point.notes.push_back({NomineeNote(arm), std::vector<double>(x.data(), x.data() + x.size())});
  return nominee;
}

class Hedge final : public Exploration {
 public:
  explicit Hedge(const HedgeOptions& options) : options_(options) {}

  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    const NextPointRequest& request = search.request;
    std::vector<Arm> arms = ArmsOf(request.acquisition);
    const auto dimension = static_cast<Index>(request.space.dimension());
    ExploredPoint point;
    std::vector<NextPoint> nominees;
    std::vector<double> gains;
    for (const Arm& arm : arms) {
      absl::StatusOr<NextPoint> nominee = Nominate(request, arm, point);
      // What is there is better than a step down the ladder.
      if (absl::IsDeadlineExceeded(nominee.status()) && !nominees.empty()) break;
      SLIPSTREAM_RETURN_IF_ERROR(nominee.status());
      nominees.push_back(*std::move(nominee));
      gains.push_back(GainOf(arm, request.model, dimension, search.ended));
    }
    const bool is_cut_short = nominees.size() < arms.size();
    arms.erase(arms.begin() + static_cast<std::ptrdiff_t>(nominees.size()), arms.end());
    const std::vector<double> probabilities = HedgeProbabilities(gains, options_.rate);
    const size_t chosen = ArmAt(probabilities, CounterRandomUniform(request.seed, 0, kHedgeLane));
    point.next = std::move(nominees[chosen]);
    point.next.is_cut_short |= is_cut_short;
    point.facts.push_back({"arm", std::string(arms[chosen].name())});
    for (size_t i = 0; i < arms.size(); ++i) {
      const absl::string_view name = arms[i].name();
      point.facts.push_back({absl::StrCat("probability_of_", name), probabilities[i]});
      point.facts.push_back({absl::StrCat("gain_of_", name), gains[i]});
    }
    return point;
  }

 private:
  const HedgeOptions options_;
};

constexpr Option<HedgeOptions> kHedgeOptions[] = {
    OptionAt<&HedgeOptions::rate>(
        {"hedge_rate", "", 0, 100, false,
         "eta, the learning rate of hedge, for results of variance 1"}),
};

}  // namespace

const ExplorationRow kHedge = {
    .about = {.name = "hedge",
              .summary = "Hedge chooses among the points that several acquisitions nominate",
              .source = "Hoffman, Brochu and de Freitas 2011, algorithm 2",
              .options = [] { return OptionSet(HedgeOptions(), kHedgeOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<Exploration> {
      return std::make_unique<Hedge>(options.As<HedgeOptions>());
    },
    .reads_notes = true,
};

}  // namespace slipstream
