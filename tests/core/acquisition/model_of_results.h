// A model with given results, for tests of what is asked of models. Its processes are the test's.
#ifndef SLIPSTREAM_TESTS_CORE_ACQUISITION_MODEL_OF_RESULTS_H_
#define SLIPSTREAM_TESTS_CORE_ACQUISITION_MODEL_OF_RESULTS_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/acquisition/searched_model.h"

namespace slipstream {

class ModelOfResults : public SearchedModel {
 public:
  ModelOfResults(std::vector<Configuration> measured, Vector results)
      : measured_(std::move(measured)), results_(std::move(results)) {}

  const std::vector<Configuration>& measured() const { return measured_; }
  double Incumbent(size_t /*member*/) const override { return results_.maxCoeff(); }
  const Vector& results() const override { return results_; }
  const OutputTransform& transform() const override { return transform_; }
  // Those that were measured first.
  std::vector<Configuration> BestConfigurations(size_t count) const override {
    return {measured_.begin(), measured_.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(count, measured_.size()))};
  }
  bool is_costly() const override { return false; }

 private:
  const std::vector<Configuration> measured_;
  const Vector results_;
  const OutputTransform transform_ = OutputTransform::Identity(1);
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_ACQUISITION_MODEL_OF_RESULTS_H_
