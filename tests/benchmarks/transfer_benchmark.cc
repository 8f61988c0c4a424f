// Measures the cost of transfer: suggestions with it compared with ones without, with more and
// more sources, and how long a source takes to become ready and how that slows other
// studies down.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/instruction_set.h"
#include "core/recipe/presets.h"
#include "core/sources/fitted_source.h"
#include "core/strategy/make_strategy.h"
#include "server/service/service.h"
#include "server/service/source_fitting.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/latencies.h"
#include "tests/benchmarks/reference.h"
#include "tests/benchmarks/timing.h"
#include "tests/testing/command_flags.h"

namespace slipstream {
namespace {

constexpr size_t kDimension = 8;
constexpr int64_t kResults = 50;
constexpr int kTogether = 8;  // Workers that ask at the same time.
// How time grows is told where nothing has to be worked out twice for want of room.
constexpr size_t kRoomForAll = size_t{4} << 30;
// The amount that the server keeps of them by default.
const size_t kLibraryBytes = ServiceOptions().fitted_source_bytes;

struct Options {
  int rounds = 5;
  bool no_bars = false;
  bool smallest = false;
  std::vector<std::string> presets;
  std::vector<std::string> parts = {"ready",    "few",  "hundred", "together",
                                    "many", "thousand", "more"};
  std::string csv;
};

// Presets whose published cost is above the bars, with that cost for N source points
// in total, of which they use at most 1,000.
struct Costly {
  const char* preset;
  const char* cost;
};
constexpr Costly kCostly[] = {
    {"env_gp", "(N + t)^3 a fit, (N + t)^2 a point"},
    {"diff_gp", "(N + t)^3 a fit, (N + t)^2 a point"},
    {"envelope_ei", "(N + t)^3 a fit, (N + t)^2 a point"},
    {"envelope_ucb", "(N + t)^3 a fit, (N + t)^2 a point"},
    {"stacked", "with several sources N^3 a fit, N^2 a point"},
    {"efficient", "(N + t)^3 a fit, (N + t)^2 a point"},
    {"collaborative", "(N + t)^3 a fit, (N + t)^2 a point"},
};

const char* CostOf(absl::string_view preset) {
  for (const Costly& costly : kCostly) {
    if (preset == costly.preset) return costly.cost;
  }
  return nullptr;
}

double Objective(const Configuration& configuration, double shift) {
  double sum = 0;
  for (size_t j = 0; j < kDimension; ++j) {
    sum += std::sin(4 * configuration.values[j].number() + shift + static_cast<double>(j));
  }
  return sum;
}

Configuration RandomConfiguration(uint64_t seed, uint64_t index) {
  Configuration configuration;
  for (uint64_t j = 0; j < kDimension; ++j) {
    configuration.values.push_back(Value::Double(CounterRandomUniform(seed, index, j)));
  }
  return configuration;
}

std::shared_ptr<const SearchSpace> Cube() {
  std::vector<Parameter> parameters;
  for (size_t j = 0; j < kDimension; ++j) {
    parameters.push_back({absl::StrCat("x", j), DoubleDomain{0, 1}, {}, {}});
  }
  return std::make_shared<const SearchSpace>(*SearchSpace::Create(std::move(parameters)));
}

std::shared_ptr<const SourceTaskData> SourceOf(const std::shared_ptr<const SearchSpace>& space,
                                               uint64_t number, size_t points) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", number, "-", points);
  source->space = space;
  const double shift = 0.02 * static_cast<double>(number % 50);
  for (size_t i = 0; i < points; ++i) {
    source->points.push_back({RandomConfiguration(1000 + number, i), Ending::kMeasured, 0});
    source->points.back().value = Objective(source->points.back().configuration, shift);
  }
  return source;
}

// A study with kResults results and some sources, which are ready.
class Study {
 public:
  Study(size_t sources, size_t points) : space_(Cube()) {
    for (uint64_t i = 0; i < static_cast<uint64_t>(kResults); ++i) {
      ended_.push_back(ResultOf(static_cast<int64_t>(i) + 1, i));
    }
    for (uint64_t i = 0; i < sources; ++i) sources_.push_back(SourceOf(space_, i, points));
  }

