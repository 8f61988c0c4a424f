#include "core/prior/cluster/adaptive_weights.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

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

// Line 15.
MixedPrior MixedOf(const SourcePrototypes& prototypes, const PrototypeValues& values,
                   const AdaptionModel& model, const Vector& weights, Index results) {
  const Index places = prototypes.places.rows();
  MixedPrior prior{Vector::Constant(results, model.mean), Matrix::Zero(results, results),
                   Matrix::Zero(results, places), Vector::Constant(places, model.mean),
                   Matrix::Zero(places, places)};
  for (size_t i = 0; i < prototypes.prototypes.size(); ++i) {
    const PlacedNormal& prototype = prototypes.prototypes[i].at_places;
    const double weight = weights[static_cast<Index>(i)];
    prior.mean += weight * values.means[i].head(results);
    const double share = CovarianceWeight(model.covariance, weight);
    prior.covariance += share * values.within[i].topLeftCorner(results, results);
    prior.to_places += share * values.to_places[i].topRows(results);
    prior.mean_at_places += weight * prototype.mean();
    prior.at_places += share * prototype.covariance();
    prior.at_places.diagonal().array() -= share * prototype.ridge();
  }
  return prior;
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

absl::StatusOr<AdaptiveWeights> AdaptedWeights(const SourcePrototypes& prototypes,
                                               const PrototypeValues& values,
                                               const AdaptionModel& model, const Vector& weights,
                                               const TrainingData& results) {
  MixedPrior prior = MixedOf(prototypes, values, model, weights, results.y.size());
  if (model.residual.has_value()) {
    AddResidual(*model.residual, results.x, prototypes.places, prior);
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const PlacedNormal posterior,
      PosteriorAtPlaces(std::move(prior), results.y, NoiseOf(results, model.log_noise_variance)));
  Vector distances(weights.size());
  for (Index i = 0; i < distances.size(); ++i) {
    distances[i] = DistanceBetween(
        model.distance, prototypes.prototypes[static_cast<size_t>(i)].at_places, posterior);
  }
  return WeightsOf(std::move(distances));
}

absl::StatusOr<AdaptiveWeights> WeightsAfter(const SourcePrototypes& prototypes,
                                             const SourceModels& sources,
                                             const AdaptionModel& model, Index first, Index count,
                                             const std::function<TrainingData(Index)>& earlier,
                                             AdaptionCache& cache, const Deadline& deadline) {
  Fingerprint history;
  AddModel(model, prototypes.places, &history);
  std::vector<Fingerprint> fingerprints = {history};
  for (Index step = first; step <= count; ++step) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to weigh the sources"));
    AddData(earlier(step), &history);
    fingerprints.push_back(history);
  }
  AdaptiveWeights adapted = EqualWeights(prototypes.prototypes.size());
  Index known = count;
  for (; known >= first; --known) {
    const auto found = cache.Find(fingerprints[static_cast<size_t>(known - first + 1)]);
    if (found == nullptr) continue;
    adapted = *found;
    break;
  }
  if (known == count) return adapted;
  const PointMatrix last = earlier(count).x;
  const PrototypeValues values = ValuesAt(prototypes, sources, last);
  for (Index step = known + 1; step <= count; ++step) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to weigh the sources"));
    const TrainingData results = earlier(step);
    const bool is_first = AreFirstOf(last, results);
    SLIPSTREAM_ASSIGN_OR_RETURN(
        adapted,
        AdaptedWeights(prototypes, is_first ? values : ValuesAt(prototypes, sources, results.x),
                       model, adapted.weights, results));
  }
  cache.Put(fingerprints.back(), std::make_shared<const AdaptiveWeights>(adapted));
  return adapted;
}

}  // namespace slipstream
