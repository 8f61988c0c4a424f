// A small library of Eigen code, declared and built as core's folders are, to
// see that two builds of Eigen get along.
#ifndef SLIPSTREAM_TESTS_CORE_TWO_BUILDS_SAMPLE_H_
#define SLIPSTREAM_TESTS_CORE_TWO_BUILDS_SAMPLE_H_

#include <Eigen/Cholesky>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace slipstream::two_builds {

// Objects of fixed size, where alignment decides on the layout.
struct FixedSizes {
  char first = 'a';
  Eigen::Vector4d vector = Eigen::Vector4d::Constant(4);
  char second = 'b';
  Eigen::Matrix<double, 8, 8> matrix = Eigen::Matrix<double, 8, 8>::Constant(8);
  char third = 'c';
  Eigen::Vector2d pair = Eigen::Vector2d::Constant(2);
};

// How memory is laid out and allocated, as the file that calls this was
// compiled: static, so that no other file's copy can be called instead.
static inline std::vector<size_t> Layouts() {
  return {EIGEN_DEFAULT_ALIGN_BYTES,
          EIGEN_MAX_STATIC_ALIGN_BYTES,
          EIGEN_MALLOC_ALREADY_ALIGNED,
          sizeof(FixedSizes),
          alignof(FixedSizes),
          offsetof(FixedSizes, matrix),
          offsetof(FixedSizes, pair),
          alignof(Eigen::Vector4d),
          alignof(Eigen::Matrix3d),
          alignof(Eigen::Vector4f),
          sizeof(Eigen::MatrixXd),
          sizeof(Eigen::Ref<const Eigen::MatrixXd>),
          sizeof(Eigen::LLT<Eigen::MatrixXd>),
          alignof(Eigen::LLT<Eigen::MatrixXd>)};
}

// The same as the library was compiled.
std::vector<size_t> LibraryLayouts();

// The instruction sets that the library's copy of Eigen uses, in Eigen's words.
std::string LibraryInstructionSets();

// Frees what the caller allocated and gives what the caller frees: the kernel
// matrix (Matern 5/2) of the columns.
Eigen::MatrixXd KernelMatrix(Eigen::MatrixXd points);

// Grows `matrix` by a row and a column of ones, in the caller's memory.
void AppendOnes(Eigen::MatrixXd& matrix);

// Doubles everything in it.
std::vector<FixedSizes> Doubled(std::vector<FixedSizes> values);

// What a Gaussian process computes, by names: both builds are to agree.
std::vector<std::pair<std::string, double>> Numbers();

}  // namespace slipstream::two_builds

#endif  // SLIPSTREAM_TESTS_CORE_TWO_BUILDS_SAMPLE_H_
