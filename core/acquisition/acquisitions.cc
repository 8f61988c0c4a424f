#include "core/acquisition/acquisitions.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/acquisition/acquisition.h"
#include "core/acquisition/next_point.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/optim/space_maximizer.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

// Joint draws are made at no more points.
constexpr size_t kMostDrawn = 1024;
// Lane of the random number that chooses the member to draw from.
constexpr uint64_t kMemberLane = 0xd4a39;
// The least improvement that counts, on outputs of variance 1. With none, the probability to
// improve is largest right beside the best point, where there is next to nothing to gain.
constexpr double kLeastImprovement = 0.1;
// The probabilities with which the theoretical bounds may fail.
constexpr double kRho = 0.1;
constexpr double kContinuousRho = 0.01;  // Envelope-BO's.

using MadeRule = absl::StatusOr<std::unique_ptr<AcquisitionRule>>;
// The rule for one member of the request's model.
using RuleMaker = MadeRule (*)(const NextPointRequest& request, size_t member);

// A RuledScore's members as they look around a point.
class NearScore final : public SmoothScore {
 public:
  // Null where none of them has such a form.
  static std::unique_ptr<SmoothScore> Of(std::vector<RuledSurrogate> members, ConstVectorView x) {
    std::vector<std::unique_ptr<Surrogate>> near;
    for (RuledSurrogate& member : members) {
      std::unique_ptr<Surrogate> surrogate = member.surrogate->Near(x);
      if (surrogate == nullptr) continue;
      member.surrogate = surrogate.get();
      near.push_back(std::move(surrogate));
    }
    if (near.empty()) return nullptr;
    return std::unique_ptr<SmoothScore>(new NearScore(std::move(near), std::move(members)));
  }

  Vector ValuesAt(const PointMatrix& x) const override { return acquisition_.Values(x); }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    return acquisition_.ValueAndGradient(x, gradient);
  }

 private:
  NearScore(std::vector<std::unique_ptr<Surrogate>> near, std::vector<RuledSurrogate> members)
      : near_(std::move(near)), acquisition_(std::move(members)) {}

  std::vector<std::unique_ptr<Surrogate>> near_;
  Acquisition acquisition_;
};

// A rule for each member of the model, averaged.
class RuledScore final : public SmoothScore {
 public:
  static absl::StatusOr<std::unique_ptr<PointScore>> Make(const NextPointRequest& request,
                                                          RuleMaker make) {
    std::vector<std::unique_ptr<AcquisitionRule>> rules;
    std::vector<RuledSurrogate> members;
    for (size_t i = 0; i < request.model.size(); ++i) {
      SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<AcquisitionRule> rule, make(request, i));
      if (request.deviation_factor != 1) {
        rule = MakeWithScaledDeviation(std::move(rule), request.deviation_factor);
      }
      rules.push_back(std::move(rule));
      members.push_back({&request.model.member(i), rules.back().get(), request.model.LogWeight(i)});
    }
    return std::unique_ptr<PointScore>(
        new RuledScore(std::move(rules), std::move(members), request.deadline));
  }

  Vector ValuesAt(const PointMatrix& x) const override { return acquisition_.Values(x); }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    return acquisition_.ValueAndGradient(x, gradient);
  }
  std::unique_ptr<SmoothScore> Near(ConstVectorView x) const override {
    return NearScore::Of(acquisition_.members(), x);
  }

 private:
  RuledScore(std::vector<std::unique_ptr<AcquisitionRule>> rules,
             std::vector<RuledSurrogate> members, const Deadline& deadline)
      : rules_(std::move(rules)), acquisition_(std::move(members), deadline) {}

  std::vector<std::unique_ptr<AcquisitionRule>> rules_;
  Acquisition acquisition_;
};

// The member that the seed chooses, by the weights.
size_t DrawnMember(const NextPointRequest& request) {
  const SearchedModel& model = request.model;
  Vector weights(static_cast<Index>(model.size()));
  for (size_t i = 0; i < model.size(); ++i) {
    weights[static_cast<Index>(i)] = std::exp(model.LogWeight(i));
  }
  if ((weights.array() == weights[0]).all()) return request.seed % model.size();
  double left = weights.sum() * CounterRandomUniform(request.seed, 0, kMemberLane);
  size_t member = 0;
  while (member + 1 < model.size() && (left -= weights[static_cast<Index>(member)]) >= 0) ++member;
  return member;
}

