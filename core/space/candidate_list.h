// A finite table of configurations with an index.
//
// Immutable, hence thread-safe. Movable: the index refers to the rows' heap
// memory, which a move preserves.
#ifndef SLIPSTREAM_CORE_SPACE_CANDIDATE_LIST_H_
#define SLIPSTREAM_CORE_SPACE_CANDIDATE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "absl/hash/hash.h"
#include "core/space/configuration.h"

namespace slipstream {

// Equal values have equal hashes, including -0.0 and 0.0.
template <typename H>
H AbslHashValue(H state, const Value& value) {
  if (value.kind() == Value::Kind::kDouble) {
    return H::combine(std::move(state), value.kind(), value.number());
  }
  return H::combine(std::move(state), value.kind(), value.integer());
}

template <typename H>
H AbslHashValue(H state, const Configuration& configuration) {
  return H::combine(std::move(state), configuration.values);
}

// Maps configurations, hashed and compared by their values, to rows. Refers to
// configurations that must outlive it.
struct ConfigurationHash {
  size_t operator()(const Configuration* configuration) const {
    return absl::Hash<Configuration>()(*configuration);
  }
};
struct ConfigurationsEqual {
  bool operator()(const Configuration* a, const Configuration* b) const { return *a == *b; }
};
using ConfigurationIndex =
    std::unordered_map<const Configuration*, int64_t, ConfigurationHash, ConfigurationsEqual>;

class CandidateList {
 public:
  CandidateList(std::vector<Configuration> rows, bool allow_repeats);
  CandidateList(CandidateList&&) = default;
  CandidateList& operator=(CandidateList&&) = default;
  CandidateList(const CandidateList&) = delete;
  CandidateList& operator=(const CandidateList&) = delete;

  const std::vector<Configuration>& rows() const { return rows_; }
  bool allow_repeats() const { return allow_repeats_; }
  // The first row equal to `configuration`.
  std::optional<int64_t> IndexOf(const Configuration& configuration) const;
  // The first row that equals an earlier one.
  std::optional<size_t> FirstRepeat() const;
  size_t MemoryBytes() const;

 private:
  std::vector<Configuration> rows_;
  ConfigurationIndex index_;
  bool allow_repeats_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_CANDIDATE_LIST_H_
