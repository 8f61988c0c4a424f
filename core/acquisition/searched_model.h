// The model of an objective as acquisitions and the search for a point see it.
#ifndef SLIPSTREAM_CORE_ACQUISITION_SEARCHED_MODEL_H_
#define SLIPSTREAM_CORE_ACQUISITION_SEARCHED_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/gp/output_transform.h"
#include "core/gp/surrogate.h"
#include "core/linalg/types.h"
#include "core/space/configuration.h"

namespace slipstream {

// Fitted and immutable, hence thread-safe.
class SearchedModel {
 public:
  virtual ~SearchedModel() = default;

  // The number of members; at least one.
  virtual size_t size() const = 0;
  virtual const Surrogate& member(size_t member) const = 0;
  // The logarithm of the member's weight; equally likely ones all have 0.
  virtual double LogWeight(size_t /*member*/) const { return 0; }
  // A member's noise variance, on the model's scale.
  virtual double NoiseVariance(size_t member) const = 0;
  // The best value so far as the member sees it, pending trials included.
  virtual double Incumbent(size_t member) const = 0;
  // The results that the model was fitted to, on its scale; more is better.
  virtual const Vector& results() const = 0;
  // From the objective's scale to the model's.
  virtual const OutputTransform& transform() const = 0;
  // The measured configurations from the best on, at most `count`.
  virtual std::vector<Configuration> BestConfigurations(size_t count) const = 0;
  // The round by the model's own count; none: it keeps no count.
  virtual std::optional<int64_t> round() const { return std::nullopt; }
  // Whether a prediction takes much longer than one from the results alone would.
  virtual bool is_costly() const = 0;
  // Whether an exploration by turns (core/exploration/turns.h) pays: some member learns from
  // nothing but the results.
  virtual bool takes_turns() const { return !is_costly(); }
  // Whether members are more exact when they are asked at single points.
  virtual bool looks_closer_at_single_points() const { return false; }

 protected:
  SearchedModel() = default;
  SearchedModel(const SearchedModel&) = default;
  SearchedModel& operator=(const SearchedModel&) = default;
};

// What the members predict together, by their weights: the mean of their means and, by the
// law of total variance, the variance.
Predictions PredictTogether(const SearchedModel& model, const PointMatrix& x);
// The same for trials that have a value.
Predictions PredictMeasured(const SearchedModel& model, const PointMatrix& x);

// The mean of their MeanOutcomes (core/gp/feasible_surrogate.h), by their weights.
Vector MeanOutcomesTogether(const SearchedModel& model, const PointMatrix& x);

// The mean of the members' noise variances, by their weights.
double NoiseTogether(const SearchedModel& model);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_SEARCHED_MODEL_H_
