// Points of a cube in patches of neighbours: the cube is halved again and again, each time across
// the coordinate in which a patch's points vary most, until few are in each.
//
// Immutable, hence thread-safe. A pure function of the points.
#ifndef SLIPSTREAM_CORE_GP_PATCHES_H_
#define SLIPSTREAM_CORE_GP_PATCHES_H_

#include <cstddef>
#include <vector>

#include "core/linalg/types.h"

namespace slipstream {

class Patches {
 public:
  // At least one point, and at most `most` (at least 1) in each patch. Where more points are all
  // equal, an even selection of `most` of them is in their patch.
  Patches(const PointMatrix& x, Index most);

  size_t size() const { return rows_.size(); }
  // The places of a patch's points, ascending; never empty and never more than `most`.
  const std::vector<Index>& rows(size_t patch) const { return rows_[patch]; }
  // The patch in which any point of the cube lies.
  size_t PatchOf(ConstVectorView x) const;

 private:
  // A cut, whose lower side has coordinates below `threshold`, or a patch.
  struct Node {
    Index coordinate = -1;  // -1: a patch.
    double threshold = 0;
    size_t lower = 0;  // Places of nodes; for a patch `lower` is its number.
    size_t upper = 0;
  };

  // Both return the place of the node that they add.
  size_t Divide(const PointMatrix& x, std::vector<Index> rows, Index most);
  size_t AddPatch(std::vector<Index> rows, Index most);

  std::vector<Node> nodes_;  // The root is the last.
  std::vector<std::vector<Index>> rows_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_PATCHES_H_