// One joint draw of a member.
class DrawnScore final : public PointScore {
 public:
  explicit DrawnScore(const NextPointRequest& request) : request_(request) {}

  absl::StatusOr<Vector> Values(const PointMatrix& x) const override {
    const Surrogate& member = request_.model.member(DrawnMember(request_));
    SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix draw, DrawJointly(member, x, 1, request_.seed));
    return Vector(draw.col(0));
  }
  std::optional<size_t> most_candidates() const override { return kMostDrawn; }

 private:
  const NextPointRequest& request_;
};

MadeRule UpperBound(const NextPointRequest& request, size_t) {
  return MakeUpperConfidenceBound(UpperBoundMultiplier(request));
}

// The value that an improvement has to exceed.
absl::StatusOr<double> IncumbentFor(const NextPointRequest& request, size_t member) {
  if (request.acquisition.options().As<AcquisitionOptions>().incumbent_everywhere) {
    return LargestMean(request, member);
  }
  return request.model.Incumbent(member);
}

MadeRule Improvement(const NextPointRequest& request, size_t member) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const double incumbent, IncumbentFor(request, member));
  return MakeExpectedImprovement(incumbent);
}

MadeRule LogImprovementOf(const NextPointRequest& request, size_t member) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const double incumbent, IncumbentFor(request, member));
  return MakeLogExpectedImprovement(incumbent);
}

MadeRule ImprovementProbability(const NextPointRequest& request, size_t member) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const double incumbent, IncumbentFor(request, member));
  return MakeProbabilityOfImprovement(incumbent + kLeastImprovement);
}

MadeRule MaxValueOfResults(const NextPointRequest& request, size_t member) {
  const Vector& results = request.model.results();
  const Vector best =
      results.size() > 0 ? results : Vector::Constant(1, request.model.Incumbent(member));
  return MakeProbabilityOfImprovement(MaxValueTargetFromResults(best),
                                      request.model.NoiseVariance(member));
}

MadeRule MaxValueOfDraws(const NextPointRequest& request, size_t member) {
  const std::vector<Configuration> places =
      ScreenOf(request.space, request.model.BestConfigurations(kSearchIncumbents), request.seed);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const double target,
      MaxValueTargetFromDraws(request.model.member(member), EncodeAll(request.space, places),
                              request.model.Incumbent(member), request.seed));
  return MakeProbabilityOfImprovement(target);
}

template <RuleMaker make>
absl::StatusOr<std::unique_ptr<PointScore>> ScoreBy(const NextPointRequest& request) {
  return RuledScore::Make(request, make);
}

// The logarithm of how many points a bound has to hold at: the candidates, or a grid of 100 steps
// along each parameter.
double LogPoints(const NextPointRequest& request) {
  if (request.pool != nullptr) return std::log(std::max<size_t>(1, request.pool->left().size()));
  return static_cast<double>(request.space.dimension()) * std::log(100.0);
}

constexpr Option<AcquisitionOptions> kOptions[] = {
    OptionAt<&AcquisitionOptions::multiplier>({"ucb_multiplier", "deviations", 0, 100, false,
                                               "How many deviations the acquisition ucb adds to "
                                               "the mean"}),
    OptionAt<&AcquisitionOptions::incumbent_everywhere>(
        {"incumbent_everywhere", "", 0, 1, true,
         "1: ei, log_ei and pi measure improvement from the largest mean in the entire space "
         "instead of the largest at points with results"}),
};

OptionSet DefaultOptions() { return OptionSet(AcquisitionOptions(), kOptions); }

const AcquisitionRow kUcb = {
    .about = {.name = "ucb",
              .summary = "Upper confidence bound, with a constant multiplier",
              .options = DefaultOptions},
    .score = ScoreBy<UpperBound>,
    .is_upper_bound = true,
};

