// slipstream_demo: what deploy/quickstart runs against the server it has started.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "deploy/demo/curve.h"
#include "deploy/demo/experiment.h"
#include "deploy/demo/health.h"
#include "deploy/demo/svg_plot.h"
#include "deploy/demo/text_plot.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

constexpr double kGoal = 10;  // Percent, of which the verdicts tell.

struct Flags {
  std::string server = "127.0.0.1:7411";
  double seconds = 30;
  ExperimentPlan plan;
  std::string plot_file;
  std::string csv_file;
};

absl::Status Wait(const Flags& flags) {
  return WaitUntilServing(flags.server, absl::Seconds(flags.seconds));
}

// Tells of each part with the seconds that it took, at once, also in a pipe.
class Announcer {
 public:
  void operator()(const std::string& part) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("  %-64s %5.1f s\n", part.c_str(),
                std::chrono::duration<double>(now - began_).count());
    std::fflush(stdout);
    began_ = now;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::vector<Comparison> ComparisonsOf(const Experiment& experiment) {
  const Curve without = CurveOf("without source tasks", experiment.without);
  const Curve similar = CurveOf("with source tasks", experiment.similar);
  const Curve unlike = CurveOf("with source tasks", experiment.unlike);
  return {{"Sources that help: the same network on other data", without, similar},
          {"Sources that mislead: quite another network", without, unlike}};
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  std::printf("Written to %s\n", path.c_str());
  return absl::OkStatus();
}

absl::Status Compare(const Flags& flags) {
  ClientOptions options;
  options.address = flags.server;
  const absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(options);
  if (!client.ok()) return client.status();
  const absl::StatusOr<Experiment> experiment = RunExperiment(**client, flags.plan, Announcer());
  if (!experiment.ok()) return experiment.status();
  const std::vector<Comparison> comparisons = ComparisonsOf(*experiment);
  for (const Comparison& comparison : comparisons) {
    std::printf("\n%s\n%s", TextPlot(comparison).c_str(), Verdict(comparison, kGoal).c_str());
  }
  std::printf("\n");
  const std::string title =
      absl::StrCat("Lowest validation error, mean and quartiles of ", flags.plan.seeds, " tasks");
  const absl::Status plotted = WriteFile(flags.plot_file, SvgPlot(title, comparisons));
  return plotted.ok() ? WriteFile(flags.csv_file, CsvOf(comparisons)) : plotted;
}

void AddWait(CLI::App* app, Flags* flags) {
  CLI::App* command = app->add_subcommand("wait", "Wait until a server is serving");
  command->add_option("--server", flags->server, "host:port")->capture_default_str();
  command->add_option("--seconds", flags->seconds, "Longest wait")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void AddCompare(CLI::App* app, Flags* flags) {
  CLI::App* command = app->add_subcommand(
      "compare", "Tune tasks without and with source tasks that help or mislead");
  ExperimentPlan& plan = flags->plan;
  command->add_option("--server", flags->server, "host:port")->capture_default_str();
  command->add_option("--prefix", plan.prefix, "What the ids of all studies begin with")
      ->required();
  command->add_option("--seeds", plan.seeds, "Number of tasks")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--evaluations", plan.evaluations, "Evaluations of each")
      ->check(CLI::Range(2, 40))
      ->capture_default_str();
  command->add_option("--threads", plan.threads, "Studies tuned at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--plot", flags->plot_file, "SVG file for the plots");
  command->add_option("--csv", flags->csv_file, "CSV file for the numbers");
}

}  // namespace
}  // namespace slipstream

int main(int argc, char** argv) {
  slipstream::Flags flags;
  CLI::App app("The experiment of Slipstream's quickstart.", "slipstream_demo");
  app.require_subcommand(1);
  slipstream::AddWait(&app, &flags);
  slipstream::AddCompare(&app, &flags);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status =
      app.got_subcommand("wait") ? slipstream::Wait(flags) : slipstream::Compare(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "slipstream_demo: %s\n", std::string(status.message()).c_str());
  return 1;
}
