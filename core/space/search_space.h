// The search space: which configurations are legal, and how they map to the unit
// cube and back.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(
//       SearchSpace space,
//       SearchSpace::Create({{"lr", DoubleDomain{1e-5, 1, Scale::kLog}, {}, {}}}));
//   SLIPSTREAM_ASSIGN_OR_RETURN(Configuration x, space.Resolve({{"lr", 0.01}}));
//   std::vector<double> coordinates(space.dimension());
//   space.EncodeCoordinates(x, absl::MakeSpan(coordinates));
//   Configuration near = space.Decode(coordinates);
//
// Immutable after Create, hence thread-safe. Copying copies the candidates;
// share it by std::shared_ptr<const SearchSpace>.
#ifndef SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_H_
#define SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/space/configuration.h"
#include "core/space/parameter.h"

namespace slipstream {

// Bounds that Create enforces.
struct SpaceLimits {
  static constexpr size_t kMaxParameters = 200;
  static constexpr size_t kMaxNameBytes = 128;
  static constexpr size_t kMaxChoices = 1000;  // Per discrete or categorical parameter.
  static constexpr size_t kMaxChoiceBytes = 256;
  static constexpr int64_t kMaxIntegerSpan = int64_t{1} << 53;
  static constexpr size_t kMaxCandidates = 50000;
};

class SearchSpace {
 public:
  // A finite table of configurations as people write them.
  struct CandidateTable {
    std::vector<std::vector<Assignment>> rows;
    bool allow_repeats = false;
  };

  // INVALID_ARGUMENT, always an InvalidField with a path such as
  // "parameters[2].condition.parent" or "candidates.configurations[7].values[lr]"
  // and a message that also names the parameter, for no or too many parameters; a
  // name that is empty, too long, not UTF-8, has control characters or occurs
  // twice; an empty or non-finite range; a logarithmic scale whose lower bound is
  // not positive; an integer range that is too wide; no, too many, unsorted or
  // repeated choices; a default outside the domain; a condition on an unknown
  // parameter, on itself, on a double parameter, with no values or with ones that
  // the parent cannot have, or in a cycle; no, too many, illegal or repeated
  // candidates.
  static absl::StatusOr<SearchSpace> Create(
      std::vector<Parameter> parameters,
      std::optional<CandidateTable> candidates = std::nullopt);

  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;
  ~SearchSpace();

  const std::vector<Parameter>& parameters() const;
  // Number of parameters, which is the number of coordinates of a point.
  size_t dimension() const { return parameters().size(); }
  std::optional<size_t> IndexOf(absl::string_view name) const;
  // Index of the parameter whose value decides whether `parameter` is active.
  std::optional<size_t> ParentOf(size_t parameter) const;
  // All parameters, parents before children.
  const std::vector<size_t>& ParentsFirst() const;
  // Whether `parameter` is active, given its parent's value in `configuration`,
  // whose other values may not be set yet.
  bool IsActive(size_t parameter, const Configuration& configuration) const;
  // Whether the values of `parameter` have no distance, as categories, true and false.
  bool IsUnordered(size_t parameter) const;

  // The configuration that a person wrote. INVALID_ARGUMENT, an InvalidField with
  // a path "values[<name>]", if a name is unknown or occurs twice, an active
  // parameter is missing, an inactive one has a value, or a value is of the wrong
  // kind, not finite or outside its domain. A whole double is accepted as an
  // integer and an integer as a double if the conversion is exact.
  absl::StatusOr<Configuration> Resolve(absl::Span<const Assignment> assignments) const;

  // The inverse of Resolve: only active parameters, in the space's order.
  // `configuration` must be legal.
  std::vector<Assignment> Name(const Configuration& configuration) const;

  // One value as a person writes it; `value` must be active and legal.
  NamedValue NameValue(size_t parameter, const Value& value) const;

  // The value of one parameter, whatever its condition. Errors as Resolve.
  absl::StatusOr<Value> ResolveValue(size_t parameter, const NamedValue& value) const;

  // The value that a parameter is assumed to have if nothing else is known: its
  // default, or else the middle of its range on its scale, the first category, or
  // false.
  Value FallbackOf(size_t parameter) const;

  // Writes the configuration's coordinates, from 0 to 1, to `coordinates`, which has one
  // entry for each parameter. Inactive parameters get the coordinate of their default, or
  // 0.5 without one. `configuration` must be legal.
  void EncodeCoordinates(const Configuration& configuration,
                         absl::Span<double> coordinates) const;

  // The legal configuration nearest to a point of the unit cube; conditions decide which
  // coordinates count. Coordinates outside [0, 1] are clamped, and NaN counts as 0.5, as
  // do those that are missing. A double in [0, 1] cannot distinguish all values of a wide
  // range, so the coordinates of a configuration may decode to its neighbour. In a space
  // with candidates the result need not be one of them.
  Configuration Decode(absl::Span<const double> coordinates) const;

  // Like Decode, but maps uniform coordinates to uniform choices: the values of a
  // discrete parameter have equal shares of [0, 1]. For space filling.
  Configuration Sample(absl::Span<const double> uniform) const;

  bool has_candidates() const;
  bool allow_repeats() const;
  // The candidates; empty without a candidate list.
  const std::vector<Configuration>& candidates() const;
  std::optional<int64_t> CandidateIndex(const Configuration& configuration) const;

  // Approximate heap and object size in bytes, for caches.
  size_t MemoryBytes() const;

 private:
  struct Impl;
  explicit SearchSpace(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_SEARCH_SPACE_H_
