// Kills servers at random moments, as often and as long as it is told to; see kill_lane.h. Exits
// with 1 if anything was lost, and says what and with which seed; also if there was no time for all
// kills.
#include <chrono>
#include <iostream>
#include <string>

#include "tests/e2e/kills/kill_lane.h"
#include "tests/testing/command_flags.h"

int main(int argc, char** argv) {
  slipstream::kills::KillSettings settings;
  slipstream::CommandFlags flags("Kills servers at random moments and checks what they keep.");
  flags.Value("--kills", &settings.kills, "Kills in all");
  flags.Value("--seconds", &settings.seconds, "Time after which none begins");
  flags.Value("--servers", &settings.servers, "Servers side by side");
  flags.Value("--clients", &settings.clients, "Clients of each server");
  flags.Value("--folder", &settings.folder, "Where the data is, such as /dev/shm or a disk");
  flags.ValueFromZero("--seed", &settings.seed, "Seed of the first server; others count on");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  const auto start = std::chrono::steady_clock::now();
  const slipstream::kills::LaneReport report = slipstream::kills::RunKills(settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << report.Text() << "\nseed " << settings.seed << ", " << took.count() << " s, "
            << static_cast<double>(report.kills) / took.count() << " kills a second\n";
  for (const std::string& failure : report.failures) std::cout << failure << "\n";
  return report.failures.empty() ? 0 : 1;
}