  // The last result but one is another one: that takes as much as the coming of
  // a new one, also where what follows results lags one behind them.
  void ReplaceLast() {
    const auto id = kResults - 1;
    ended_[static_cast<size_t>(id) - 1] =
        ResultOf(id, static_cast<uint64_t>(kResults) + ++replaced_);
  }

  // Before the result that ReplaceLast replaces and the last one.
  StudyView ViewBefore(SourceProvider* provider) const {
    StudyView view = View(provider);
    view.ended = view.ended.first(kResults - 1);
    return view;
  }

  StudyView View(SourceProvider* provider) const {
    StudyView view;
    view.space = space_.get();
    view.last_trial = kResults;
    view.suggested = kResults;
    view.ended = ended_;
    view.sources = sources_;
    view.fitted_sources = provider;
    return view;
  }

 private:
  static EndedTrial ResultOf(int64_t id, uint64_t index) {
    EndedTrial trial{id, RandomConfiguration(7, index), {}, Ending::kMeasured, 0};
    trial.value = Objective(trial.configuration, 0);
    return trial;
  }

  std::shared_ptr<const SearchSpace> space_;
  uint64_t replaced_ = 0;
  std::vector<EndedTrial> ended_;
  std::vector<std::shared_ptr<const SourceTaskData>> sources_;
};

// False if it stepped down the ladder.
bool Suggests(const Strategy& strategy, const StudyView& view, int count = 1) {
  const auto suggestions = strategy.Suggest(view, count, 7, Deadline::Infinite());
  return suggestions.ok() && suggestions->back().provenance.rung == Rung::kRecipe;
}

double ResidentMebibytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kibibytes = 0;
  while (status >> word) {
    if (word == "VmRSS:" && status >> kibibytes) return kibibytes / 1024;
  }
  return 0;
}

class Report {
 public:
  explicit Report(const Options& options) : options_(options) {
    lines_.push_back("what,preset,sources,points,microseconds,ratio,bar");
  }

  void Add(const std::string& what, const std::string& preset, size_t sources, size_t points,
           double seconds, double ratio, double bar) {
    lines_.push_back(absl::StrCat(what, ",", preset, ",", sources, ",", points, ",", seconds * 1e6,
                                  ",", ratio, ",", bar));
  }
  void Expect(const std::string& name, double value, double bar) {
    figures_.push_back(AtMost(name, value, bar));
  }
  int Finish() {
    if (!options_.csv.empty()) WriteCsv(options_.csv, lines_);
    if (options_.no_bars) return 0;
    return PrintFigures(figures_) == 0 ? 0 : 1;
  }

 private:
  const Options& options_;
  std::vector<std::string> lines_;
  std::vector<Figure> figures_;
};

std::vector<std::string> TransferPresets(const Options& options) {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) {
    const bool is_asked = options.presets.empty() ||
                          std::find(options.presets.begin(), options.presets.end(), preset.name) !=
                              options.presets.end();
    if (is_asked && preset.recipe.prior->uses_sources()) names.emplace_back(preset.name);
  }
  return names;
}

// Those of the same whose cost is bounded whatever the number of sources is: the default, and what
// it is made of.
std::vector<std::string> WithBoundedCost(const Options& options) {
  std::vector<std::string> names = TransferPresets(options);
  std::erase_if(names, [](const std::string& name) {
    return name != "auto" && name != "empirical_gp" && name != "scaml";
  });
  return names;
}

// So that only what takes the sources together is left to work out.
void FitSources(const StudyView& view, const Preset& preset, SourceLibrary& library) {
  for (const auto& source : view.sources) {
    (void)library.Get(source, *view.space, preset.recipe.model_options().sources);
  }
}

