// Objectives on mixed spaces read a configuration's values by the names of their parameters, and
// the ideal that a task has drawn for every parameter.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MIXED_SETTING_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MIXED_SETTING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream::evidence {

// Uniform random numbers one after the other, all determined by a seed. Not
// thread-safe.
class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}
  // Numbers that resemble these, in place of the same draws: most are beside them, every fifth is
  // unrelated.
  Draws Resembling(uint64_t seed) const;
  // In [min, max).
  double Between(double min, double max);
  // As many numbers in [min, max).
  template <size_t count>
  std::array<double, count> AllBetween(double min, double max) {
    std::array<double, count> numbers;
    for (double& number : numbers) number = Between(min, max);
    return numbers;
  }
  // 0 to count - 1; `count` > 0.
  size_t Below(size_t count);
  // The numbers 0 to count - 1 in random order.
  std::vector<size_t> Order(size_t count);

 private:
  uint64_t seed_;
  std::optional<uint64_t> resembling_;
  uint64_t next_ = 0;
};

// A legal configuration, read by names. Refers to `space` and `configuration`, which
// must outlive it; names have to be those of parameters. Immutable.
class Setting {
 public:
  Setting(const SearchSpace& space, const Configuration& configuration);

  // The value's place between the parameter's bounds on its scale, in [0, 1]. Without
  // meaning if the parameter is inactive.
  double At(absl::string_view name) const { return coordinates_[IndexOf(name)]; }
  // The index of the parameter's word, or 0 for false and 1 for true.
  size_t Choice(absl::string_view name) const;
  bool On(absl::string_view name) const { return Choice(name) == 1; }
  // Whether the parameter's word is `word`.
  bool Is(absl::string_view name, absl::string_view word) const;

 private:
  size_t IndexOf(absl::string_view name) const { return space_.IndexOf(name).value(); }

  const SearchSpace& space_;
  const Configuration& configuration_;
  std::vector<double> coordinates_;
};

// A value for every parameter of a space, whatever its condition.
class Ideal {
 public:
  // Draws values between a sixth and five sixths of each range, and any choice.
  // `space` need not outlive this.
  Ideal(const SearchSpace& space, Draws& draws);

  // Replaces values. A coordinate is moved to the nearest value that the parameter has.
  void Set(absl::string_view name, const NamedValue& value);
  void SetAt(absl::string_view name, double coordinate);

  double At(absl::string_view name) const;
  size_t Choice(absl::string_view name) const;

  // The root of the mean squared distance of the named parameters from the ideal, each
  // in shares of the longest distance that there is: 0 at the ideal, at most 1.
  double DistanceOf(const Setting& setting, absl::Span<const absl::string_view> names) const;

  // The legal configuration of `conditional`, which is the space that this was made
  // from, whose active parameters have their ideals.
  Configuration In(const SearchSpace& conditional) const;

 private:
  void Encode();

  SearchSpace all_;  // The space without conditions.
  Configuration values_;
  std::vector<double> coordinates_;  // Those of `values_`.
};

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MIXED_SETTING_H_
