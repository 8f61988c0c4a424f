// Tunes the training of a small network, with early stopping, in four threads at once. The training
// is simulated: accuracy grows with each epoch towards a bound that depends on the hyperparameters.
// After Ctrl-C or SIGTERM the trials under way are given back at once, instead of waiting until
// their leases run out.
//
// usage: training [TRIALS]
#include <slipstream/study.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>

using namespace slipstream::client;

namespace {

constexpr int kEpochs = 20;

NewStudy Training() {
  return {.id = "example-training",
          .space = {{"learning_rate", Log(1e-5, 1).Default(1e-3)},
                    {"layers", Integer(1, 8)},
                    {"optimizer", Choice({"adam", "sgd"})},
                    {"momentum", ReverseLog(0.5, 0.999).When("optimizer", {"sgd"})}},
          .maximize = "accuracy",
          .stopping = "median",
          .title = "A simulated network"};
}

// The accuracy that the training approaches.
double Bound(const Trial& trial) {
  const double miss = std::log10(*trial.Number("learning_rate")) + 2.5;
  const double depth = static_cast<double>(*trial.Integer("layers")) - 4;
  const double slow = trial.Has("momentum") ? 1 - *trial.Number("momentum") : 0.1;
  return 0.95 * std::exp(-0.1 * miss * miss - 0.01 * depth * depth - 0.2 * slow);
}

std::atomic<bool> has_signal = false;

// Requests a stop after SIGINT or SIGTERM. A handler must not do so itself, so a thread polls.
class Termination {
 public:
  Termination() {
    for (const int number : {SIGINT, SIGTERM}) {
      std::signal(number, [](int) { has_signal = true; });
    }
  }

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread looker_{[this](std::stop_token end) {
    while (!end.stop_requested() && !has_signal) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    source_.request_stop();
  }};
};

Outcome Train(Trial& trial, const std::stop_token& stop) {
  if (*trial.Number("learning_rate") > 0.5) return Infeasible{"the training diverges"};
  double accuracy = 0;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    if (stop.stop_requested()) {
      (void)trial.Release();
      return Failed{"the program was ended"};  // Ignored, as the trial was given back.
    }
    accuracy = Bound(trial) * (1 - std::exp(-0.3 * epoch));
    (void)trial.Report(epoch, accuracy);  // The training goes on even if no server answers.
    const absl::StatusOr<bool> hopeless = trial.ShouldStop();
    if (hopeless.ok() && *hopeless) return Stopped{};
  }
  return accuracy;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Termination termination;
  absl::StatusOr<Study> study = CreateOrLoad(Training());
  if (!study.ok()) return Fail(study.status());
  const std::stop_token stop = termination.token();
  const auto best = study->Optimize([&stop](Trial& trial) { return Train(trial, stop); },
                                    {.trials = argc > 1 ? std::atoi(argv[1]) : 20,
                                     .workers = 4,
                                     .stop = stop});
  if (!best.ok()) return Fail(best.status());
  if (!best->has_value()) return Fail(absl::NotFoundError("no training came to its end"));
  std::printf("trial %lld: accuracy %.4f\n", static_cast<long long>((*best)->number),
              *(*best)->value);
}