// Each preset beside gp_log_ei, hyperparameters fitted anew by both, sources ready;
// and, in units of the same, its first suggestion after a new result, and one of
// eight asked for together after another one. Before them, in ms and measured
// once, what the server works out in the background once the sources are fitted,
// and the very first suggestion after it, which takes all steps of the results at
// once.
void BesideNoTransfer(const Options& options, const std::vector<std::string>& presets,
                      size_t sources, size_t points, double bar, Report& report) {
  absl::PrintF("\n%d sources x %d points, %d results: a suggestion with a full refit\n", sources,
               points, kResults);
  absl::PrintF("%-20s %10s %9s %12s %10s %7s %10s %9s\n", "preset", "prepare ms", "first ms",
               "gp_log_ei us", "ours us", "ratio", "new result", "of eight");
  Study study(sources, points);
  SourceLibrary library(kLibraryBytes);
  for (const std::string& name : presets) {
    const Preset& preset = *FindPreset(name);
    const std::unique_ptr<Strategy> keeps_the_prior = MakeStrategy(preset);
    const StudyView view = study.View(&library);
    FitSources(view, preset, library);
    bool works = true;
    const double prepare = SecondsOf([&] { works = keeps_the_prior->Prepare(view).ok(); });
    const auto suggest = [&](const Strategy& strategy, const StudyView& asked, int count = 1) {
      works = Suggests(strategy, asked, count) && works;
    };
    const double first = SecondsOf([&] { suggest(*keeps_the_prior, study.ViewBefore(&library)); });
    suggest(*keeps_the_prior, view);
    const Compared compared = Compare(
        options.rounds, [&] { Suggests(*LogImprovementAlone(), view); },
        [&] { suggest(*MakeStrategy(preset), view); });
    std::vector<double> after_new;
    for (int round = 0; round < (points > 100 ? 1 : 3); ++round) {
      after_new.push_back(SecondsOf([&] {
        study.ReplaceLast();
        suggest(*MakeStrategy(preset), view);
      }));
    }
    const double new_ratio = Median(after_new) / compared.floor;
    // Once before, as each of the few screens is worked out when it is first needed.
    suggest(*MakeStrategy(preset), view, kTogether);
    study.ReplaceLast();
    const double eight = SecondsOf([&] { suggest(*MakeStrategy(preset), view, kTogether); });
    const double eight_ratio = eight / kTogether / compared.floor;
    const char* const cost = CostOf(name);
    absl::PrintF("%-20s %10.1f %9.1f %12.1f %10.1f %7.2f %10.2f %9.2f  %s%s\n", name, prepare * 1e3,
                 first * 1e3, compared.floor * 1e6, compared.ours * 1e6, compared.ratio, new_ratio,
                 eight_ratio, works ? "" : "stepped down! ", cost == nullptr ? "" : cost);
    report.Add("beside", name, sources, points, compared.ours, compared.ratio, bar);
    report.Add("prepare", name, sources, points, prepare, prepare / compared.floor, 0);
    report.Add("first", name, sources, points, first, first / compared.floor, 0);
    report.Add("new result", name, sources, points, Median(after_new), new_ratio, 0);
    report.Add("of eight", name, sources, points, eight / kTogether, eight_ratio, 0);
    if (cost == nullptr) {
      report.Expect(absl::StrCat(name, ", ", sources, " x ", points, ": times gp_log_ei"),
                    works ? compared.ratio : INFINITY, bar);
    }
  }
  absl::PrintF("resident: %.0f MiB, of which models of sources %.0f\n", ResidentMebibytes(),
               static_cast<double>(library.bytes()) / (1 << 20));
  report.Expect(absl::StrCat("resident MiB with ", sources, " x ", points), ResidentMebibytes(),
                1024);
}

