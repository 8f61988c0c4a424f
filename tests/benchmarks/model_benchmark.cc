// Compares the model's times with those of the linear algebra that it needs:
// predictions, the likelihood with its gradient, and whole suggestions.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/instruction_set.h"
#include "core/gp/likelihood.h"
#include "core/recipe/presets.h"
#include "core/space/quasi_random.h"
#include "core/strategy/make_strategy.h"
#include "tests/benchmarks/bare_algebra.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/reference.h"
#include "tests/benchmarks/timing.h"
#include "tests/core/space/configurations.h"
#include "tests/testing/command_flags.h"

namespace slipstream {
namespace {

constexpr Index kDimension = 8;
constexpr double kNoBar = std::numeric_limits<double>::infinity();

struct Options {
  int rounds = 7;
  bool no_bars = false;
  bool no_predictions = false;
  std::string csv;
};

PointMatrix RandomPoints(Index count, uint64_t seed, Index dimension = kDimension) {
  PointMatrix x(count, dimension);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < dimension; ++j) {
      x(i, j) = CounterRandomUniform(seed, static_cast<uint64_t>(i), static_cast<uint64_t>(j));
    }
  }
  return x;
}

double Objective(const Eigen::RowVectorXd& x) {
  double value = 0;
  for (Index j = 0; j < x.size(); ++j) value += std::sin(3 * x[j] + static_cast<double>(j));
  return value + x[0] * x[1] - 2 * x[2] * x[3];
}

TrainingData RandomData(Index count) {
  TrainingData data{RandomPoints(count, 1), Vector(count), Vector::Ones(count)};
  for (Index i = 0; i < count; ++i) data.y[i] = Objective(data.x.row(i));
  data.y.array() -= data.y.mean();
  return data;
}

Hyperparameters SomeHyperparameters(const Kernel& kernel) {
  return {Vector::Zero(kernel.parameter_count()), std::log(1e-3), 0};
}

std::shared_ptr<const Kernel> SomeKernel() {
  return MakeStationary(Smoothness::kMatern52, Numbers(kDimension), Lengthscales::kEach);
}

Matrix NoisyKernelMatrix(const PointMatrix& x) {
  Matrix k = BareKernelMatrix(x, x);
  k.diagonal().array() += 1e-3;
  return k;
}

class Table {
 public:
  explicit Table(bool with_bars) : with_bars_(with_bars) {
    absl::PrintF("%-44s %6s %12s %12s %8s %6s\n", "", "n", "floor us", "ours us", "ratio", "bar");
  }

  void Add(const std::string& what, Index n, const Compared& compared, double bar) {
    absl::PrintF("%-44s %6d %12.1f %12.1f %8.2f %6s%s\n", what, n, compared.floor * 1e6,
                 compared.ours * 1e6, compared.ratio, bar == kNoBar ? "-" : absl::StrCat(bar),
                 compared.ratio <= bar || !with_bars_ ? "" : "  missed");
    lines_.push_back(absl::StrCat(what, ",", n, ",", compared.floor * 1e6, ",", compared.ours * 1e6,
                                  ",", compared.ratio, ",", bar));
    if (bar == kNoBar) return;
    figures_.push_back(AtMost(absl::StrCat(what, " at n = ", n), compared.ratio, bar));
  }

  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<Figure>& figures() const { return figures_; }

 private:
  bool with_bars_;
  std::vector<std::string> lines_ = {"what,n,floor_us,ours_us,ratio,bar"};
  std::vector<Figure> figures_;
};

void Predictions4096(int rounds, Table& table) {
  const PointMatrix candidates = RandomPoints(4096, 2);
  for (Index n : {100, 500, 1000}) {
    const TrainingData data = RandomData(n);
    const auto kernel = SomeKernel();
    const auto process = FitProcess(kernel, data, SomeHyperparameters(*kernel));
    if (!process.ok()) throw std::runtime_error(process.status().ToString());
    const Matrix lower = BareFactor(NoisyKernelMatrix(data.x));
    const Compared compared = Compare(
        rounds,
        [&] {
          Matrix k = BareKernelMatrix(data.x, candidates);
          BareTriangularSolve(lower, k);
        },
        [&] { process->Predict(candidates); });
    table.Add("mean and variance of 4096 points", n, compared, 1.5);
  }
}

void LikelihoodAndGradient(int rounds, Table& table) {
  const TrainingData data = RandomData(100);
  const auto kernel = SomeKernel();
  const Hyperparameters hyperparameters = SomeHyperparameters(*kernel);
  const Matrix k = NoisyKernelMatrix(data.x);
  const Compared compared = Compare(
      rounds, [&] { BareCholeskyAndInverse(k); },
      [&] {
        if (!LogMarginalLikelihood(*kernel, data, hyperparameters).ok()) std::abort();
      });
  table.Add("likelihood and gradient", 100, compared, 4);
}

