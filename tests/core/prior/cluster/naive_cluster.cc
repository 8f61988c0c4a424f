#include "tests/core/prior/cluster/naive_cluster.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

// The centre of the belief in the noise of the results in a step.
const double kStepNoise = std::exp(-4.0);

double Matern52(const Vector& a, const Vector& b) {
  const double r = std::sqrt(5.0) * (a - b).norm() / 0.4;
  return (1 + r + r * r / 3) * std::exp(-r);
}

}  // namespace

Vector NaiveProcess::MeanAt(const PointMatrix& x) const {
  Vector values(x.rows());
  for (Index i = 0; i < x.rows(); ++i) values[i] = mean(x.row(i).transpose());
  return values;
}

Matrix NaiveProcess::CovarianceOf(const PointMatrix& a, const PointMatrix& b) const {
  Matrix values(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      values(i, j) = covariance(a.row(i).transpose(), b.row(j).transpose());
    }
  }
  return values;
}

NaiveProcess NaiveSource(const TrainingData& data, double noise_variance) {
  const NaiveProcess prior{[](const Vector&) { return 0.0; }, Matern52};
  return NaiveConditioned(prior, data.x, data.y, noise_variance);
}

NaiveProcess NaiveMixture(const std::vector<NaiveProcess>& processes,
                          const std::vector<double>& mean_weights,
                          const std::vector<double>& covariance_weights) {
  return {[=](const Vector& x) {
            double sum = 0;
            for (size_t i = 0; i < processes.size(); ++i) {
              sum += mean_weights[i] * processes[i].mean(x);
            }
            return sum;
          },
          [=](const Vector& a, const Vector& b) {
            double sum = 0;
            for (size_t i = 0; i < processes.size(); ++i) {
              sum += covariance_weights[i] * processes[i].covariance(a, b);
            }
            return sum;
          }};
}

NaiveProcess NaiveConditioned(const NaiveProcess& prior, const PointMatrix& x, const Vector& y,
                              double noise_variance) {
  Matrix k = prior.CovarianceOf(x, x);
  k.diagonal().array() += noise_variance;
  const Matrix inverse = DenseInverse(k);
  const Vector weights = inverse * (y - prior.MeanAt(x));
  return {[=](const Vector& point) {
            return prior.mean(point) + prior.CovarianceOf(point.transpose(), x).row(0).dot(weights);
          },
          [=](const Vector& a, const Vector& b) {
            const Matrix left = prior.CovarianceOf(a.transpose(), x);
            const Matrix right = prior.CovarianceOf(x, b.transpose());
            return prior.covariance(a, b) - (left * inverse * right)(0, 0);
          }};
}

NaiveNormal NaiveAt(const NaiveProcess& process, const PointMatrix& places) {
  NaiveNormal normal{process.MeanAt(places), process.CovarianceOf(places, places)};
  normal.covariance.diagonal().array() += 1e-4 * normal.covariance.diagonal().mean();
  return normal;
}

Matrix NaiveRoot(const Matrix& square) {
  const DenseEigen eigen = DenseEigenOf(0.5 * (square + square.transpose()));
  return eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() *
         eigen.vectors.transpose();
}

double NaiveDivergence(const NaiveNormal& p, const NaiveNormal& q) {
  const Matrix inverse = DenseInverse(q.covariance);
  const Vector d = q.mean - p.mean;
  const double logs = DenseLogDeterminant(q.covariance) - DenseLogDeterminant(p.covariance);
  return 0.5 * ((inverse * p.covariance).trace() + d.dot(inverse * d) -
                static_cast<double>(d.size()) + logs);
}

double NaiveJeffreys(const NaiveNormal& p, const NaiveNormal& q) {
  return NaiveDivergence(p, q) + NaiveDivergence(q, p);
}

double NaiveWasserstein(const NaiveNormal& p, const NaiveNormal& q) {
  const Matrix root = NaiveRoot(q.covariance);
  const Matrix middle = NaiveRoot(root * p.covariance * root);
  const double square =
      (p.mean - q.mean).squaredNorm() + (p.covariance + q.covariance - 2 * middle).trace();
  return std::sqrt(std::max(0.0, square));
}

NaiveAlgorithm::NaiveAlgorithm(const PriorInput& input,
                               const std::vector<std::vector<size_t>>& groups,
                               NormalDistance distance, double source_noise,
                               std::vector<NaiveProcess> others)
    : residuals(std::move(others)) {
  for (const std::vector<size_t>& group : groups) {
    std::vector<NaiveProcess> members;
    for (size_t i : group) members.push_back(NaiveSource(input.sources[i]->data, source_noise));
    const std::vector<double> part(group.size(), 1 / static_cast<double>(group.size()));
    prototypes.push_back(NaiveMixture(members, part, part));
  }
  weights.assign(groups.size(), 1 / static_cast<double>(groups.size()));
  for (Index tau = input.initial_results; tau < input.target.y.size(); ++tau) {
    const TrainingData data = input.earlier.at(tau);
    const NaiveProcess posterior = NaiveConditioned(Prior(), data.x, data.y, kStepNoise);
    const NaiveNormal target = NaiveAt(posterior, input.places.Get());
    distances.clear();
    for (const NaiveProcess& prototype : prototypes) {
      const NaiveNormal normal = NaiveAt(prototype, input.places.Get());
      distances.push_back(distance == NormalDistance::kJeffreys ? NaiveJeffreys(normal, target)
                                                                : NaiveWasserstein(normal, target));
    }
    const double most = *std::max_element(distances.begin(), distances.end());
    double sum = 0;
    for (double d : distances) sum += std::exp(1 - d / most);
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] = std::exp(1 - distances[i] / most) / sum;
    }
  }
}

NaiveProcess NaiveAlgorithm::Prior() const {
  std::vector<NaiveProcess> parts = residuals;
  std::vector<double> factors(residuals.size(), 1);
  std::vector<double> squares(residuals.size(), 1);
  for (size_t i = 0; i < prototypes.size(); ++i) {
    parts.push_back(prototypes[i]);
    factors.push_back(weights[i]);
    squares.push_back(weights[i] * weights[i]);
  }
  return NaiveMixture(parts, factors, squares);
}

NaiveNormal RandomNormal(Index size, uint64_t seed, double scale) {
  const Vector numbers = RandomVector(size * size, -1, 1, seed);
  const Matrix factor = scale * numbers.reshaped(size, size);
  Matrix covariance = factor * factor.transpose();
  covariance.diagonal().array() += 0.1;
  return {RandomVector(size, -1, 1, seed + 1000), covariance};
}

}  // namespace slipstream