// With so many sources eight suggestions that are asked for together cost at most `bar` times one,
// each after a new result: what follows the first one is appended to its model.
void EightTogether(const Options& options, const std::vector<std::string>& presets, size_t sources,
                   size_t points, double bar, Report& report) {
  absl::PrintF("\n%d sources x %d points, %d results, after a new result: eight beside one\n",
               sources, points, kResults);
  absl::PrintF("%-20s %10s %10s %7s\n", "preset", "one ms", "eight ms", "ratio");
  Study study(sources, points);
  SourceLibrary library(kRoomForAll);
  for (const std::string& name : presets) {
    const Preset& preset = *FindPreset(name);
    FitSources(study.View(&library), preset, library);
    bool works = true;
    const auto suggest_after_new_result = [&](int count) {
      study.ReplaceLast();
      const StudyView view = study.View(&library);
      return SecondsOf(
          [&] { works = Suggests(*MakeStrategy(preset), view, count) && works; });
    };
    suggest_after_new_result(kTogether);  // Works out the screens that later ones find.
    std::vector<double> one;
    std::vector<double> eight;
    for (int round = 0; round < std::min(options.rounds, 3); ++round) {
      one.push_back(suggest_after_new_result(1));
      eight.push_back(suggest_after_new_result(kTogether));
    }
    const double ratio = Median(eight) / Median(one);
    absl::PrintF("%-20s %10.1f %10.1f %7.2f  %s\n", name, Median(one) * 1e3, Median(eight) * 1e3,
                 ratio, works ? "" : "stepped down!");
    report.Add("one", name, sources, points, Median(one), 1, 0);
    report.Add("eight", name, sources, points, Median(eight), ratio, bar);
    report.Expect(absl::StrCat(name, ", ", sources, " x ", points, ": eight, times one"),
                  works ? ratio : INFINITY, bar);
  }
}

// Ten times the sources may take ten times as long, plus a fifth for noise.
void EverMoreSources(const Options& options, const std::vector<size_t>& counts, Report& report) {
  constexpr size_t kPoints = 50;
  constexpr double kSlack = 1.2;
  absl::PrintF(
      "\nEver more sources of %d points, with room for all: ms of a suggestion with a full "
      "refit\n%-20s",
      kPoints, "preset");
  std::vector<std::unique_ptr<Study>> studies;
  for (size_t count : counts) {
    absl::PrintF(" %10d", count);
    studies.push_back(std::make_unique<Study>(count, kPoints));
  }
  absl::PrintF("\n");
  SourceLibrary library(kRoomForAll);
  for (const std::string& name : TransferPresets(options)) {
    const Preset& preset = *FindPreset(name);
    const std::unique_ptr<Strategy> keeps_the_prior = MakeStrategy(preset);
    absl::PrintF("%-20s", name);
    double before = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      const StudyView view = studies[i]->View(&library);
      Suggests(*keeps_the_prior, view);
      std::vector<double> seconds;
      for (int round = 0; round < std::min(options.rounds, 3); ++round) {
        seconds.push_back(SecondsOf([&] { Suggests(*MakeStrategy(preset), view); }));
      }
      const double now = Median(seconds);
      absl::PrintF(" %10.2f", now * 1e3);
      report.Add("more", name, counts[i], kPoints, now, before > 0 ? now / before : 1, 0);
      if (before > 0) {
        const double more = static_cast<double>(counts[i]) / static_cast<double>(counts[i - 1]);
        report.Expect(absl::StrCat(name, ": ", counts[i], " sources / ", counts[i - 1]),
                      now / before, more * kSlack);
      }
      before = now;
    }
    absl::PrintF("\n");
  }
}

double HighPercentile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() * 99 / 100];
}

