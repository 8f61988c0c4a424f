// client_overhead ADDRESS STUDY TRIALS: asks for trials and reports their outcomes, one after the
// other, by the C++ client. Prints the microseconds that each took. `client_overhead_beside_others`
// compares them.
#include <slipstream/client.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

double Microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: client_overhead ADDRESS STUDY TRIALS\n"), 2;
  auto client = slipstream::Client::Connect({.address = argv[1]});
  if (!client.ok()) return std::puts(client.status().ToString().c_str()), 1;
  const std::string study = std::string("studies/") + argv[2];
  for (int left = std::atoi(argv[3]); left > 0; --left) {
    const auto start = std::chrono::steady_clock::now();
    const auto trials = (*client)->Suggest(study, "benchmark");
    if (!trials.ok()) return std::puts(trials.status().ToString().c_str()), 1;
    const slipstream::v1::Trial& trial = trials->front();
    const auto told = (*client)->Observe(trial.name(), "loss", *slipstream::GetDouble(trial, "x0"));
    if (!told.ok()) return std::puts(told.status().ToString().c_str()), 1;
    std::printf("%.1f\n", Microseconds(std::chrono::steady_clock::now() - start));
  }
}