// A study with `n` results on the unit cube.
struct Study {
  explicit Study(Index n, Index dimension = kDimension) {
    std::vector<Parameter> parameters;
    for (Index j = 0; j < dimension; ++j) {
      parameters.push_back({absl::StrCat("x", j), DoubleDomain{0, 1}, {}, {}});
    }
    space = std::make_unique<SearchSpace>(*SearchSpace::Create(std::move(parameters)));
    const PointMatrix x = RandomPoints(n, 1, dimension);
    for (Index i = 0; i < n; ++i) {
      EndedTrial trial;
      trial.number = i + 1;
      for (Index j = 0; j < dimension; ++j) {
        trial.configuration.values.push_back(Value::Double(x(i, j)));
      }
      trial.value = Objective(x.row(i));
      ended.push_back(std::move(trial));
    }
    view.space = space.get();
    view.last_trial = n;
    view.suggested = n;
    view.ended = ended;
  }

  std::unique_ptr<SearchSpace> space;
  std::vector<EndedTrial> ended;
  StudyView view;
};

// A study with `n` results on 20 parameters: a word of 100 choices, one of four branches with three
// numbers and, in two of them, a switch of their own, and four numbers of all.
struct MixedStudy {
  explicit MixedStudy(Index n) {
    space = std::make_unique<SearchSpace>(*SearchSpace::Create(Parameters()));
    for (const auto& point : QuasiRandomPoints(space->dimension(), 1, 0, static_cast<size_t>(n))) {
      EndedTrial trial;
      trial.number = static_cast<int64_t>(ended.size()) + 1;
      trial.configuration = space->Sample(point);
      const std::vector<double> coordinates = CoordinatesOf(*space, trial.configuration);
      trial.value = Objective(Eigen::Map<const Eigen::RowVectorXd>(
          coordinates.data(), static_cast<Index>(coordinates.size())));
      ended.push_back(std::move(trial));
    }
    view.space = space.get();
    view.last_trial = n;
    view.suggested = n;
    view.ended = ended;
  }

  static std::vector<Parameter> Parameters() {
    const auto words = [](int count) {
      CategoricalDomain domain;
      for (int i = 0; i < count; ++i) domain.values.push_back(absl::StrCat("word", i));
      return domain;
    };
    std::vector<Parameter> parameters = {{"choice", words(100), {}, {}},
                                         {"branch", words(4), {}, {}}};
    for (int i = 0; i < 4; ++i) {
      const Condition in_branch{"branch", {absl::StrCat("word", i)}};
      parameters.push_back({absl::StrCat("shared", i), DoubleDomain{}, {}, {}});
      for (int j = 0; j < 3; ++j) {
        parameters.push_back({absl::StrCat("own", i, j), DoubleDomain{}, {}, in_branch});
      }
      if (i < 2) parameters.push_back({absl::StrCat("on", i), BooleanDomain{}, {}, in_branch});
    }
    return parameters;
  }

  std::unique_ptr<SearchSpace> space;
  std::vector<EndedTrial> ended;
  StudyView view;
};

void MustSuggest(const Strategy& strategy, const StudyView& view, uint64_t seed = 7) {
  const auto suggestions = strategy.Suggest(view, 1, seed, Deadline::Infinite());
  if (!suggestions.ok() || suggestions->front().provenance.rung != Rung::kRecipe) std::abort();
}

// Methods for unknown hyperparameters, each without earlier state and at a suggestion
// that is not random.
void UnknownHyperparameters(int rounds, Table& table) {
  const Study study(50, 4);
  const auto is_random = [&](const Preset& preset, uint64_t seed) {
    const auto made = MakeStrategy(preset)->Suggest(study.view, 1, seed, Deadline::Infinite());
    if (!made.ok()) std::abort();
    const std::vector<Fact>& facts = made->front().provenance.facts;
    return std::any_of(facts.begin(), facts.end(),
                       [](const Fact& fact) { return fact.name == "random_index"; });
  };
  for (const auto& [name, bar] : {std::pair<const char*, double>{"uhebo", 10},
                                  {"agpucb_bound", 1.5},
                                  {"agpucb_onestep", kNoBar},
                                  {"agpucb_min", kNoBar},
                                  {"wang_de_freitas", kNoBar},
                                  {"gp_mcmc", kNoBar}}) {
    const Preset& preset = *FindPreset(name);
    uint64_t seed = 7;
    while (is_random(preset, seed)) ++seed;
    table.Add(absl::StrCat(name, ", d = 4, beside gp_log_ei"), 50,
              Compare(
                  rounds, [&] { MustSuggest(*LogImprovementAlone(), study.view, seed); },
                  [&] { MustSuggest(*MakeStrategy(preset), study.view, seed); }),
              bar);
  }
}