const AcquisitionRow kUcbTheory = {
    .about = {.name = "ucb_theory",
              .summary = "Upper confidence bound that holds at finitely many points",
              .source = "Srinivas, Krause, Kakade and Seeger 2010, theorem 1",
              .options = DefaultOptions},
    .score = ScoreBy<UpperBound>,
    .is_upper_bound = true,
    .multiplier =
        [](const NextPointRequest& request) {
          return TheoreticalMultiplier(LogPoints(request), request.round, kRho);
        },
};

const AcquisitionRow kUcbTheoryContinuous = {
    .about = {.name = "ucb_theory_continuous",
              .summary = "Upper confidence bound that holds on the whole unit cube",
              .source = "Srinivas, Krause, Kakade and Seeger 2010, theorem 2",
              .options = DefaultOptions},
    .score = ScoreBy<UpperBound>,
    .is_upper_bound = true,
    .multiplier =
        [](const NextPointRequest& request) {
          return ContinuousMultiplier(static_cast<double>(request.space.dimension()), request.round,
                                      kContinuousRho);
        },
};

const AcquisitionRow kUcbDimension = {
    .about = {.name = "ucb_dimension",
              .summary = "Upper confidence bound of sqrt(0.2 d log 2t) deviations",
              .source = "Kandasamy, Schneider and Poczos 2015; RM-GP-UCB",
              .options = DefaultOptions},
    .score = ScoreBy<UpperBound>,
    .is_upper_bound = true,
    .multiplier =
        [](const NextPointRequest& request) {
          return DimensionMultiplier(static_cast<double>(request.space.dimension()), request.round);
        },
};

const AcquisitionRow kEi = {
    .about = {.name = "ei", .summary = "Expected improvement", .options = DefaultOptions},
    .score = ScoreBy<Improvement>,
    .improvement = [](double value) { return value; },
};

const AcquisitionRow kLogEi = {
    .about = {.name = "log_ei",
              .summary = "The logarithm of the expected improvement, accurate far below 0",
              .source = "Ament, Daulton, Eriksson, Balandat and Bakshy 2023",
              .options = DefaultOptions},
    .score = ScoreBy<LogImprovementOf>,
    .improvement = [](double value) { return std::exp(value); },
    .discounts_repeats = true,
};

const AcquisitionRow kPi = {
    .about = {.name = "pi", .summary = "Probability of improvement", .options = DefaultOptions},
    .score = ScoreBy<ImprovementProbability>,
};

const AcquisitionRow kMaxValuePi = {
    .about = {.name = "max_value_pi",
              .summary = "Probability of exceeding the best result by a margin",
              .source = "HyperBO: Wang et al. 2021",
              .options = DefaultOptions},
    .score = ScoreBy<MaxValueOfResults>,
};

const AcquisitionRow kMaxValuePiDraws = {
    .about = {.name = "max_value_pi_draws",
              .summary = "Probability of exceeding the estimated maximum",
              .source = "Wang and Jegelka 2017",
              .options = DefaultOptions},
    .score = ScoreBy<MaxValueOfDraws>,
};

const AcquisitionRow kThompson = {
    .about = {.name = "thompson",
              .summary = "The maximum of one joint draw of the function",
              .source = "Thompson 1933",
              .options = DefaultOptions},
    .score = [](const NextPointRequest& request) -> absl::StatusOr<std::unique_ptr<PointScore>> {
      return std::make_unique<DrawnScore>(request);
    },
    .draws = true,
};

}  // namespace

absl::Span<const AcquisitionRow* const> AcquisitionRows() {
  static constexpr const AcquisitionRow* kRows[] = {
      &kUcb,   &kUcbTheory, &kUcbTheoryContinuous, &kUcbDimension,    &kEi,
      &kLogEi, &kPi,        &kMaxValuePi,          &kMaxValuePiDraws, &kThompson};
  return kRows;
}

double UpperBoundMultiplier(const NextPointRequest& request) {
  if (request.ucb_multiplier.has_value()) return *request.ucb_multiplier;
  const Choice<AcquisitionRow>& acquisition = request.acquisition;
  if (acquisition->multiplier != nullptr) return acquisition->multiplier(request);
  return acquisition.options().As<AcquisitionOptions>().multiplier;
}

}  // namespace slipstream
