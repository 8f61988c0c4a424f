#include "core/calibration/expanding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/status.h"
#include "core/calibration/lengthscales.h"
#include "core/calibration/sufficient_scale.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

// Bounds assume at least this noise, as a part of the function's deviation.
constexpr double kLeastNoisePart = 0.1;
constexpr int kMostBisections = 60;
constexpr double kMostTheoreticalH = 1e30;  // Beyond it bounds overflow.

// The figures that a bound on the regret needs from results.
struct Information {
  double gain = 0;             // I.
  double constant = 0;         // C.
  double noise_deviation = 0;  // sigma / a.
};

class Expansion {
 public:
  Expansion(const Model& model, const TrainingData& data,
            const std::vector<Hyperparameters>& members, Index dimension, double multiplier,
            const LengthscalePast& past, const ExpandingOptions& options)
      : model_(model),
        data_(data),
        members_(members),
        multiplier_(multiplier),
        past_(past),
        options_(options),
        places_(LengthscalePlaces(*model.kernel)),
        dimension_(static_cast<double>(std::max<Index>(1, dimension))) {}

  absl::StatusOr<Expanded> Expand(const ChosenDeviation& chosen_deviation) {
    amplitude_ = 0;
    for (const Hyperparameters& member : members_) {
      amplitude_ +=
          std::sqrt(model_.kernel->Variance(member.kernel)) / static_cast<double>(members_.size());
    }
    const bool one_step = options_.estimate == RegretEstimate::kOneStep;
    if (!one_step || options_.theoretical) SLIPSTREAM_RETURN_IF_ERROR(Measure());
    const int64_t t = one_step ? past_.chosen_points + 1 : past_.results;
    const double reference = std::pow(static_cast<double>(t), options_.reference_power);
    if (one_step) return OneStep(reference, chosen_deviation);
    const double h = SmallestSufficient(reference);
    return At(h, RegretBound(h), reference);
  }

