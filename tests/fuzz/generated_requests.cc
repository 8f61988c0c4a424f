// Sends generated requests to a server's port, as many and as long as it is told to; see
// port_calls.h. Exits with 1 if an answer was one that no request should get, if the server ended,
// if its memory grew after the first tenth, by the median or by the most of a later one, or if
// there was no time for all requests.
#include <chrono>
#include <iostream>
#include <string>

#include "tests/fuzz/port_calls.h"
#include "tests/testing/command_flags.h"

int main(int argc, char** argv) {
  slipstream::fuzz::PortSettings settings;
  int64_t growth_mib = 16;
  int64_t peak_growth_mib = 32;
  slipstream::CommandFlags flags("Sends generated requests to a server's port.");
  flags.Value("--requests", &settings.requests, "Requests in all");
  flags.Value("--seconds", &settings.seconds, "Time after which none begins");
  flags.Value("--at-once", &settings.at_once, "Requests under way at a time");
  flags.Value("--growth-mib", &growth_mib,
              "Most by which the server's median memory may grow after the first tenth");
  flags.Value("--peak-growth-mib", &peak_growth_mib,
              "Most by which the most of it may grow after the first tenth");
  flags.Value("--folder", &settings.folder, "Where the data is, such as /dev/shm or a disk");
  flags.ValueFromZero("--seed", &settings.seed, "Seed of all choices");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  const auto start = std::chrono::steady_clock::now();
  slipstream::fuzz::PortReport report = slipstream::fuzz::CallPort(settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (report.Growth() > growth_mib << 20) {
    report.failures.push_back("the server's memory grew");
  }
  if (report.PeakGrowth() > peak_growth_mib << 20) {
    report.failures.push_back("the most of the server's memory grew");
  }
  std::cout << report.Text() << "\nseed " << settings.seed << ", " << took.count() << " s, "
            << static_cast<double>(report.requests) / took.count() << " requests a second\n";
  for (const std::string& failure : report.failures) std::cout << failure << "\n";
  return report.failures.empty() ? 0 : 1;
}
