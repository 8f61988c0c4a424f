#include "server/service/source_fitting.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// How often work runs: the first run requests fits, the second one uses them. More
// would only fit the same sources again if they do not fit into the cache together.
constexpr int kMostTries = 2;

// A fit that found no room is tried again after a minute and this many times what it took, as
// models that are in use now may not be then. So these fits take a small share of a processor.
constexpr std::chrono::seconds kUntilTriedAgain(60);
constexpr int kTimesItTook = 50;
constexpr size_t kMostWithoutRoom = 10'000;

}  // namespace

SourceFitting::SourceFitting(size_t bytes, size_t max_waiting, std::function<void()> on_start,
                             std::stop_token stop, OnFailedFit on_failed_fit, Load load)
    : library_(bytes),
      on_failed_fit_(std::move(on_failed_fit)),
      load_(std::move(load)),
      on_stop_(std::move(stop), [this] { stopping_.request_stop(); }),
      executor_("fits of source tasks", 1, max_waiting) {
  if (on_start) executor_.Continue(std::move(on_start));
}

SourceFitting::~SourceFitting() { stopping_.request_stop(); }

absl::StatusOr<std::shared_ptr<const FittedSource>> SourceFitting::Get(
    const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
    const SourceFitOptions& options) {
  std::shared_ptr<const FittedSource> found =
      library_.Find(SourceLibrary::KeyOf(*source, space, options));
  if (found != nullptr) return found;
  if (HasNoRoom(SourceLibrary::KeyOf(*source, space, options))) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the model of ", source->name, " does not fit beside those in use"));
  }
  Prepare(source, space, options);
  return absl::UnavailableError(absl::StrCat(source->name, " is still being fitted"));
}

void SourceFitting::Prepare(const std::shared_ptr<const SourceTaskData>& source,
                            const SearchSpace& space, const SourceFitOptions& options) {
  const std::string key = SourceLibrary::KeyOf(*source, space, options);
  if (library_.Find(key) != nullptr || HasNoRoom(key) || !Begin(key)) return;
  const absl::Status accepted = OrOutOfMemory([&]() -> absl::Status {
    // The caller's space may be gone by then; a fit does not need its candidates.
    SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace bare, SearchSpace::Create(space.parameters()));
    auto shared = std::make_shared<const SearchSpace>(std::move(bare));
    Load load = load_;
    if (!load) load = [source](const std::string&) { return source; };
    return executor_.Run(
        [=, this, name = source->name] { Fit(key, name, load, *shared, options); });
  });
  if (!accepted.ok()) End(key);
}

void SourceFitting::PrepareTogether(const std::string& name, std::function<absl::Status()> work) {
  const std::string key = absl::StrCat("together ", name);
  if (!Begin(key)) return;
  const absl::Status accepted = OrOutOfMemory([&] {
    return executor_.Run([this, key, work = std::move(work)] { Work(key, work, kMostTries); });
  });
  if (!accepted.ok()) End(key);
}

void SourceFitting::Work(const std::string& key, const std::function<absl::Status()>& work,
                         int tries) {
  if (stopping_.stop_requested()) return;
  if (absl::IsUnavailable(OrOutOfMemory(work)) && tries > 1) {
    const absl::Status accepted = OrOutOfMemory(
        [&] { return executor_.Run([this, key, work, tries] { Work(key, work, tries - 1); }); });
    if (accepted.ok()) return;
  }
  End(key);
}

void SourceFitting::Fit(const std::string& key, const std::string& name, const Load& load,
                        const SearchSpace& space, const SourceFitOptions& options) {
  if (stopping_.stop_requested()) return;
  // What does not even find memory to be noted is fitted when a study asks again.
  OrOutOfMemory([&] {
    FitAndKeep(key, name, load, space, options);
    return absl::OkStatus();
  }).IgnoreError();
  End(key);
}

void SourceFitting::FitAndKeep(const std::string& key, const std::string& name, const Load& load,
                               const SearchSpace& space, const SourceFitOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const auto source = OrOutOfMemory([&] { return load(name); });
  // It has been deleted meanwhile, or whoever needs it next is told of the error.
  if (!source.ok()) return;
  absl::StatusOr<std::shared_ptr<const FittedSource>> fitted =
      OrOutOfMemory([&] { return FitSource(**source, space, options, GivesUp()); });
  if (stopping_.stop_requested()) return;
  ++fits_;
  if (!fitted.ok()) {
    ++failed_fits_;
    if (on_failed_fit_) on_failed_fit_(name, fitted.status());
  }
  // For want of memory, of which there may be more later.
  if (IsOverload(fitted.status())) {
    return NoteThatThereIsNoRoom(key, std::chrono::steady_clock::now() - began);
  }
  const bool is_kept =
      library_.Insert(key, fitted.ok() ? *std::move(fitted) : UnfittableSource(**source));
  if (!is_kept) {
    NoteThatThereIsNoRoom(key, std::chrono::steady_clock::now() - began);
    if (on_failed_fit_) {
      on_failed_fit_(name, absl::ResourceExhaustedError(
                               "its model does not fit beside those in use; raise "
                               "--fitted-source-mib"));
    }
  }
}

bool SourceFitting::HasNoRoom(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto until = no_room_until_.find(key);
  if (until == no_room_until_.end()) return false;
  if (std::chrono::steady_clock::now() < until->second) return true;
  no_room_until_.erase(until);
  return false;
}

void SourceFitting::NoteThatThereIsNoRoom(const std::string& key,
                                          std::chrono::steady_clock::duration took) {
  const std::lock_guard lock(mutex_);
  if (no_room_until_.size() >= kMostWithoutRoom) no_room_until_.clear();
  no_room_until_[key] =
      std::chrono::steady_clock::now() + kUntilTriedAgain + kTimesItTook * took;
}

bool SourceFitting::Begin(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return queued_.insert(key).second;
}

void SourceFitting::End(const std::string& key) {
  const std::lock_guard lock(mutex_);
  queued_.erase(key);
}

}  // namespace slipstream
