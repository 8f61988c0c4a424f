#include "core/prior/cluster/adaptive_weights.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "core/gp/data_fingerprint.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

// The belief in the target before its results, at their points and at the places.
struct MixedPrior {
  Vector mean;
  Matrix covariance;
  Matrix to_places;
  Vector mean_at_places;
  Matrix at_places;
};

constexpr absl::string_view kNoTimeToWeigh = "no time to weigh the sources";

// The values of prototypes are kept from one step to the next while they take no more than this.
constexpr double kMostValueBytes = 256 << 20;

double ValueBytes(const SourcePrototypes& prototypes, Index results) {
  const auto rows = static_cast<double>(results);
  const double columns = rows + static_cast<double>(prototypes.places.rows()) + 1;
  return static_cast<double>(prototypes.prototypes.size()) * rows * columns * sizeof(double);
}

absl::StatusOr<std::vector<PrototypeValues>> AllValues(const SourcePrototypes& prototypes,
                                                       const SourceModels& sources,
                                                       const PointMatrix& x,
                                                       const Deadline& deadline) {
  std::vector<PrototypeValues> all;
  for (const Prototype& prototype : prototypes.prototypes) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check(kNoTimeToWeigh));
    all.push_back(ValuesOf(prototype, prototypes.places, sources, x));
  }
  return all;
}

MixedPrior NothingMixed(const SourcePrototypes& prototypes, const AdaptionModel& model,
                        Index results) {
  const Index places = prototypes.places.rows();
  return {Vector::Constant(results, model.mean), Matrix::Zero(results, results),
          Matrix::Zero(results, places), Vector::Constant(places, model.mean),
          Matrix::Zero(places, places)};
}

// One term of the sums of line 15.
void AddPrototype(const Prototype& prototype, const PrototypeValues& values,
                  const AdaptionModel& model, double weight, MixedPrior& prior) {
  const Index results = prior.mean.size();
  const PlacedNormal& normal = prototype.at_places;
  prior.mean += weight * values.mean.head(results);
  const double share = CovarianceWeight(model.covariance, weight);
  prior.covariance += share * values.within.topLeftCorner(results, results);
  prior.to_places += share * values.to_places.topRows(results);
  prior.mean_at_places += weight * normal.mean();
  prior.at_places += share * normal.covariance();
  prior.at_places.diagonal().array() -= share * normal.ridge();
}

void AddResidual(const OwnPart& residual, const PointMatrix& x, const PointMatrix& places,
                 MixedPrior& prior) {
  const auto covariance = [&](const PointMatrix& a, const PointMatrix& b) {
    return residual.kernel->Covariance(residual.parameters, a, b);
  };
  prior.covariance += covariance(x, x);
  prior.to_places += covariance(x, places);
  prior.at_places += covariance(places, places);
}

// Line 16, at the places.
absl::StatusOr<PlacedNormal> PosteriorAtPlaces(MixedPrior prior, const Vector& y,
                                               const Vector& noise) {
  prior.covariance.diagonal() += noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(prior.covariance)));
  Vector whitened = y - prior.mean;
  factor.SolveLower(whitened);
  factor.SolveLower(prior.to_places);
  prior.mean_at_places.noalias() += prior.to_places.transpose() * whitened;
  prior.at_places.noalias() -= prior.to_places.transpose() * prior.to_places;
  return PlacedNormal::Of(std::move(prior.mean_at_places), std::move(prior.at_places));
}

// Lines 16 and 19 to 21.
absl::StatusOr<AdaptiveWeights> WeightsUnder(MixedPrior prior, const SourcePrototypes& prototypes,
                                             const AdaptionModel& model,
                                             const TrainingData& results,
                                             const Deadline& deadline) {
  if (model.residual.has_value()) {
    AddResidual(*model.residual, results.x, prototypes.places, prior);
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const PlacedNormal posterior,
      PosteriorAtPlaces(std::move(prior), results.y, NoiseOf(results, model.log_noise_variance)));
  Vector distances(static_cast<Index>(prototypes.prototypes.size()));
  for (Index i = 0; i < distances.size(); ++i) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check(kNoTimeToWeigh));
    distances[i] = DistanceBetween(
        model.distance, prototypes.prototypes[static_cast<size_t>(i)].at_places, posterior);
  }
  return WeightsOf(std::move(distances));
}

// A step with values at the results' points (and others after them).
absl::StatusOr<AdaptiveWeights> StepWithValues(const SourcePrototypes& prototypes,
                                               const std::vector<PrototypeValues>& values,
                                               const AdaptionModel& model, const Vector& weights,
                                               const TrainingData& results,
                                               const Deadline& deadline) {
  MixedPrior prior = NothingMixed(prototypes, model, results.y.size());
  for (size_t i = 0; i < prototypes.prototypes.size(); ++i) {
    AddPrototype(prototypes.prototypes[i], values[i], model, weights[static_cast<Index>(i)], prior);
  }
  return WeightsUnder(std::move(prior), prototypes, model, results, deadline);
}

