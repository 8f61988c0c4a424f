#include "tests/benchmarks/load.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace slipstream {
namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

class Load {
 public:
  Load(int in_flight, int lanes, double seconds, const StartCall& start)
      : lanes_(lanes), start_(start), slots_(static_cast<size_t>(in_flight)) {
    begin_ = Clock::now();
    end_ = begin_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(seconds));
  }

  Latencies Run() {
    running_ = static_cast<int>(slots_.size());
    for (size_t slot = 0; slot < slots_.size(); ++slot) Next(slot);
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
    Latencies result;
    for (const Latencies& slot : slots_) result.Merge(slot);
    result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return result;
  }

 private:
  // Makes one call after another on this slot, on one thread at a time.
  void Next(size_t slot) {
    const Clock::time_point started = Clock::now();
    const int lane = static_cast<int>(slot) % lanes_;
    const bool more = started < end_ && start_(next_index_++, lane, [this, slot, started](bool ok) {
      Latencies& latencies = slots_[slot];
      if (ok) {
        latencies.microseconds.push_back(Microseconds(Clock::now() - started));
      } else {
        ++latencies.failures;
      }
      Next(slot);
    });
    if (more) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0) finished_.notify_all();
  }

  const int lanes_;
  const StartCall& start_;
  std::vector<Latencies> slots_;
  std::atomic<int64_t> next_index_{0};
  Clock::time_point begin_;
  Clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable finished_;
  int running_ = 0;
};

}  // namespace

Latencies RunLoad(int in_flight, int lanes, double seconds, const StartCall& start) {
  return Load(in_flight, lanes, seconds, start).Run();
}

}  // namespace slipstream
