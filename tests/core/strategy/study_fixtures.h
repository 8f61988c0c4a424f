// Studies and sources for tests of strategies.
#ifndef SLIPSTREAM_TESTS_CORE_STRATEGY_STUDY_FIXTURES_H_
#define SLIPSTREAM_TESTS_CORE_STRATEGY_STUDY_FIXTURES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/sources/fitted_source.h"
#include "core/space/search_space.h"
#include "core/strategy/strategy.h"
#include "core/study/study_view.h"

namespace slipstream {

// Dies if the space is not legal.
std::shared_ptr<const SearchSpace> MakeSpace(
    std::vector<Parameter> parameters,
    std::optional<SearchSpace::CandidateTable> candidates = std::nullopt);

// x in [0, 1] and y in [0, 1].
std::shared_ptr<const SearchSpace> SquareSpace();

// x from 0 to 1 in `count` candidates at equal distances.
std::shared_ptr<const SearchSpace> LineOfCandidates(int count, bool allow_repeats = false);

// All kinds of parameters, with a condition.
std::shared_ptr<const SearchSpace> MixedSpace();

// A study whose trials are added one by one.
class FakeStudy {
 public:
  explicit FakeStudy(std::shared_ptr<const SearchSpace> study_space,
                     std::vector<std::shared_ptr<const SourceTaskData>> source_tasks = {},
                     Goal study_goal = Goal::kMaximize)
      : space(std::move(study_space)), sources(std::move(source_tasks)), goal(study_goal) {}

  StudyView view() const;
  // Each suggestion becomes an open trial, as in a server.
  void Lease(const std::vector<Suggestion>& suggestions);
  // A person's own trial.
  void Queue(Configuration configuration);
  // The first open trial ends so.
  void End(Ending ending, std::optional<double> value = std::nullopt);
  // The open trial at this place does.
  void EndAt(size_t place, Ending ending, std::optional<double> value = std::nullopt);

  std::shared_ptr<const SearchSpace> space;
  std::vector<std::shared_ptr<const SourceTaskData>> sources;
  Goal goal;
  bool noiseless = false;
  int64_t suggested = 0;
  int64_t last_trial = 0;
  std::vector<EndedTrial> ended;
  std::vector<OpenTrial> open;
  // Where its sources are fitted; copies of the study share it.
  std::shared_ptr<SourceLibrary> library = std::make_shared<SourceLibrary>(size_t{64} << 20);
};

// Suggestions of `preset`; dies if there are none.
std::vector<Suggestion> MustSuggest(const std::string& preset, const StudyView& view, int count,
                                    uint64_t seed, Deadline deadline = Deadline::Infinite());

// A fact's number or text; dies if it is not there.
double NumberFact(const Suggestion& suggestion, const std::string& name);
std::string TextFact(const Suggestion& suggestion, const std::string& name);
bool HasFact(const Suggestion& suggestion, const std::string& name);

// A source on SquareSpace() with `count` random points, value
// -((x - best_x)^2 + (y - best_y)^2), or its opposite if it minimises.
std::shared_ptr<const SourceTaskData> BowlSource(const std::string& name, double best_x,
                                                 double best_y, int count, uint64_t seed,
                                                 Goal goal = Goal::kMaximize);

// A bowl around the coordinates 0.3 + shift: smooth along numbers, different for each word.
double BowlValueAt(const SearchSpace& space, const Configuration& configuration, double shift);

// A source on `space` with eight points and BowlValueAt's values there.
std::shared_ptr<const SourceTaskData> SourceOn(const std::shared_ptr<const SearchSpace>& space,
                                               const std::string& name, double shift);

bool SameSuggestions(const std::vector<Suggestion>& a, const std::vector<Suggestion>& b);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_STRATEGY_STUDY_FIXTURES_H_
