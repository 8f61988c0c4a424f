// What Study::Optimize evaluates, and how.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_OPTIMIZATION_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_OPTIMIZATION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "slipstream/trial.h"

namespace slipstream::client {

// Outcomes of a trial other than a value; see Trial's functions of the same names.
struct Failed {
  std::string reason = {};
};
struct Infeasible {
  std::string reason = {};
};
struct Stopped {
  std::optional<std::string> reason = {};
  std::optional<double> value = {};
};

// What became of a trial: usually the measured value.
using Outcome = std::variant<double, Failed, Infeasible, Stopped>;

// Evaluates a trial. It may end the trial itself; then what it returns is ignored, also if the
// server would not record that outcome, which ends the optimisation. A value that is returned after
// the advice to stop ends the trial as stopped. One that is not finite, returned or given to the
// trial as its outcome, makes it infeasible, so that the model avoids similar configurations. An
// exception fails it with its text.
using Objective = std::function<Outcome(Trial& trial)>;

struct OptimizeOptions {
  // How many trials to evaluate now, and the time after which no more are started. Without either
  // it goes on until every candidate has been tried, or for ever.
  std::optional<int64_t> trials = {};
  std::optional<std::chrono::nanoseconds> timeout = {};
  // How many threads evaluate at once, 1 to 1,000.
  int workers = 1;
  // Called after each trial that the objective has returned from, by one thread at a time.
  std::function<void(const Trial& trial)> progress = {};
  // Called when an error or an exception (UNKNOWN, with its text) ends the optimisation while other
  // workers still train: Optimize returns or throws it only after their training runs, which the
  // program may cut short. At most once, on any thread.
  std::function<void(const absl::Status& error)> on_error = {};
  // Once its source is asked to stop, by whatever thread, no more trials are started; those under
  // way are evaluated to their end.
  std::stop_token stop = {};
};

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_OPTIMIZATION_H_
