// The worker ids of one study in one process.
//
// The server gives a worker that asks again the trials that it holds, so that a trainer which was
// restarted goes on where it was. So that a process can hold several trials, from threads or one
// after the other, each suggestion is asked for under an id that holds no open trial here.
#ifndef SLIPSTREAM_CLIENT_CPP_LANES_H_
#define SLIPSTREAM_CLIENT_CPP_LANES_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace slipstream::client_internal {

// The id, or one that no other process has if it is empty.
std::string ChooseWorker(const std::string& worker);

// Thread-safe.
class Lanes {
 public:
  explicit Lanes(std::string worker) : worker_(std::move(worker)) {}

  // The first lane's id.
  const std::string& worker() const { return worker_; }
  // A lane without open trials, which now counts as having so many.
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
