// client_overhead ADDRESS STUDY TRIALS: asks for trials and reports their outcomes, one after the
// other, by the C++ client. Prints the microseconds that each took. `client_overhead_beside_others`
// compares them.
#include <slipstream/study.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double Microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: client_overhead ADDRESS STUDY TRIALS\n"), 2;
  auto study = slipstream::client::Load(argv[2], {.address = argv[1]});
  if (!study.ok()) return std::puts(study.status().ToString().c_str()), 1;
  for (int left = std::atoi(argv[3]); left > 0; --left) {
    const auto start = std::chrono::steady_clock::now();
    auto trial = study->Suggest();
    if (!trial.ok()) return std::puts(trial.status().ToString().c_str()), 1;
    const absl::Status told = trial->Complete(*trial->Number("x0"));
    if (!told.ok()) return std::puts(told.ToString().c_str()), 1;
    std::printf("%.1f\n", Microseconds(std::chrono::steady_clock::now() - start));
  }
}
