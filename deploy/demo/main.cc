// slipstream_demo: the trainer that deploy/quickstart runs, and its table.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "deploy/demo/health.h"
#include "deploy/demo/progress.h"
#include "deploy/demo/trainer.h"
#include "slipstream/client.h"

namespace slipstream {
namespace {

struct Flags {
  std::string server = "127.0.0.1:7411";
  double seconds = 30;
  TuningPlan plan;
  std::string progress_file;
  std::string without_file;
  std::string with_file;
};

absl::Status Wait(const Flags& flags) {
  return WaitUntilServing(flags.server, absl::Seconds(flags.seconds));
}

absl::Status Train(const Flags& flags) {
  ClientOptions options;
  options.address = flags.server;
  const absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(options);
  if (!client.ok()) return client.status();
  const absl::StatusOr<Progress> progress = Tune(**client, flags.plan);
  if (!progress.ok()) return progress.status();
  std::printf("  studies/%s: %zu evaluations\n", flags.plan.study_id.c_str(), progress->size());
  if (flags.progress_file.empty()) return absl::OkStatus();
  return WriteProgress(flags.progress_file, *progress);
}

absl::Status Compare(const Flags& flags) {
  const absl::StatusOr<Progress> without = ReadProgress(flags.without_file);
  if (!without.ok()) return without.status();
  const absl::StatusOr<Progress> with_source = ReadProgress(flags.with_file);
  if (!with_source.ok()) return with_source.status();
  std::fputs(ComparisonTable(*without, *with_source).c_str(), stdout);
  return absl::OkStatus();
}

void AddWait(CLI::App* app, Flags* flags) {
  CLI::App* command = app->add_subcommand("wait", "Wait until a server is serving");
  command->add_option("--server", flags->server, "host:port")->capture_default_str();
  command->add_option("--seconds", flags->seconds, "Longest wait")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void AddTrain(CLI::App* app, Flags* flags) {
  CLI::App* command = app->add_subcommand("train", "Tune the demo's network in a new study");
  TuningPlan& plan = flags->plan;
  command->add_option("--server", flags->server, "host:port")->capture_default_str();
  command->add_option("--study", plan.study_id, "Id of the new study")->required();
  command->add_option("--title", plan.title, "Title of the new study");
  command->add_option("--data-set", plan.data_set, "last-year or this-year")
      ->transform(CLI::CheckedTransformer(std::map<std::string, DataSet>{
          {"last-year", DataSet::kLastYear}, {"this-year", DataSet::kThisYear}}))
      ->required();
  command->add_option("--evaluations", plan.evaluations, "Number of training runs")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--seed", plan.seed, "Seed of the study")->capture_default_str();
  command->add_option("--source", plan.source_task, "Source task to learn from");
  command->add_option("--progress", flags->progress_file, "File for the errors, one per line");
}

void AddCompare(CLI::App* app, Flags* flags) {
  CLI::App* command = app->add_subcommand("compare", "Print two runs' progress side by side");
  command->add_option("without", flags->without_file, "Run without a source task")->required();
  command->add_option("with", flags->with_file, "Run with a source task")->required();
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Flags flags;
  CLI::App app("The trainer of Slipstream's quickstart.", "slipstream_demo");
  app.require_subcommand(1);
  slipstream::AddWait(&app, &flags);
  slipstream::AddTrain(&app, &flags);
  slipstream::AddCompare(&app, &flags);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = app.got_subcommand("wait")    ? slipstream::Wait(flags)
                              : app.got_subcommand("train") ? slipstream::Train(flags)
                                                            : slipstream::Compare(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "slipstream_demo: %s\n", std::string(status.message()).c_str());
  return 1;
}