 private:
  // The shortest and the longest of the calibrated lengthscales.
  std::pair<double, double> LengthscaleRange() const {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const Hyperparameters& member : members_) {
      for (Index place : places_) {
        least = std::min(least, member.kernel[place]);
        most = std::max(most, member.kernel[place]);
      }
    }
    return {std::exp(least), std::exp(most)};
  }

  double MostG() const {
    double most = options_.most;
    if (limits()) most *= std::max(1.0, options_.first_lengthscale / LengthscaleRange().first);
    if (options_.theoretical) {
      most *= 1 + std::log(static_cast<double>(std::max<int64_t>(1, past_.results)));
    }
    return most;
  }
  double MostH() const {
    double most = MostG();
    if (options_.theoretical) {
      const double power = dimension_ / std::max(1e-9, 1 - options_.norm_share);
      most = std::min(kMostTheoreticalH, std::pow(most, power));
    }
    // The shortest of the calibrated lengthscales may have been shorter.
    return limits() ? std::max(most, std::min(past_.h, kMostTheoreticalH)) : most;
  }
  double LeastH() const { return std::clamp(past_.h, 1.0, MostH()); }
  bool limits() const { return options_.coupling == LengthscaleCoupling::kMinimum; }

  // b(h), of the norm.
  double NormFactor(double h) const {
    return options_.theoretical ? std::pow(h, options_.norm_share) : 1;
  }

  // g(h), of the lengthscales.
  double LengthscaleFactor(double h) const {
    return options_.theoretical ? std::pow(h / NormFactor(h), 1 / dimension_) : h;
  }

  // g^d, which information grows by.
  double VolumeFactor(double h) const { return std::pow(LengthscaleFactor(h), dimension_); }

  Hyperparameters MemberAt(double h, const Hyperparameters& member) const {
    const double g = LengthscaleFactor(h);
    switch (options_.coupling) {
      case LengthscaleCoupling::kDivided:
        return WithLengthscalesDivided(places_, member, g);
      case LengthscaleCoupling::kMinimum:
        return WithLengthscalesAtMost(places_, member, options_.first_lengthscale / g);
      case LengthscaleCoupling::kAlone:
        return WithLengthscales(places_, member, options_.first_lengthscale / g);
    }
    return member;
  }

  // Before any expansion.
  Hyperparameters Reference(const Hyperparameters& member) const {
    if (options_.coupling == LengthscaleCoupling::kDivided) return member;
    return WithLengthscales(places_, member, options_.first_lengthscale);
  }

  // I of the results under these hyperparameters.
  absl::StatusOr<double> GainOf(const Hyperparameters& member) const {
    const double variance = model_.kernel->Variance(member.kernel);
    const double least = kLeastNoisePart * kLeastNoisePart * variance;
    const Vector noises = NoiseOf(data_, member.log_noise_variance).cwiseMax(least);
    return InformationGain(*model_.kernel, member.kernel, data_.x, noises);
  }

  absl::Status Measure() {
    const auto count = static_cast<double>(members_.size());
    for (const Hyperparameters& member : members_) {
      const Hyperparameters reference = Reference(member);
      const double variance = model_.kernel->Variance(reference.kernel);
      const double least = kLeastNoisePart * kLeastNoisePart * variance;
      const double noise = std::max(std::exp(member.log_noise_variance), least);
      SLIPSTREAM_ASSIGN_OR_RETURN(const double gain, GainOf(reference));
      information_.gain += gain / count;
      information_.constant += 8 / std::log1p(variance / noise) / count;
      information_.noise_deviation += std::sqrt(noise / variance) / count;
    }
    return absl::OkStatus();
  }

  // sqrt(beta) of lemma 1 where the information is `gain`.
  double TheoreticalMultiplier(double h, double gain) const {
    const double volume = VolumeFactor(h);
    const double norm =
        NormFactor(h) * options_.norm * (options_.norm_by_half_power ? std::sqrt(volume) : volume);
    return norm +
           4 * information_.noise_deviation * std::sqrt(gain + 1 - std::log(options_.failure));
  }

  // The multiplier by which points are chosen.
  absl::StatusOr<double> Multiplier(double h) const {
    if (!options_.theoretical) return multiplier_;
    double gain = 0;
    for (const Hyperparameters& member : MembersAt(h)) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double of_member, GainOf(member));
      gain += of_member / static_cast<double>(members_.size());
    }
    return TheoreticalMultiplier(h, gain);
  }

  double RegretBound(double h) const {
    const auto t = static_cast<double>(past_.results);
    const double grown = VolumeFactor(h) * information_.gain;
    const double multiplier = options_.theoretical ? TheoreticalMultiplier(h, grown) : multiplier_;
    return multiplier * std::sqrt(information_.constant * t * grown);
  }

  // By halving the interval of log h, in which the bound grows.
  double SmallestSufficient(double reference) const {
    double low = std::log(LeastH());
    double high = std::log(MostH());
    if (RegretBound(LeastH()) >= reference) return LeastH();
    if (RegretBound(MostH()) < reference) return MostH();
    for (int i = 0; i < kMostBisections && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      (RegretBound(std::exp(middle)) >= reference ? high : low) = middle;
    }
    return std::exp(high);
  }

  std::vector<Hyperparameters> MembersAt(double h) const {
    std::vector<Hyperparameters> members;
    members.reserve(members_.size());
    for (const Hyperparameters& member : members_) members.push_back(MemberAt(h, member));
    return members;
  }

  absl::StatusOr<Expanded> OneStep(double reference, const ChosenDeviation& chosen_deviation) {
    ScaleGrid grid{LeastH(), MostH(), options_.grid_step, Insufficient::kLargestScale};
    // A limit above all lengthscales is none.
    if (limits() && !options_.theoretical) {
      grid.same_until = options_.first_lengthscale / LengthscaleRange().second;
    }
    const auto regret_of = [&](double h) -> absl::StatusOr<double> {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double multiplier, Multiplier(h));
      SLIPSTREAM_ASSIGN_OR_RETURN(const double deviation,
                                  chosen_deviation(MembersAt(h), multiplier));
      return past_.regret + 2 * multiplier * deviation / amplitude_;
    };
    SLIPSTREAM_ASSIGN_OR_RETURN(const SufficientScale found,
                                SmallestSufficientScale(grid, reference, regret_of));
    return At(found.scale, found.value, reference);
  }

  absl::StatusOr<Expanded> At(double h, double regret, double reference) const {
    Expanded expanded;
    expanded.members = MembersAt(h);
    SLIPSTREAM_ASSIGN_OR_RETURN(expanded.multiplier, Multiplier(h));
    expanded.h = h;
    expanded.g = LengthscaleFactor(h);
    expanded.b = NormFactor(h);
    expanded.regret = regret;
    expanded.reference = reference;
    expanded.amplitude = amplitude_;
    return expanded;
  }

  const Model& model_;
  const TrainingData& data_;
  const std::vector<Hyperparameters>& members_;
  const double multiplier_;
  const LengthscalePast& past_;
  const ExpandingOptions& options_;
  const std::vector<Index> places_;
  const double dimension_;
  Information information_;
  double amplitude_ = 1;
};

}  // namespace

