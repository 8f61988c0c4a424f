#include "core/linalg/cholesky.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/counter_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/linalg/long_matrix.h"

namespace slipstream {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sizes around which a blocked algorithm changes its path.
constexpr Index kSizes[] = {1,  2,  3,  5,  8,  16, 17,  31,  32,  33,  47,
                            63, 64, 65, 95, 96, 97, 127, 129, 161, 199, 200};

Matrix RandomMatrix(Index rows, Index columns, uint64_t seed) {
  Matrix result(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      result(i, j) =
          2 * CounterRandomUniform(seed, static_cast<uint64_t>(i), static_cast<uint64_t>(j)) - 1;
    }
  }
  return result;
}

// A positive definite matrix with a condition number near 10.
Matrix RandomCovariance(Index size, uint64_t seed) {
  const Matrix a = RandomMatrix(size, size, seed);
  Matrix result = a * a.transpose() / static_cast<double>(size);
  result.diagonal().array() += 0.1;
  return result;
}

Cholesky FactorOf(const Matrix& k, const JitterLadder& ladder = JitterLadder()) {
  absl::StatusOr<Cholesky> factor = Cholesky::Of(k, ladder);
  EXPECT_TRUE(factor.ok()) << factor.status();
  return factor.ok() ? *std::move(factor) : Cholesky();
}

Matrix LowerOf(const Cholesky& factor) {
  Matrix result = Matrix::Zero(factor.size(), factor.size());
  for (Index i = 0; i < factor.size(); ++i) {
    for (Index j = 0; j <= i; ++j) result(i, j) = factor.At(i, j);
  }
  return result;
}

Matrix WithJitter(Matrix k, double jitter) {
  k.diagonal().array() += jitter;
  return k;
}

// The matrix of two variables of variance 1 with a smaller eigenvalue of -`deficit`.
Matrix Indefinite(double deficit) {
  Matrix k(2, 2);
  k << 1, 1 + deficit, 1 + deficit, 1;
  return k;
}

TEST(Cholesky, AgreesWithLongDoubles) {
  for (const Index size : kSizes) {
    SCOPED_TRACE(size);
    const Matrix k = RandomCovariance(size, 11);
    const Vector b = RandomMatrix(size, 1, 12);
    const Cholesky factor = FactorOf(k);
    ASSERT_EQ(factor.size(), size);
    EXPECT_EQ(factor.jitter(), 0);
    const LongMatrix exact = LongMatrix::From(k);
    EXPECT_LE(RelativeError(LowerOf(factor), LowerFactor(exact)), 1e-13);
    EXPECT_LE(RelativeError(factor.Inverse(), Inverse(exact)), 1e-12);
    EXPECT_LE(RelativeError(Matrix(factor.Solve(b)), Solve(exact, LongMatrix::From(b))), 1e-12);
    EXPECT_LE(std::abs(factor.LogDeterminant() - LogDeterminant(exact)),
              1e-12 * static_cast<double>(size));
  }
}

TEST(Cholesky, TheFactorTimesItsTransposeIsTheMatrixAtAllSizes) {
  for (Index size = 1; size <= 200; size += size < 130 ? 1 : 7) {
    const Matrix k = RandomCovariance(size, 21);
    const Cholesky factor = FactorOf(k);
    const Matrix lower = factor.lower();
    ASSERT_LE((lower * lower.transpose() - k).cwiseAbs().maxCoeff(), 1e-13) << size;
    const Matrix product = factor.Inverse() * k;
    ASSERT_LE((product - Matrix::Identity(size, size)).cwiseAbs().maxCoeff(), 1e-12) << size;
  }
}

TEST(Cholesky, TheInverseHasBothTriangles) {
  for (const Index size : kSizes) {
    const Matrix inverse = FactorOf(RandomCovariance(size, 22)).Inverse();
    EXPECT_LE((inverse - inverse.transpose()).cwiseAbs().maxCoeff(), 1e-13) << size;
  }
}

