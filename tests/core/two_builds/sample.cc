#include "tests/core/two_builds/sample.h"

#include <cmath>

namespace slipstream::two_builds {
namespace {

// Points of an additive recurrence, spread over the unit cube.
Eigen::MatrixXd Points(int dimension, int count) {
  Eigen::MatrixXd points(dimension, count);
  for (int column = 0; column < count; ++column) {
    for (int row = 0; row < dimension; ++row) {
      points(row, column) = std::fmod((column + 1) * std::sqrt(row + 2.0), 1.0);
    }
  }
  return points;
}

}  // namespace

std::vector<size_t> LibraryLayouts() { return Layouts(); }

std::string LibraryInstructionSets() { return Eigen::SimdInstructionSetsInUse(); }

Eigen::MatrixXd KernelMatrix(Eigen::MatrixXd points) {
  const Eigen::VectorXd norms = points.colwise().squaredNorm();
  Eigen::MatrixXd squares = -2 * points.transpose() * points;
  squares.colwise() += norms;
  squares.rowwise() += norms.transpose();
  const Eigen::ArrayXXd distances = (5 * squares.array().max(0)).sqrt();
  return (1 + distances + distances.square() / 3) * (-distances).exp();
}

void AppendOnes(Eigen::MatrixXd& matrix) {
  matrix.conservativeResize(matrix.rows() + 1, matrix.cols() + 1);
  matrix.rightCols<1>().setOnes();
  matrix.bottomRows<1>().setOnes();
}

std::vector<FixedSizes> Doubled(std::vector<FixedSizes> values) {
  for (FixedSizes& value : values) {
    value.vector *= 2;
    value.matrix *= 2;
    value.pair *= 2;
  }
  values.push_back(values.back());  // In new memory, and the old freed.
  return values;
}

std::vector<std::pair<std::string, double>> Numbers() {
  const int count = 150;
  const Eigen::MatrixXd points = Points(8, count);
  const Eigen::VectorXd values = (points.row(0).array() * 6).sin() + points.row(1).array();
  Eigen::MatrixXd kernel = KernelMatrix(points);
  const double sum = kernel.sum();
  kernel.diagonal().array() += 0.01;
  const Eigen::LLT<Eigen::MatrixXd> factor(kernel);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(count, count);
  return {{"kernel_sum", sum},
          {"log_determinant", 2 * factor.matrixLLT().diagonal().array().log().sum()},
          {"quadratic_form", factor.matrixL().solve(values).squaredNorm()},
          {"first_weight", factor.solve(values)(0)},
          {"trace_of_inverse", factor.matrixL().solve(identity).squaredNorm()},
          {"product", (kernel * kernel).cwiseAbs().maxCoeff()}};
}

}  // namespace slipstream::two_builds