absl::StatusOr<double> InformationGain(const Kernel& kernel, ConstVectorView parameters,
                                       const PointMatrix& x, const Vector& noise_variances) {
  if (x.rows() == 0) return 0.0;
  const Vector scale = noise_variances.cwiseSqrt().cwiseInverse();
  Matrix scaled = scale.asDiagonal() * kernel.Covariance(parameters, x, x) * scale.asDiagonal();
  scaled.diagonal().array() += 1;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(scaled)));
  return 0.5 * factor.LogDeterminant();
}

absl::StatusOr<Expanded> Expand(const Model& model, const TrainingData& data,
                                const std::vector<Hyperparameters>& members, Index dimension,
                                double multiplier, const LengthscalePast& past,
                                const ExpandingOptions& options,
                                const ChosenDeviation& chosen_deviation) {
  return Expansion(model, data, members, dimension, multiplier, past, options)
      .Expand(chosen_deviation);
}

namespace {

constexpr Option<ExpandingOptions> kExpandingOptions[] = {
    OptionAt<&ExpandingOptions::estimate>(
        {"expanding_estimate", "", 0, 1, true,
         "expanding estimates the regret 0: by its bound, 1: by looking one step ahead"}),
    OptionAt<&ExpandingOptions::coupling>(
        {"expanding_coupling", "", 0, 2, true,
         "expanding 0: divides the inner calibration's lengthscales, 1: limits them, 2: replaces "
         "them"}),
    OptionAt<&ExpandingOptions::theoretical>(
        {"expanding_theory", "", 0, 1, true,
         "1: expanding uses the multiplier of A-GP-UCB's lemma 1 instead of ucb_multiplier"}),
    OptionAt<&ExpandingOptions::most>(
        {"expanding_most", "", 1, 1000, false,
         "expanding divides lengthscales by at most this; with expanding_theory, by this times a "
         "factor that grows with the logarithm of the number of results"}),
    OptionAt<&ExpandingOptions::first_lengthscale>(
        {"first_lengthscale", "unit cube's edges", 1e-3, 100, false,
         "The first lengthscale, if expanding limits or replaces lengthscales"}),
    OptionAt<&ExpandingOptions::reference_power>(
        {"regret_power", "", 0, 0.999, false,
         "expanding lets the regret grow to t raised to this power"}),
    OptionAt<&ExpandingOptions::norm>(
        {"norm", "", 1e-3, 1000, false, "With expanding_theory: the function's initial norm"}),
    OptionAt<&ExpandingOptions::norm_share>(
        {"norm_share", "", 0, 1, false,
         "With expanding_theory: lambda, the share of the growth that raises the norm's bound "
         "directly. 0: none, so that it grows only because lengthscales shrink; 1: all, so that "
         "lengthscales stay"}),
    OptionAt<&ExpandingOptions::norm_by_half_power>(
        {"norm_by_half_power", "", 0, 1, true,
         "With expanding_theory, 1: the norm grows by g^(d/2) instead of g^d"}),
};

constexpr Conflict kExpandingConflicts[] = {
    {.axis = RecipeAxis::kAcquisition,
     .other = "ucb",
     .all_but = true,
     .option = "expanding_theory",
     .reason = "as the option expanding_theory takes the place of ucb's multiplier"},
};

class ExpandingRule final : public LengthscaleRule {
 public:
  explicit ExpandingRule(const ExpandingOptions& options) : options_(options) {}

  absl::StatusOr<RuledLengthscales> Apply(const LengthscaleInput& input) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        Expanded expanded, Expand(input.model, input.data, input.members, input.dimension,
                                  input.multiplier, input.past, options_, input.chosen_deviation));
    return RuledLengthscales{.members = std::move(expanded.members),
                             .multiplier = expanded.multiplier,
                             .expansion = expanded.h,
                             .amplitude = expanded.amplitude,
                             .facts = {{"h", expanded.h},
                                       {"g", expanded.g},
                                       {"b", expanded.b},
                                       {"regret_estimate", expanded.regret},
                                       {"regret_reference", expanded.reference}}};
  }

 private:
  const ExpandingOptions options_;
};

}  // namespace

const CalibrationRow kExpanding = {
    .about = {.name = "expanding",
              .summary = "Lengthscales shrink as long as the expected regret is suspiciously small",
              .source = "A-GP-UCB: Berkenkamp, Schoellig and Krause 2019, equations 9 and 14 to 18",
              .options = [] { return OptionSet(ExpandingOptions(), kExpandingOptions); },
              .conflicts = kExpandingConflicts},
    .rule = [](const OptionSet& options) -> std::unique_ptr<LengthscaleRule> {
      return std::make_unique<ExpandingRule>(options.As<ExpandingOptions>());
    },
    .reads_notes = true,
};

}  // namespace slipstream