TEST(Cholesky, SolvesForManyColumnsWithinALargerMatrix) {
  for (const Index size : kSizes) {
    SCOPED_TRACE(size);
    const Matrix k = RandomCovariance(size, 31);
    const Cholesky factor = FactorOf(k);
    const Matrix b = RandomMatrix(size + 3, 9, 32);
    const LongMatrix part = LongMatrix::From(b.block(2, 1, size, 7));
    const LongMatrix lower = LowerFactor(LongMatrix::From(k));
    Matrix once = b;
    factor.SolveLower(once.block(2, 1, size, 7));
    EXPECT_LE(RelativeError(Matrix(once.block(2, 1, size, 7)), Solve(lower, part)), 1e-12);
    Matrix twice = b;
    factor.SolveLowerTransposed(twice.block(2, 1, size, 7));
    EXPECT_LE(RelativeError(Matrix(twice.block(2, 1, size, 7)), Solve(Transpose(lower), part)),
              1e-12);
    once.block(2, 1, size, 7) = b.block(2, 1, size, 7);
    twice.block(2, 1, size, 7) = b.block(2, 1, size, 7);
    EXPECT_EQ(once, b);  // The matrix around the block is unchanged.
    EXPECT_EQ(twice, b);
  }
}

TEST(Cholesky, SolvesForNoColumns) {
  const Cholesky factor = FactorOf(RandomCovariance(4, 33));
  Matrix nothing(4, 0);
  factor.SolveLower(nothing);
  factor.SolveLowerTransposed(nothing);
  EXPECT_EQ(nothing.rows(), 4);
}

TEST(Cholesky, DoesNotReadTheUpperTriangle) {
  for (const Index size : {2, 33, 100}) {
    const Matrix k = RandomCovariance(size, 41);
    Matrix other = k;
    other.triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
    EXPECT_EQ(LowerOf(FactorOf(other)), LowerOf(FactorOf(k))) << size;
    EXPECT_EQ(FactorOf(other).Inverse(), FactorOf(k).Inverse()) << size;
  }
}

TEST(Cholesky, FactorsMatricesOfAnyScaleWithoutJitter) {
  const Matrix k = RandomCovariance(40, 51);
  const double log_determinant = FactorOf(k).LogDeterminant();
  for (const double scale : {1e-290, 1e-100, 1e-20, 1e20, 1e100, 1e290}) {
    const Cholesky factor = FactorOf(k * scale);
    EXPECT_EQ(factor.jitter(), 0) << scale;
    EXPECT_NEAR(factor.LogDeterminant(), log_determinant + 40 * std::log(scale), 1e-8) << scale;
  }
}

TEST(Cholesky, AppendingRowByRowGivesTheFactorOfTheGrownMatrix) {
  const Matrix k = RandomCovariance(150, 61);
  Cholesky grown;
  for (Index size = 0; size < 150; ++size) {
    ASSERT_TRUE(grown.Append(k.col(size).head(size), k(size, size)).ok()) << size;
    ASSERT_EQ(grown.size(), size + 1);
    const Matrix expected = LowerOf(FactorOf(k.topLeftCorner(size + 1, size + 1)));
    ASSERT_LE((LowerOf(grown) - expected).cwiseAbs().maxCoeff(), 1e-13) << size;
  }
  const LongMatrix exact = LongMatrix::From(k);
  EXPECT_LE(RelativeError(grown.Inverse(), Inverse(exact)), 1e-12);
  EXPECT_LE(std::abs(grown.LogDeterminant() - LogDeterminant(exact)), 1e-10);
  const Vector b = RandomMatrix(150, 1, 62);
  EXPECT_LE(RelativeError(Matrix(grown.Solve(b)), Solve(exact, LongMatrix::From(b))), 1e-12);
}

