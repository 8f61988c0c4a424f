// The worker ids of one study in one process.
//
// A worker that asks again gets the trials that it already holds, so that a restarted trainer
// resumes its work. For one process to hold several trials, in threads or one after the other,
// each suggestion is asked for under a worker id that holds no open trial in this process: a lane
// of the worker. The lanes of "gpu" are "gpu", "gpu#2", "gpu#3" and so on. Those of a worker whose
// own id ends like that are all numbered, "gpu#2#1", "gpu#2#2", so that no two workers share one.
//
// A restarted trainer may have left trials in any of its lanes. It resumes them before it asks for
// others, however few it works on at a time.
#ifndef SLIPSTREAM_CLIENT_CPP_LANES_H_
#define SLIPSTREAM_CLIENT_CPP_LANES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream::client_internal {

// The id, or a unique one if it is empty.
std::string ChooseWorker(const std::string& worker);

// The id under which the worker asks in a lane, counted from 0.
std::string LaneName(const std::string& worker, size_t lane);
// The lane of the worker that has this name, if any has.
std::optional<size_t> LaneNamed(const std::string& worker, absl::string_view name);

class Lanes;

// The lanes of the worker in a study on the server at the address; those of a new worker if it is
// empty. All objects of this process for the study share them, as each would otherwise be given the
// trials of the others. `study` tells it from every other one.
std::shared_ptr<Lanes> LanesOf(const std::string& worker, const std::string& address,
                               const std::string& study);

// Thread-safe.
class Lanes {
 public:
  // `may_have_left` tells whether an earlier life of the worker may hold trials.
  explicit Lanes(std::string worker, bool may_have_left = false)
      : worker_(std::move(worker)), recalled_(!may_have_left) {}

  const std::string& worker() const { return worker_; }

  // Whether it is known what an earlier life of the worker has left.
  bool recalled();
  // Learns from the ids that hold trials, with one for each trial, what was left. The first call
  // counts, as later ones would count what was handed out since.
  void Recall(const std::vector<std::string>& holders);

  // Takes a lane without open trials, which from then on has `trials` of them. Those in which
  // something was left come first.
  size_t Take(int trials);
  // The worker's id in the lane.
  std::string WorkerOf(size_t lane) const { return LaneName(worker_, lane); }
  // The lane was given so many trials, of those that it holds before others.
  void Resumed(size_t lane, int trials);
  // The lane turned out to hold none.
  void ResumedAll(size_t lane);
  void GiveBack(size_t lane, int trials = 1);

 private:
  struct Lane {
    int open = 0;  // Trials without an outcome.
    int left = 0;  // Trials of an earlier life that have not been resumed.
  };

  const std::string worker_;
  std::mutex mutex_;
  bool recalled_;
  std::map<size_t, Lane> lanes_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_LANES_H_
