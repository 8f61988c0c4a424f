// Which sources these are: the part of a cache's key that stands for them.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_IDENTITIES_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_IDENTITIES_H_

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/prior/blocks/source_model.h"

namespace slipstream {

// The sources as objects, which do not change, in their order. Does not keep them alive, but a
// later object at the same address is another one.
class SourceIdentities {
 public:
  explicit SourceIdentities(const SourceModels& sources) {
    for (const auto& source : sources) sources_.emplace_back(source, source.get());
  }

  bool operator==(const SourceIdentities& other) const {
    return std::equal(sources_.begin(), sources_.end(), other.sources_.begin(),
                      other.sources_.end(), IsSame);
  }

 private:
  // No later object has the owner of one that is gone.
  using Identity = std::pair<std::weak_ptr<const SourceModel>, const SourceModel*>;

  static bool IsSame(const Identity& a, const Identity& b) {
    return a.second == b.second && !a.first.owner_before(b.first) && !b.first.owner_before(a.first);
  }

  std::vector<Identity> sources_;
};

// The part of a cache's key for what is made of sources at some places. The places differ where
// studies of one space have other candidates.
struct PlacedSources {
  SourceIdentities sources;
  PointMatrix places;

  bool operator==(const PlacedSources& other) const {
    return AreEqual(places, other.places) && sources == other.sources;
  }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_IDENTITIES_H_
