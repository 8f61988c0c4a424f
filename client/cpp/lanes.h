// The worker ids of one study in one process.
//
// A worker that asks again gets the trials that it already holds, so that a restarted trainer
// resumes its work. For one process to hold several trials, in threads or one after the other,
// each suggestion is asked for under a worker id that holds no open trial in this process.
#ifndef SLIPSTREAM_CLIENT_CPP_LANES_H_
#define SLIPSTREAM_CLIENT_CPP_LANES_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace slipstream::client_internal {

// The id, or a unique one if it is empty.
std::string ChooseWorker(const std::string& worker);

// Thread-safe.
class Lanes {
 public:
  explicit Lanes(std::string worker) : worker_(std::move(worker)) {}

  // The first lane's id.
  const std::string& worker() const { return worker_; }
  // Takes a lane without open trials, which from then on has `trials` of them.
  size_t Take(int trials);
  // The worker's id in the lane.
  std::string WorkerOf(size_t lane) const;
  void GiveBack(size_t lane, int trials = 1);

 private:
  const std::string worker_;
  std::mutex mutex_;
  std::vector<int> open_;  // For each lane the trials without an outcome.
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_LANES_H_
