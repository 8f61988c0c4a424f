// The scale that a target's results share with those of its sources.
//
// A method that subtracts the values of different tasks from each other, or pools them, needs one
// map that takes all of them to the scale of models. A task that is standardised alone loses its
// level and its spread, so that two equal tasks differ if their results stand at different points.
#ifndef SLIPSTREAM_CORE_SOURCES_SHARED_SCALE_H_
#define SLIPSTREAM_CORE_SOURCES_SHARED_SCALE_H_

#include <memory>
#include <optional>

#include "absl/types/span.h"
#include "core/gp/output_transform.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"

namespace slipstream {

// The affine map under which all measured results of the sources in `space`, which is the target's,
// together have mean 0 and deviation 1, a result that is to be minimised counting as its opposite;
// of positive sign. Results elsewhere, of which models do not learn, could be so much worse that
// all others were equal on the scale. The target has no part in it, so it stays as it is while
// results come. Nothing if nothing was measured, and nothing if all results are equal, as a single
// one is: they have no spread, and in their own size a target could be so large that models of
// results of deviation 1 cannot follow it. Each task then is on its own scale.
std::optional<OutputTransform> SharedScaleOf(
    absl::Span<const std::shared_ptr<const SourceTaskData>> sources, const SearchSpace& space);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SOURCES_SHARED_SCALE_H_
