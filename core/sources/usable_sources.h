// The source tasks of a study, as far as models can use them.
#ifndef SLIPSTREAM_CORE_SOURCES_USABLE_SOURCES_H_
#define SLIPSTREAM_CORE_SOURCES_USABLE_SOURCES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/prior/blocks/source_model.h"
#include "core/sources/fitted_source.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

struct UsableSources {
  SourceModels models;
  SourceCounts counts;        // Those of all sources together.
  size_t without_points = 0;  // Sources without a usable point.
  size_t without_model = 0;   // Sources whose fit failed.
  size_t without_room = 0;    // Sources whose models do not fit into memory beside others.
  size_t opposite_goal = 0;   // Used sources whose goal is not the study's.

  // Facts about them for provenance.
  std::vector<Fact> Facts() const;
  // A sentence, for where no point can be used in the study's space.
  std::string WhyNoneIsUsable(const SearchSpace& space) const;
};

// UNAVAILABLE while one is still being fitted; NOT_FOUND, saying why, when none
// can be used.
absl::StatusOr<UsableSources> CollectUsableSources(const StudyView& view, SourceProvider& provider,
                                                   const SourceFitOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SOURCES_USABLE_SOURCES_H_
