// Models of source tasks, fitted in the background and cached for all studies.
//
// A source is fitted in its own space as soon as it is registered, and in a
// study's space when a study that needs it there is created or first asks. Until
// then that study's suggestions are made without transfer, and say so. Work that
// asks for fits, or combines several fitted sources, runs on the same thread.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_
#define SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "absl/status/status.h"
#include "core/base/deadline.h"
#include "core/sources/fitted_source.h"
#include "server/service/executor.h"

namespace slipstream {

class SourceFitting : public SourceProvider {
 public:
  // Called with a source task that no model fits, and why.
  using OnFailedFit = std::function<void(const std::string& source, const absl::Status&)>;
  // Reads the source task of that name.
  using Load = std::function<absl::StatusOr<std::shared_ptr<const SourceTaskData>>(
      const std::string& name)>;

  // Caches at most `bytes` of models; at most `max_waiting` fits and pieces of work
  // wait. `on_start`, if any, runs once on the fitting thread, to lower its priority.
  // When `stop` is requested, the running fit is given up. `on_failed_fit` and `load`, if any, are
  // called on the fitting thread. With `load`, waiting fits hold no observations.
  SourceFitting(size_t bytes, size_t max_waiting, std::function<void()> on_start,
                std::stop_token stop = {}, OnFailedFit on_failed_fit = {}, Load load = {});
  // Gives up the running fit, waits for running work and drops what is waiting.
  ~SourceFitting() override;

  // UNAVAILABLE when the model is not there yet; a fit is then queued. RESOURCE_EXHAUSTED when it
  // was fitted recently and there was no memory for it: it is then tried again later.
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override;

  // Queues a fit unless the model is there, the fit is queued, or too many wait;
  // in the last case it is fitted when a study asks.
  // Nothing is queued while Get would give RESOURCE_EXHAUSTED.
  void Prepare(const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
               const SourceFitOptions& options);

  // Queues `work` behind the waiting fits; if it returns UNAVAILABLE, it runs once
  // more, behind the fits that it has asked for. Does nothing if work of that name is
  // queued or too many wait. All that `work` uses must outlive this.
  void PrepareTogether(const std::string& name, std::function<absl::Status()> work);

  // Fits so far, of these without success, and what is kept and waits.
  int64_t fits() const { return fits_; }
  int64_t failed_fits() const { return failed_fits_; }
  size_t bytes() const { return library_.bytes(); }
  size_t waiting() const { return executor_.waiting(); }
  size_t max_waiting() const { return executor_.max_waiting(); }

  // Passes when work should be given up, which then returns any status.
  Deadline GivesUp() const { return Deadline::Infinite().WithStop(stopping_.get_token()); }

 private:
  void Work(const std::string& key, const std::function<absl::Status()>& work, int tries);
  void Fit(const std::string& key, const std::string& name, const Load& load,
           const SearchSpace& space, const SourceFitOptions& options);
  // May throw std::bad_alloc.
  void FitAndKeep(const std::string& key, const std::string& name, const Load& load,
                  const SearchSpace& space, const SourceFitOptions& options);
  // Marks the fit or work as queued; false if it already is.
  bool Begin(const std::string& key);
  void End(const std::string& key);
  // Whether a model of it did not fit into memory recently.
  bool HasNoRoom(const std::string& key);
  void NoteThatThereIsNoRoom(const std::string& key, std::chrono::steady_clock::duration took);

  SourceLibrary library_;
  const OnFailedFit on_failed_fit_;
  const Load load_;
  std::atomic<int64_t> fits_{0};
  std::atomic<int64_t> failed_fits_{0};
  std::mutex mutex_;
  std::stop_source stopping_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::unordered_set<std::string> queued_;  // Waiting or running.
  // Models that did not fit into memory are not fitted again until then.
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> no_room_until_;
  Executor executor_;                        // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_
