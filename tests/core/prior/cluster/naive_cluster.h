// cm-BO as its paper prints it, with dense inverses, roots and determinants: to
// compare the real thing with.
#ifndef SLIPSTREAM_TESTS_CORE_PRIOR_CLUSTER_NAIVE_CLUSTER_H_
#define SLIPSTREAM_TESTS_CORE_PRIOR_CLUSTER_NAIVE_CLUSTER_H_

#include <functional>
#include <vector>

#include "core/gp/likelihood.h"
#include "core/linalg/types.h"
#include "core/prior/cluster/gaussian_distance.h"
#include "core/prior/prior.h"

namespace slipstream {

// A process by its mean and covariance functions.
struct NaiveProcess {
  std::function<double(const Vector&)> mean;
  std::function<double(const Vector&, const Vector&)> covariance;

  Vector MeanAt(const PointMatrix& x) const;
  Matrix CovarianceOf(const PointMatrix& a, const PointMatrix& b) const;
};

// The posterior under Matern 5/2, amplitude 1, lengthscales 0.4, as the sources
// of prior_fixtures.h have it.
NaiveProcess NaiveSource(const TrainingData& data, double noise_variance);
// sum_i w_i mu_i and sum_i v_i k_i.
NaiveProcess NaiveMixture(const std::vector<NaiveProcess>& processes,
                          const std::vector<double>& mean_weights,
                          const std::vector<double>& covariance_weights);
// Equations 1 and 2.
NaiveProcess NaiveConditioned(const NaiveProcess& prior, const PointMatrix& x, const Vector& y,
                              double noise_variance);

struct NaiveNormal {
  Vector mean;
  Matrix covariance;
};

// With the ridge of 1e-4 of the mean variance.
NaiveNormal NaiveAt(const NaiveProcess& process, const PointMatrix& places);

Matrix NaiveRoot(const Matrix& square);
// Equations 3, 4; and the root of 6.
double NaiveDivergence(const NaiveNormal& p, const NaiveNormal& q);
double NaiveJeffreys(const NaiveNormal& p, const NaiveNormal& q);
double NaiveWasserstein(const NaiveNormal& p, const NaiveNormal& q);

// Algorithm 1 from line 10 on, for groups of sources that are given, with
// geometric centres; `residuals` are added to them as they are.
struct NaiveAlgorithm {
  NaiveAlgorithm(const PriorInput& input, const std::vector<std::vector<size_t>>& groups,
                 NormalDistance distance, double source_noise, std::vector<NaiveProcess> others);

  NaiveProcess Prior() const;

  std::vector<NaiveProcess> residuals;
  std::vector<NaiveProcess> prototypes;
  std::vector<double> weights;
  std::vector<double> distances;
};

// A normal of random mean and covariance.
NaiveNormal RandomNormal(Index size, uint64_t seed, double scale = 1);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_PRIOR_CLUSTER_NAIVE_CLUSTER_H_
