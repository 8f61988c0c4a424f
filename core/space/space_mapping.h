// Maps configurations from one space to another for transfer. Parameters are
// matched by name and in raw units.
#ifndef SLIPSTREAM_CORE_SPACE_SPACE_MAPPING_H_
#define SLIPSTREAM_CORE_SPACE_SPACE_MAPPING_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

// Thread-safe; keeps references to both spaces, which must outlive it.
class SpaceMapping {
 public:
  // INVALID_ARGUMENT, naming the parameters of both, if no parameter of `target`
  // has a namesake in `source`.
  static absl::StatusOr<SpaceMapping> Create(const SearchSpace& source, const SearchSpace& target);

  // The source's `configuration` in the target's space. A target parameter
  // without an active namesake gets its default, or the middle of its range (the
  // first category); the target's conditions decide which are active. A number between
  // two whole or discrete ones of the target counts as the nearer one. Absent if a
  // value that would be active is outside the target's domain. The result need not be
  // one of the target's candidates, as models also learn from points that cannot be
  // suggested.
  std::optional<Configuration> Map(const Configuration& configuration) const;

  // Map into `mapped`, whose memory it reuses. Returns false if the result
  // is absent, and then leaves `mapped` in an unspecified state.
  bool Map(const Configuration& configuration, Configuration& mapped) const;

  // A parameter of the target, and the source's of the same name.
  struct Pair {
    size_t parameter = 0;
    size_t namesake = 0;
  };
  // The parameters by whose values a configuration is outside; none if Map finds it a place.
  std::vector<Pair> OutsideBy(const Configuration& configuration) const;

 private:
  // How one parameter of the target gets its value.
  struct Origin {
    std::optional<size_t> namesake;              // In the source.
    std::vector<std::optional<Value>> of_level;  // By the namesake's categories, if any.
    Value fallback;
  };

  SpaceMapping(const SearchSpace& target, std::vector<Origin> origins);
  static Origin OriginOf(const SearchSpace& source, const SearchSpace& target, size_t parameter);
  // Absent if the value is outside the target's domain.
  std::optional<Value> ValueOf(size_t parameter, const Configuration& configuration) const;

  const SearchSpace* target_;
  std::vector<Origin> origins_;  // By target parameter.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_SPACE_MAPPING_H_
