// Kills servers at random moments, as often and as long as it is told to; see kill_lane.h. Exits
// with 1 if anything was lost, and says what and with which seed; also if there was no time for all
// kills.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <string>

#include "tests/e2e/kills/kill_lane.h"

int main(int argc, char** argv) {
  slipstream::kills::KillSettings settings;
  CLI::App app("Kills servers at random moments and checks what they keep.");
  app.option_defaults()->always_capture_default();
  app.add_option("--kills", settings.kills, "Kills in all")->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.seconds, "Time after which none begins")
      ->check(CLI::PositiveNumber);
  app.add_option("--servers", settings.servers, "Servers side by side")->check(CLI::Range(1, 64));
  app.add_option("--clients", settings.clients, "Clients of each server")->check(CLI::Range(1, 64));
  app.add_option("--folder", settings.folder, "Where the data is, such as /dev/shm or a disk")
      ->check(CLI::ExistingDirectory);
  app.add_option("--seed", settings.seed, "Seed of the first server; others count on");
  CLI11_PARSE(app, argc, argv);
  const auto start = std::chrono::steady_clock::now();
  const slipstream::kills::LaneReport report = slipstream::kills::RunKills(settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << report.Text() << "\nseed " << settings.seed << ", " << took.count() << " s, "
            << static_cast<double>(report.kills) / took.count() << " kills a second\n";
  for (const std::string& failure : report.failures) std::cout << failure << "\n";
  return report.failures.empty() ? 0 : 1;
}