TEST(Cholesky, AppendsToAFactorThatStartedWithManyRows) {
  const Matrix k = RandomCovariance(110, 71);
  Cholesky grown = FactorOf(k.topLeftCorner(45, 45));
  for (Index size = 45; size < 110; ++size) {
    ASSERT_TRUE(grown.Append(k.row(size).head(size).transpose(), k(size, size)).ok());
  }
  EXPECT_LE((LowerOf(grown) - LowerOf(FactorOf(k))).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE(RelativeError(grown.Inverse(), Inverse(LongMatrix::From(k))), 1e-12);
}

TEST(Cholesky, ACopyDoesNotGrowWithItsOriginal) {
  const Matrix k = RandomCovariance(3, 72);
  Cholesky original = FactorOf(k.topLeftCorner(2, 2));
  const Cholesky copy = original;
  ASSERT_TRUE(original.Append(k.col(2).head(2), k(2, 2)).ok());
  EXPECT_EQ(copy.size(), 2);
  EXPECT_EQ(original.size(), 3);
  EXPECT_EQ(LowerOf(copy), LowerOf(FactorOf(k.topLeftCorner(2, 2))));
}

TEST(Cholesky, AddsTheLeastJitterThatHelpsToASingularMatrix) {
  for (const double deficit : {2e-10, 3e-9, 5e-8, 5e-7, 5e-6, 5e-5}) {
    const Cholesky factor = FactorOf(Indefinite(deficit));
    const double step = std::pow(10, std::ceil(std::log10(deficit)));
    EXPECT_NEAR(factor.jitter() / step, 1, 1e-9) << deficit;
  }
}

TEST(Cholesky, AddsAndReportsJitterRelativeToTheMeanOfTheDiagonal) {
  const JitterLadder ladder{1e-3, 10, 0.1};
  for (const double scale : {1e-9, 1.0, 4e6}) {
    Matrix k(2, 2);  // The smaller eigenvalue is -0.005.
    const double covariance = std::sqrt(1.005 * 1.005 - 0.25);
    k << 1.5, covariance, covariance, 0.5;
    const Cholesky factor = FactorOf(k * scale, ladder);
    EXPECT_NEAR(factor.jitter(), 1e-2 * scale, 1e-12 * scale);
    const LongMatrix expected =
        LowerFactor(LongMatrix::From(WithJitter(k * scale, factor.jitter())));
    EXPECT_LE(RelativeError(LowerOf(factor), expected), 1e-12);
  }
}

TEST(Cholesky, AddsNoMoreJitterThanTheLadderAllows) {
  const JitterLadder ladder{1e-3, 10, 0.1};
  EXPECT_NEAR(FactorOf(Indefinite(0.05), ladder).jitter(), 0.1, 1e-12);
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(Indefinite(0.2), ladder).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(Indefinite(2e-4)).status()));
}

TEST(Cholesky, FactorsTheCovarianceOfDuplicatePointsAtAnySize) {
  for (const Index size : kSizes) {
    if (size < 2) continue;
    const Matrix k = Matrix::Constant(size, size, 3.0);
    const Cholesky factor = FactorOf(k);
    ASSERT_EQ(factor.size(), size);
    EXPECT_GE(factor.jitter(), 0);
    EXPECT_LE(factor.jitter(), 3e-4);
    const Matrix lower = factor.lower();
    EXPECT_LE((lower * lower.transpose() - WithJitter(k, factor.jitter())).cwiseAbs().maxCoeff(),
              1e-12);
    EXPECT_TRUE(factor.Inverse().allFinite());
  }
}

TEST(Cholesky, FactorsZeroWithNegligibleJitter) {
  for (const Index size : {1, 3, 50}) {
    const Cholesky factor = FactorOf(Matrix::Zero(size, size));
    ASSERT_EQ(factor.size(), size);
    EXPECT_GT(factor.jitter(), 0);
    EXPECT_LE(LowerOf(factor).cwiseAbs().maxCoeff(), 1e-150);
  }
}

TEST(Cholesky, RefusesMatricesWithANegativeDiagonal) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(-Matrix::Identity(40, 40)).status()));
  Matrix mixed = Matrix::Identity(40, 40);
  mixed(39, 39) = -1;
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(mixed).status()));
}

TEST(Cholesky, RefusesMatricesThatAreNotSquare) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(Matrix::Identity(3, 2)).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(Matrix::Identity(2, 3)).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(Matrix(0, 3)).status()));
}

TEST(Cholesky, RefusesNonFiniteEntriesAnywhere) {
  for (const Index size : {1, 3, 32, 33, 70}) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      for (const auto& [i, j] : {std::pair<Index, Index>{0, 0},
                                 {size - 1, size - 1},
                                 {size - 1, 0},
                                 {size / 2, size / 2},
                                 {size / 2, size / 4}}) {
        Matrix k = RandomCovariance(size, 81);
        k(i, j) = bad;
        EXPECT_TRUE(absl::IsFailedPrecondition(Cholesky::Of(k).status()))
            << size << " " << bad << " at " << i << ", " << j;
      }
    }
  }
}

