#include "core/sources/usable_sources.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace slipstream {
namespace {

void AddCounts(const SourceCounts& counts, SourceCounts& sum) {
  sum.points += counts.points;
  sum.used += counts.used;
  sum.no_result += counts.no_result;
  sum.infeasible += counts.infeasible;
  sum.outside += counts.outside;
  sum.thinned += counts.thinned;
  sum.limited += counts.limited;
}

}  // namespace

std::vector<Fact> UsableSources::Facts() const {
  std::vector<Fact> facts = {{"sources_used", static_cast<double>(models.size())},
                             {"source_points_used", static_cast<double>(counts.used)}};
  const auto tell = [&](const char* name, size_t count) {
    if (count > 0) facts.push_back({name, static_cast<double>(count)});
  };
  tell("source_points_without_result", counts.no_result);
  tell("source_points_infeasible", counts.infeasible);
  tell("source_points_outside_the_space", counts.outside);
  tell("source_points_thinned_out", counts.thinned);
  tell("source_points_limited", counts.limited);
  tell("sources_with_the_opposite_goal", opposite_goal);
  tell("sources_without_a_usable_point", without_points);
  tell("sources_that_could_not_be_fitted", without_model);
  tell("sources_without_room_in_memory", without_room);
  return facts;
}

std::string UsableSources::WhyNoneIsUsable() const {
  std::vector<std::string> reasons;
  const auto tell = [&reasons](size_t count, const char* one, const char* many) {
    if (count > 0) reasons.push_back(absl::StrCat(count, " ", count == 1 ? one : many));
  };
  tell(counts.outside, "point is outside the study's space",
       "points are outside the study's space");
  tell(counts.no_result, "point has no result", "points have no result");
  tell(counts.infeasible, "point is infeasible", "points are infeasible");
  tell(without_model, "source task could not be fitted", "source tasks could not be fitted");
  tell(without_room, "model does not fit into memory beside those in use",
       "models do not fit into memory beside those in use");
  return absl::StrCat("no source task has a point that can be used",
                      reasons.empty() ? "" : ": ", absl::StrJoin(reasons, ", "));
}

absl::StatusOr<UsableSources> CollectUsableSources(const StudyView& view, SourceProvider& provider,
                                                   const SourceFitOptions& options) {
  UsableSources usable;
  size_t unready = 0;
  for (const auto& source : view.sources) {
    const absl::StatusOr<std::shared_ptr<const FittedSource>> fitted =
        provider.Get(source, *view.space, options);
    if (absl::IsUnavailable(fitted.status())) {
      ++unready;  // The others are asked for all the same, so that they get ready too.
      continue;
    }
    if (absl::IsResourceExhausted(fitted.status())) {
      ++usable.without_room;
      continue;
    }
    if (!fitted.ok() || (*fitted)->fit_failed) {
      ++usable.without_model;
      continue;
    }
    AddCounts((*fitted)->counts, usable.counts);
    if ((*fitted)->model == nullptr) {
      ++usable.without_points;
      continue;
    }
    if (source->goal != view.goal) ++usable.opposite_goal;
    usable.models.push_back((*fitted)->model);
  }
  if (unready > 0) {
    return absl::UnavailableError(
        absl::StrCat(unready, " of ", view.sources.size(), " source tasks are still being fitted"));
  }
  if (usable.models.empty()) return absl::NotFoundError(usable.WhyNoneIsUsable());
  return usable;
}

}  // namespace slipstream
