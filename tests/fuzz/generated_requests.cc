// Sends generated requests to a server's port, as many and as long as it is told to; see
// port_calls.h. Exits with 1 if an answer was one that no request should get, if the server ended,
// if its memory grew after the first tenth, by the median or by the most of a later one, or if
// there was no time for all requests.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <string>

#include "tests/fuzz/port_calls.h"

int main(int argc, char** argv) {
  slipstream::fuzz::PortSettings settings;
  int64_t growth_mib = 16;
  int64_t peak_growth_mib = 32;
  CLI::App app("Sends generated requests to a server's port.");
  app.option_defaults()->always_capture_default();
  app.add_option("--requests", settings.requests, "Requests in all")->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.seconds, "Time after which none begins")
      ->check(CLI::PositiveNumber);
  app.add_option("--at-once", settings.at_once, "Requests under way at a time")
      ->check(CLI::Range(1, 1000));
  app.add_option("--growth-mib", growth_mib,
                 "Most by which the server's median memory may grow after the first tenth")
      ->check(CLI::PositiveNumber);
  app.add_option("--peak-growth-mib", peak_growth_mib,
                 "Most by which the most of it may grow after the first tenth")
      ->check(CLI::PositiveNumber);
  app.add_option("--folder", settings.folder, "Where the data is, such as /dev/shm or a disk")
      ->check(CLI::ExistingDirectory);
  app.add_option("--seed", settings.seed, "Seed of all choices");
  CLI11_PARSE(app, argc, argv);
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