TEST(Cholesky, AnAppendThatFailsChangesNothing) {
  const Matrix k = RandomCovariance(64, 91);
  for (const Index size : {0, 1, 5, 32, 63, 64}) {
    SCOPED_TRACE(size);
    const Matrix start = k.topLeftCorner(size, size);
    Cholesky factor = FactorOf(start);
    const Matrix before = LowerOf(factor);
    Vector column = start.rowwise().sum();
    const double explained = column.sum();  // A lower bound of the corner, implied by `column`.
    for (const double diagonal : {explained, explained - 1, kNaN, kInfinity, -kInfinity}) {
      EXPECT_TRUE(absl::IsFailedPrecondition(factor.Append(column, diagonal * (1 - 1e-9))));
      EXPECT_EQ(factor.size(), size);
      EXPECT_EQ(LowerOf(factor), before);
    }
    if (size == 0) continue;
    column[size / 2] = kNaN;
    EXPECT_TRUE(absl::IsFailedPrecondition(factor.Append(column, 10 + 2 * explained)));
    EXPECT_EQ(LowerOf(factor), before);
    column[size / 2] = 0;
    EXPECT_TRUE(factor.Append(column, 10 + 2 * std::abs(explained)).ok());
    EXPECT_EQ(factor.size(), size + 1);
    EXPECT_EQ(LowerOf(factor).topLeftCorner(size, size), before);
  }
}

TEST(Cholesky, AlsoAddsItsJitterToAppendedCorners) {
  const Matrix k = Indefinite(5e-7);
  Cholesky factor = FactorOf(k);
  ASSERT_GT(factor.jitter(), 0);
  const double jitter = factor.jitter();
  const Vector column = Vector::Constant(2, 0.3);
  ASSERT_TRUE(factor.Append(column, 2.0).ok());
  EXPECT_EQ(factor.jitter(), jitter);
  Matrix grown(3, 3);
  grown << k, column, column.transpose(), 2.0;
  EXPECT_LE(
      RelativeError(LowerOf(factor), LowerFactor(LongMatrix::From(WithJitter(grown, jitter)))),
      1e-9);
}

TEST(Cholesky, TheEmptyFactorCanGrow) {
  for (Cholesky factor : {Cholesky(), FactorOf(Matrix(0, 0))}) {
    EXPECT_EQ(factor.size(), 0);
    EXPECT_EQ(factor.jitter(), 0);
    EXPECT_EQ(factor.LogDeterminant(), 0);
    EXPECT_EQ(factor.Solve(Vector(0)).size(), 0);
    EXPECT_EQ(factor.Inverse().size(), 0);
    Matrix nothing(0, 4);
    factor.SolveLower(nothing);
    factor.SolveLowerTransposed(nothing);
    ASSERT_TRUE(factor.Append(Vector(0), 9.0).ok());
    EXPECT_EQ(factor.At(0, 0), 3.0);
    EXPECT_DOUBLE_EQ(factor.LogDeterminant(), std::log(9.0));
  }
}

TEST(Cholesky, AppendingABlockGivesTheFactorOfTheGrownMatrix) {
  for (const Index first : {0, 1, 7, 40}) {
    for (const Index count : {1, 2, 33}) {
      const Matrix k = RandomCovariance(first + count, 31);
      Cholesky factor = FactorOf(k.topLeftCorner(first, first));
      Matrix solved = k.topRightCorner(first, count);
      factor.SolveLower(solved);
      ASSERT_TRUE(factor.AppendBlock(solved, k.bottomRightCorner(count, count)).ok());
      EXPECT_EQ(factor.size(), first + count);
      EXPECT_LE((LowerOf(factor) - LowerOf(FactorOf(k))).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Cholesky, ABlockThatFailsChangesNothingAndRowsAreTakenBack) {
  const Matrix k = RandomCovariance(6, 32);
  Cholesky factor = FactorOf(k);
  const Matrix before = LowerOf(factor);
  Matrix twice = k.leftCols(2);
  factor.SolveLower(twice);
  EXPECT_FALSE(factor.AppendBlock(twice, k.topLeftCorner(2, 2)).ok());
  EXPECT_FALSE(factor.AppendBlock(Matrix::Constant(6, 1, kNaN), Matrix::Ones(1, 1)).ok());
  EXPECT_EQ(LowerOf(factor), before);
  ASSERT_TRUE(factor.AppendBlock(Matrix::Zero(6, 3), Matrix::Identity(3, 3)).ok());
  EXPECT_EQ(factor.size(), 9);
  factor.Truncate(6);
  EXPECT_EQ(LowerOf(factor), before);
}

}  // namespace
}  // namespace slipstream