// A step for which each prototype's values are computed and given up again.
absl::StatusOr<AdaptiveWeights> StepWithoutValues(const SourcePrototypes& prototypes,
                                                  const SourceModels& sources,
                                                  const AdaptionModel& model,
                                                  const Vector& weights,
                                                  const TrainingData& results,
                                                  const Deadline& deadline) {
  MixedPrior prior = NothingMixed(prototypes, model, results.y.size());
  for (size_t i = 0; i < prototypes.prototypes.size(); ++i) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check(kNoTimeToWeigh));
    const Prototype& prototype = prototypes.prototypes[i];
    AddPrototype(prototype, ValuesOf(prototype, prototypes.places, sources, results.x), model,
                 weights[static_cast<Index>(i)], prior);
  }
  return WeightsUnder(std::move(prior), prototypes, model, results, deadline);
}

// Weights depend on a kernel by what it gives somewhere.
void AddModel(const AdaptionModel& model, const PointMatrix& places, Fingerprint* fingerprint) {
  fingerprint->Add(static_cast<int64_t>(model.distance));
  fingerprint->Add(model.log_noise_variance);
  fingerprint->Add(model.mean);
  fingerprint->Add(static_cast<int64_t>(model.covariance));
  if (!model.residual.has_value()) return;
  const OwnPart& residual = *model.residual;
  AddNumbers(residual.parameters, fingerprint);
  const PointMatrix few = places.topRows(std::min<Index>(places.rows(), 8));
  AddNumbers(residual.kernel->Covariance(residual.parameters, few, few), fingerprint);
}

// Whether `x` begins with the points of `results`.
bool AreFirstOf(const PointMatrix& x, const TrainingData& results) {
  return results.x.rows() <= x.rows() && results.x == x.topRows(results.x.rows());
}

}  // namespace

double CovarianceWeight(CovarianceWeights weights, double weight) {
  return weights == CovarianceWeights::kSquared ? weight * weight : weight;
}

AdaptiveWeights EqualWeights(size_t count) {
  return {Vector::Constant(static_cast<Index>(count), 1 / static_cast<double>(count)), Vector()};
}

absl::StatusOr<AdaptiveWeights> WeightsOf(Vector distances) {
  if (!distances.allFinite()) {
    return absl::FailedPreconditionError("a distance of a prototype is not finite");
  }
  const double most = distances.maxCoeff();
  AdaptiveWeights adapted = EqualWeights(static_cast<size_t>(distances.size()));
  if (most > 0) {
    adapted.weights = (1 - distances.array() / most).exp();
    adapted.weights /= adapted.weights.sum();
  }
  adapted.distances = std::move(distances);
  return adapted;
}

absl::StatusOr<AdaptiveWeights> WeightsAfter(const SourcePrototypes& prototypes,
                                             const SourceModels& sources,
                                             const AdaptionModel& model, Index first, Index count,
                                             const EarlierResults& earlier, AdaptionCache& cache,
                                             const Deadline& deadline) {
  const std::vector<Fingerprint> histories = earlier.fingerprints();
  Fingerprint all;
  AddModel(model, prototypes.places, &all);
  all.Add(static_cast<int64_t>(first));
  const auto key = [&](Index step) {
    Fingerprint fingerprint = all;
    fingerprint.Add(histories[static_cast<size_t>(step)]);
    return fingerprint;
  };
  AdaptiveWeights adapted = EqualWeights(prototypes.prototypes.size());
  Index known = count;
  for (; known >= first; --known) {
    const auto found = cache.Find(key(known));
    if (found == nullptr) continue;
    adapted = *found;
    break;
  }
  if (known == count) return adapted;
  const auto keep = [&](Index step) {
    cache.Put(key(step), std::make_shared<const AdaptiveWeights>(adapted));
  };
  const PointMatrix last = count - known > 1 ? earlier.at(count).x : PointMatrix();
  const bool keeps_values =
      last.rows() > 0 && ValueBytes(prototypes, last.rows()) <= kMostValueBytes;
  std::vector<PrototypeValues> values;
  if (keeps_values) {
    SLIPSTREAM_ASSIGN_OR_RETURN(values, AllValues(prototypes, sources, last, deadline));
  }
  for (Index step = known + 1; step <= count; ++step) {
    const TrainingData results = earlier.at(step);
    absl::StatusOr<AdaptiveWeights> next =
        keeps_values && AreFirstOf(last, results)
            ? StepWithValues(prototypes, values, model, adapted.weights, results, deadline)
            : StepWithoutValues(prototypes, sources, model, adapted.weights, results, deadline);
    if (!next.ok()) {
      // The next call goes on from here.
      if (step > known + 1) keep(step - 1);
      return next.status();
    }
    adapted = *std::move(next);
  }
  keep(count);
  return adapted;
}

}  // namespace slipstream