// Seconds of each suggestion of a study without sources, until `enough` says so.
std::vector<double> OtherSuggestions(const Strategy& strategy, StudyView view,
                                     const std::function<bool(size_t)>& enough) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  while (!enough(seconds.size())) {
    ++view.suggested;
    const auto begin = Clock::now();
    Suggests(strategy, view);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

// Times a source from the request to the model, at low priority as in the server, and
// how much it slows another study's suggestions down.
void GettingReady(const Options& options, size_t points, Report& report) {
  const std::shared_ptr<const SearchSpace> space = Cube();
  const Study other(0, 0);
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  const StudyView view = other.View(nullptr);
  const size_t quiet_count = options.smallest ? 20 : 400;
  const std::vector<double> quiet =
      OtherSuggestions(*strategy, view, [&](size_t count) { return count >= quiet_count; });

  SourceFitting fitting(kLibraryBytes, 100, [] { setpriority(PRIO_PROCESS, 0, 15); });
  using Clock = std::chrono::steady_clock;
  std::vector<double> ready;
  std::vector<double> disturbed;
  for (uint64_t round = 0; round < static_cast<uint64_t>(options.rounds); ++round) {
    const auto source = SourceOf(space, 5000 + round, points);
    const auto begin = Clock::now();
    fitting.Prepare(source, *space, {});
    for (double seconds : OtherSuggestions(
             *strategy, view, [&](size_t) { return fitting.Get(source, *space, {}).ok(); })) {
      disturbed.push_back(seconds);
    }
    ready.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  if (disturbed.empty()) disturbed = quiet;
  const double ratio = HighPercentile(disturbed) / HighPercentile(quiet);
  absl::PrintF(
      "\nA source of %d points is ready after %.2f s (median of %d); meanwhile the p99 of "
      "%d suggestions\nof another study is %.2f ms, else %.2f ms: %.2f times\n",
      points, Median(ready), options.rounds, disturbed.size(), HighPercentile(disturbed) * 1e3,
      HighPercentile(quiet) * 1e3, ratio);
  report.Add("ready", "", 1, points, Median(ready), ratio, 2);
  report.Expect(absl::StrCat("seconds until a source of ", points, " points is ready"),
                Median(ready), 5);
  report.Expect("another study's p99 meanwhile / else", ratio, 2);
}

int Run(const Options& options) {
  absl::PrintF("Core's build: %s; dimension %d, medians of %d rounds, one thread\n",
               InstructionSet(), kDimension, options.rounds);
  Report report(options);
  const auto wants = [&](const char* part) {
    return std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  if (wants("ready")) GettingReady(options, options.smallest ? 60 : 1000, report);
  if (wants("few")) {
    BesideNoTransfer(options, TransferPresets(options), options.smallest ? 3 : 10,
                     options.smallest ? 20 : 100, 3, report);
  }
  if (wants("hundred") && !options.smallest) {
    BesideNoTransfer(options, WithBoundedCost(options), 100, 100, 3, report);
  }
  if (wants("together")) {
    EightTogether(options, TransferPresets(options), options.smallest ? 9 : 100,
                  options.smallest ? 10 : 50, 3, report);
  }
  if (wants("many") && !options.smallest) {
    BesideNoTransfer(options, TransferPresets(options), 100, 500, 25, report);
  }
  if (wants("thousand") && !options.smallest) {
    BesideNoTransfer(options, WithBoundedCost(options), 1000, 100, 10, report);
  }
  if (wants("more")) {
    const std::vector<size_t> few = {1, 5};
    const std::vector<size_t> many = {1, 10, 100, 1000};
    EverMoreSources(options, options.smallest ? few : many, report);
  }
  absl::PrintF("\n");
  return report.Finish();
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Options options;
  slipstream::CommandFlags flags("Compares suggestions with transfer with ones without");
  flags.Value("--rounds", &options.rounds, "Measurements of each");
  flags.Value("--presets", &options.presets, "Only these");
  flags.Value(
      "--parts", &options.parts,
      "ready (how fast a source is), few (10 x 100), hundred (100 x 100), together (eight "
      "suggestions, 100 x 50), many (100 x 500), thousand (1000 x 100), more (1 to 1000)");
  flags.Value("--csv", &options.csv, "Where to write the table");
  flags.TurnOn("--smallest", &options.smallest, "Few and small sources, to check that it works");
  flags.TurnOn("--no-bars", &options.no_bars, "Measure only; missed bars are not a failure");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  return slipstream::Run(options);
}