void Suggestions(int rounds, Table& table) {
  const Preset& preset = *FindPreset("gp_log_ei");
  for (const auto& [n, bar, bar_without] : {std::tuple<Index, double, double>{50, 150, 60},
                                            std::tuple<Index, double, double>{500, 20, 5}}) {
    Study study(n);
    const Matrix k = NoisyKernelMatrix(RandomPoints(n, 1));
    const auto floor = [&k] { BareCholeskyAndInverse(k); };
    // Nothing is cached.
    table.Add("gp_log_ei, a suggestion with a full refit", n,
              Compare(rounds, floor, [&] { MustSuggest(*MakeStrategy(preset), study.view); }), bar);
    const std::unique_ptr<Strategy> warm = MakeStrategy(preset);
    MustSuggest(*warm, study.view);
    table.Add("gp_log_ei, a suggestion without refit", n,
              Compare(rounds, floor,
                      [&] {
                        ++study.view.suggested;  // Another search every time.
                        MustSuggest(*warm, study.view);
                      }),
              bar_without);
  }
}

void MixedSuggestions(int rounds, Table& table) {
  const Preset& preset = *FindPreset("gp_log_ei");
  constexpr Index kResults = 100;
  const Study numbers(kResults, 20);
  const MixedStudy mixed(kResults);
  table.Add("gp_log_ei, 20 mixed beside 20 numbers", kResults,
            Compare(
                rounds, [&] { MustSuggest(*MakeStrategy(preset), numbers.view); },
                [&] { MustSuggest(*MakeStrategy(preset), mixed.view); }),
            3);
}

// A suggestion while a thousand other trials are out.
void ManyPending(int rounds, Table& table) {
  for (const char* name : {"gp_log_ei", "gp_hmc"}) {
    Study study(50);
    const PointMatrix x = RandomPoints(1000, 3);
    std::vector<OpenTrial> open;
    for (Index i = 0; i < x.rows(); ++i) {
      OpenTrial& trial = open.emplace_back();
      trial.number = study.view.last_trial + 1 + i;
      for (Index j = 0; j < x.cols(); ++j) {
        trial.configuration.values.push_back(Value::Double(x(i, j)));
      }
    }
    const std::unique_ptr<Strategy> warm = MakeStrategy(*FindPreset(name));
    MustSuggest(*warm, study.view);
    const auto suggest = [&](absl::Span<const OpenTrial> pending) {
      study.view.open = pending;
      ++study.view.suggested;  // Another search every time.
      MustSuggest(*warm, study.view);
    };
    table.Add(absl::StrCat(name, ", 1000 trials out, beside none"), 50,
              Compare(
                  rounds, [&] { suggest({}); }, [&] { suggest(open); }),
              10);
  }
}

// All of many results beside the most that one process takes.
void ManyResults(int rounds, Table& table) {
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset("gp_log_ei"));
  Study whole(1000);
  Study many(10000);
  const auto suggest = [&](Study& study) {
    ++study.view.suggested;  // Another search every time.
    MustSuggest(*strategy, study.view);
  };
  suggest(whole);
  suggest(many);
  table.Add("gp_log_ei, 10000 results beside 1000", 10000,
            Compare(
                rounds, [&] { suggest(whole); }, [&] { suggest(many); }),
            4);
}

int Run(const Options& options) {
  std::cout << "Core's build: " << InstructionSet() << "; dimension " << kDimension
            << ", medians of " << options.rounds << " rounds, floor and ours in turn, one thread\n";
  std::cout << "Floor of predictions: the bare kernel matrix and triangular solve in them; of all "
               "else: Cholesky and inverse at that n,\nbut gp_log_ei's suggestion with a full "
               "refit, one in a space of numbers alone, one with no trials out, or one from 1000 "
               "results, where that is named\n";
  Table table(!options.no_bars);
  if (!options.no_predictions) Predictions4096(options.rounds, table);
  LikelihoodAndGradient(options.rounds, table);
  Suggestions(options.rounds, table);
  MixedSuggestions(options.rounds, table);
  ManyPending(options.rounds, table);
  ManyResults(options.rounds, table);
  UnknownHyperparameters(options.rounds, table);
  if (!options.csv.empty()) WriteCsv(options.csv, table.lines());
  if (options.no_bars) return 0;
  return std::all_of(table.figures().begin(), table.figures().end(),
                     [](const Figure& figure) { return figure.Reached(); })
             ? 0
             : 1;
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Options options;
  slipstream::CommandFlags flags("Compares the model's times with bare linear algebra");
  flags.Value("--rounds", &options.rounds, "Measurements of each");
  flags.Value("--csv", &options.csv, "Where to write the table");
  flags.TurnOn("--no-bars", &options.no_bars, "Measure only; missed bars are not a failure");
  flags.TurnOn("--no-predictions", &options.no_predictions,
               "Leave out the predictions, for profiles");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  return slipstream::Run(options);
}
