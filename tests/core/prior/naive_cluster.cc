#include "tests/core/prior/naive_cluster.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "tests/core/gp/dense_oracle.h"

namespace slipstream {
namespace {

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
  return NaivePosterior(prior, data.x, data.y, noise_variance);
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

NaiveProcess NaivePosterior(const NaiveProcess& prior, const PointMatrix& x, const Vector& y,
                            double noise_variance) {
  Matrix k = prior.CovarianceOf(x, x);
  k.diagonal().array() += noise_variance;
  const Matrix inverse = k.inverse();
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
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(0.5 * (square + square.transpose()));
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
         solver.eigenvectors().transpose();
}

double NaiveDivergence(const NaiveNormal& p, const NaiveNormal& q) {
  const Matrix inverse = q.covariance.inverse();
  const Vector d = q.mean - p.mean;
  const double logs =
      q.covariance.partialPivLu().matrixLU().diagonal().cwiseAbs().array().log().sum() -
      p.covariance.partialPivLu().matrixLU().diagonal().cwiseAbs().array().log().sum();
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

NaiveNormal RandomNormal(Index size, uint64_t seed, double scale) {
  const Vector numbers = RandomVector(size * size, -1, 1, seed);
  const Matrix factor = scale * numbers.reshaped(size, size);
  Matrix covariance = factor * factor.transpose();
  covariance.diagonal().array() += 0.1;
  return {RandomVector(size, -1, 1, seed + 1000), covariance};
}

}  // namespace slipstream
