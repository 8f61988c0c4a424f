#include "tests/core/strategy/study_fixtures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "tests/core/space/configurations.h"

namespace slipstream {
namespace {

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

const Fact& FactOf(const Suggestion& suggestion, const std::string& name) {
  for (const Fact& fact : suggestion.provenance.facts) {
    if (fact.name == name) return fact;
  }
  Die("no fact " + name);
}

bool SameProvenance(const Provenance& a, const Provenance& b) {
  if (a.preset != b.preset || a.seed != b.seed || a.rung != b.rung ||
      a.rung_reason != b.rung_reason || a.sources.size() != b.sources.size() ||
      a.facts.size() != b.facts.size()) {
    return false;
  }
  for (size_t i = 0; i < a.sources.size(); ++i) {
    if (a.sources[i].source != b.sources[i].source) return false;
    if (a.sources[i].weight != b.sources[i].weight) return false;
  }
  for (size_t i = 0; i < a.facts.size(); ++i) {
    if (a.facts[i].name != b.facts[i].name || a.facts[i].value != b.facts[i].value) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const SearchSpace> MakeSpace(
    std::vector<Parameter> parameters, std::optional<SearchSpace::CandidateTable> candidates) {
  auto space = SearchSpace::Create(std::move(parameters), std::move(candidates));
  if (!space.ok()) Die(space.status().ToString());
  return std::make_shared<const SearchSpace>(*std::move(space));
}

std::shared_ptr<const SearchSpace> SquareSpace() {
  return MakeSpace({{"x", DoubleDomain{}, {}, {}}, {"y", DoubleDomain{}, {}, {}}});
}

std::shared_ptr<const SearchSpace> LineOfCandidates(int count, bool allow_repeats) {
  SearchSpace::CandidateTable table;
  for (int i = 0; i < count; ++i) table.rows.push_back({{"x", i / (count - 1.0)}});
  table.allow_repeats = allow_repeats;
  return MakeSpace({{"x", DoubleDomain{}, {}, {}}}, std::move(table));
}

std::shared_ptr<const SearchSpace> MixedSpace() {
  Parameter degree{"degree", IntegerDomain{1, 5, Scale::kLinear}, {}, {}};
  degree.condition = Condition{"kernel", {std::string("poly")}};
  return MakeSpace({{"rate", DoubleDomain{1e-5, 1, Scale::kLog}, {}, {}},
                    {"size", DiscreteDomain{{16, 32, 64, 512}, Scale::kLog}, {}, {}},
                    {"kernel", CategoricalDomain{{"rbf", "poly", "linear"}}, {}, {}},
                    {"warm", BooleanDomain{}, {}, {}},
                    degree});
}

StudyView FakeStudy::view() const {
  StudyView view;
  view.space = space.get();
  view.goal = goal;
  view.noiseless = noiseless;
  view.last_trial = last_trial;
  view.suggested = suggested;
  view.ended = ended;
  view.open = open;
  view.sources = sources;
  view.fitted_sources = library.get();
  return view;
}

void FakeStudy::Lease(const std::vector<Suggestion>& suggestions) {
  for (const Suggestion& suggestion : suggestions) {
    open.push_back({++last_trial, suggestion.configuration, suggestion.candidate,
                    suggestion.provenance.notes, /*suggested=*/true});
    ++suggested;
  }
}

void FakeStudy::Queue(Configuration configuration) {
  open.push_back({++last_trial, std::move(configuration), std::nullopt});
}

void FakeStudy::End(Ending ending, std::optional<double> value) { EndAt(0, ending, value); }

void FakeStudy::EndAt(size_t place, Ending ending, std::optional<double> value) {
  const OpenTrial trial = open[place];
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
  ended.push_back({trial.number, trial.configuration, trial.candidate, ending, value, trial.notes,
                   trial.suggested});
  std::sort(ended.begin(), ended.end(),
            [](const EndedTrial& a, const EndedTrial& b) { return a.number < b.number; });
}

std::vector<Suggestion> MustSuggest(const std::string& preset, const StudyView& view, int count,
                                    uint64_t seed, Deadline deadline) {
  auto suggestions = MakeStrategy(*FindPreset(preset))->Suggest(view, count, seed, deadline);
  if (!suggestions.ok()) Die(suggestions.status().ToString());
  return *std::move(suggestions);
}

double NumberFact(const Suggestion& suggestion, const std::string& name) {
  return std::get<double>(FactOf(suggestion, name).value);
}

std::string TextFact(const Suggestion& suggestion, const std::string& name) {
  return std::get<std::string>(FactOf(suggestion, name).value);
}

bool HasFact(const Suggestion& suggestion, const std::string& name) {
  for (const Fact& fact : suggestion.provenance.facts) {
    if (fact.name == name) return true;
  }
  return false;
}

std::shared_ptr<const SourceTaskData> BowlSource(const std::string& name, double best_x,
                                                 double best_y, int count, uint64_t seed,
                                                 Goal goal) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = name;
  source->space = SquareSpace();
  source->goal = goal;
  for (int i = 0; i < count; ++i) {
    const uint64_t index = static_cast<uint64_t>(i);
    const double x = CounterRandomUniform(seed, index, 0);
    const double y = CounterRandomUniform(seed, index, 1);
    const double cost = (x - best_x) * (x - best_x) + (y - best_y) * (y - best_y);
    source->points.push_back({{{Value::Double(x), Value::Double(y)}},
                              Ending::kMeasured,
                              goal == Goal::kMinimize ? cost : -cost});
  }
  return source;
}

double BowlValueAt(const SearchSpace& space, const Configuration& configuration, double shift) {
  double value = 0;
  for (double coordinate : CoordinatesOf(space, configuration)) {
    value -= std::pow(coordinate - 0.3 - shift, 2);
  }
  return value;
}

std::shared_ptr<const SourceTaskData> SourceOn(const std::shared_ptr<const SearchSpace>& space,
                                               const std::string& name, double shift) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = "sourceTasks/" + name;
  source->space = space;
  for (uint64_t i = 0; i < 8; ++i) {
    Configuration configuration;
    if (space->has_candidates()) {
      const std::vector<Configuration>& all = space->candidates();
      configuration = all[(i * all.size()) / 8];
    } else {
      std::vector<double> uniform(space->dimension());
      for (size_t d = 0; d < uniform.size(); ++d) uniform[d] = CounterRandomUniform(7, i, d);
      configuration = space->Sample(uniform);
    }
    source->points.push_back(
        {configuration, Ending::kMeasured, BowlValueAt(*space, configuration, shift)});
  }
  return source;
}

bool SameSuggestions(const std::vector<Suggestion>& a, const std::vector<Suggestion>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].configuration != b[i].configuration || a[i].candidate != b[i].candidate ||
        !SameProvenance(a[i].provenance, b[i].provenance)) {
      return false;
    }
  }
  return true;
}

}  // namespace slipstream
