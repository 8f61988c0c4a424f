#include "deploy/demo/experiment.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// Tasks that are tuned have other seeds than those that sources come from.
constexpr uint64_t kFirstSourceSeed = 1000;

// Tunes all plans, some at the same time; their progress in the same order.
absl::StatusOr<std::vector<Progress>> TuneAll(Client& client, const std::vector<TuningPlan>& plans,
                                              int threads) {
  std::vector<absl::StatusOr<Progress>> results(plans.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < plans.size(); i = next++) results[i] = Tune(client, plans[i]);
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  std::vector<Progress> progress;
  for (const absl::StatusOr<Progress>& result : results) {
    if (!result.ok()) return result.status();
    progress.push_back(*result);
  }
  return progress;
}

using MakeTask = Task (*)(uint64_t seed);

// Tunes tasks and registers the finished studies; the source tasks' names.
absl::StatusOr<std::vector<std::string>> MakeSources(Client& client, const ExperimentPlan& plan,
                                                     const std::string& kind, MakeTask make) {
  std::vector<TuningPlan> plans;
  for (int i = 0; i < plan.sources; ++i) {
    const uint64_t seed = kFirstSourceSeed + static_cast<uint64_t>(i);
    plans.push_back({absl::StrCat(plan.prefix, "-", kind, "-source-", i + 1),
                     absl::StrCat("An earlier tuning run, ", kind, " ", i + 1),
                     make(seed),
                     plan.source_evaluations,
                     seed,
                     {}});
  }
  const absl::StatusOr<std::vector<Progress>> tuned = TuneAll(client, plans, plan.threads);
  if (!tuned.ok()) return tuned.status();
  std::vector<std::string> sources;
  for (const TuningPlan& one : plans) {
    const absl::StatusOr<std::string> source = RegisterAsSource(client, one.study_id, one.title);
    if (!source.ok()) return source.status();
    sources.push_back(*source);
  }
  return sources;
}

absl::StatusOr<std::vector<Progress>> TuneTasks(Client& client, const ExperimentPlan& plan,
                                                const std::string& kind,
                                                const std::vector<std::string>& sources) {
  std::vector<TuningPlan> plans;
  for (int i = 1; i <= plan.seeds; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i);
    plans.push_back({absl::StrCat(plan.prefix, "-", kind, "-", i),
                     absl::StrCat("Task ", i, ", ", kind), SimilarTask(seed), plan.evaluations,
                     seed, sources});
  }
  return TuneAll(client, plans, plan.threads);
}

}  // namespace

absl::StatusOr<Experiment> RunExperiment(Client& client, const ExperimentPlan& plan,
                                         const std::function<void(const std::string&)>& announce) {
  const std::string studies =
      absl::StrCat(plan.seeds, " studies of ", plan.evaluations, " evaluations");
  const auto similar = MakeSources(client, plan, "similar", SimilarTask);
  if (!similar.ok()) return similar.status();
  const auto unlike = MakeSources(client, plan, "unlike", UnlikeTask);
  if (!unlike.ok()) return unlike.status();
  announce(absl::StrCat(2 * plan.sources, " earlier studies of ", plan.source_evaluations,
                        " evaluations, now source tasks"));
  const auto without = TuneTasks(client, plan, "without", {});
  if (!without.ok()) return without.status();
  announce(absl::StrCat(studies, " without source tasks"));
  const auto helped = TuneTasks(client, plan, "similar", *similar);
  if (!helped.ok()) return helped.status();
  announce(absl::StrCat(studies, " with source tasks of similar tasks"));
  const auto misled = TuneTasks(client, plan, "unlike", *unlike);
  if (!misled.ok()) return misled.status();
  announce(absl::StrCat(studies, " with source tasks that mislead"));
  return Experiment{*without, *helped, *misled};
}

}  // namespace slipstream
