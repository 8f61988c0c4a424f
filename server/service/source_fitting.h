// Models of source tasks, fitted in the background and kept for all studies.
//
// A source is fitted in its own space as soon as it is registered, and in a
// study's when a study that will need it there is created or first asks. Until
// then that study's suggestions are made without transfer, and say so. What takes
// several fitted sources together is worked out on the same thread, behind them.
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_
#define SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "core/sources/fitted_source.h"
#include "server/service/executor.h"

namespace slipstream {

class SourceFitting : public SourceProvider {
 public:
  // Keeps at most `bytes` of models, and at most `max_waiting` requests to fit or
  // to work on what is fitted.
  // `on_start` runs once on the fitting thread, to lower its priority.
  SourceFitting(size_t bytes, size_t max_waiting, std::function<void()> on_start);
  // Finishes the fit or the work that is under way and drops what waits.
  ~SourceFitting() override;

  // UNAVAILABLE, and a fit under way, where the model is not there yet.
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override;

  // Fits it unless it is there, under way, or too many wait already: then it is
  // fitted when a study asks.
  void Prepare(const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
               const SourceFitOptions& options);

  // Runs `work` behind the fits that wait; where it is UNAVAILABLE once more, behind
  // those that it has asked for. Not twice at a time for one `name`, and not when
  // too many wait. What it uses must outlive this.
  void PrepareTogether(const std::string& name, std::function<absl::Status()> work);

  // Whether anything is under way or waits.
  bool busy() const;

 private:
  void Work(const std::string& key, const std::function<absl::Status()>& work, int tries);
  void Fit(const std::string& key, const SourceTaskData& source, const SearchSpace& space,
           const SourceFitOptions& options);
  bool Stopping();
  // False if that is under way already.
  bool Begin(const std::string& key);
  void End(const std::string& key);

  SourceLibrary library_;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  absl::flat_hash_set<std::string> under_way_;  // No more than wait and run.
  Executor executor_;                           // Last: its threads use the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SOURCE_FITTING_H_
