#include "core/sources/usable_sources.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/space/domain_value.h"

namespace slipstream {
namespace {

void AddPoints(const OutsidePoints& points, OutsidePoints& sum) {
  sum.count += points.count;
  if (!points.text.empty() || !sum.text.empty()) return;  // Told of the first source.
  sum.least = std::min(sum.least, points.least);
  sum.most = std::max(sum.most, points.most);
}

std::string ValuesText(const OutsidePoints& points) {
  if (!points.text.empty()) return points.text;
  if (points.least == points.most) return FormatNumber(points.least);
  return absl::StrCat(FormatNumber(points.least), " to ", FormatNumber(points.most));
}

void AddCounts(const SourceCounts& counts, SourceCounts& sum) {
  sum.points += counts.points;
  sum.used += counts.used;
  sum.no_result += counts.no_result;
  sum.infeasible += counts.infeasible;
  sum.outside += counts.outside;
  sum.thinned += counts.thinned;
  sum.limited += counts.limited;
  for (const auto& [parameter, points] : counts.outside_by) {
    const auto [place, is_new] = sum.outside_by.try_emplace(parameter, points);
    if (!is_new) AddPoints(points, place->second);
  }
}

// " (180 of them by lr, which is 0.5 to 3 there, and must be a number from 0 to 1)": the parameter
// by which most points are outside, the first one of equals. Nothing if none is known.
std::string WhyOutside(const SourceCounts& counts, const SearchSpace& space) {
  constexpr size_t kMostNameBytes = 48;
  const auto worst = std::max_element(
      counts.outside_by.begin(), counts.outside_by.end(),
      [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  if (worst == counts.outside_by.end()) return "";
  const Parameter& parameter = space.parameters()[worst->first];
  const OutsidePoints& points = worst->second;
  const std::string part =
      points.count == counts.outside ? "" : absl::StrCat(points.count, " of them ");
  return absl::StrCat(" (", part, "by ", PrintableText(parameter.name, kMostNameBytes),
                      ", which is ", ValuesText(points), " there, and must be ",
                      BoundOf(parameter.domain), ")");
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

std::string UsableSources::WhyNoneIsUsable(const SearchSpace& space) const {
  std::vector<std::string> reasons;
  const auto tell = [&reasons](size_t count, const char* one, const char* many) {
    if (count > 0) reasons.push_back(absl::StrCat(count, " ", count == 1 ? one : many));
  };
  tell(counts.outside, "point is outside the study's space",
       "points are outside the study's space");
  if (!reasons.empty()) reasons.back() += WhyOutside(counts, space);
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
  if (usable.models.empty()) return absl::NotFoundError(usable.WhyNoneIsUsable(*view.space));
  return usable;
}

}  // namespace slipstream
