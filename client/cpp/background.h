// Makes calls on a few threads of its own, for the asynchronous form.
#ifndef SLIPSTREAM_CLIENT_CPP_BACKGROUND_H_
#define SLIPSTREAM_CLIENT_CPP_BACKGROUND_H_

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "client/cpp/home_process.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// Thread-safe. The threads start when they are first needed.
class Background {
 public:
  // `options` must have passed CheckOptions.
  explicit Background(const BackgroundOptions& options);
  // Returns when all calls have been made, unless a call destroys it.
  ~Background();

  // The result of `call`, a Status or StatusOr, once it has been made; RESOURCE_EXHAUSTED at once
  // if too many calls wait, or there is no thread. An exception of `call` is thrown by the future.
  template <typename Call>
  std::future<std::invoke_result_t<Call>> Run(Call call) {
    using Result = std::invoke_result_t<Call>;
    auto promise = std::make_shared<std::promise<Result>>();
    std::future<Result> result = promise->get_future();
    const absl::Status taken = Take([promise, call = std::move(call)]() mutable {
      try {
        promise->set_value(call());
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
    });
    if (!taken.ok()) promise->set_value(Result(taken));
    return result;
  }

 private:
  struct Queue;

  static void Serve(const std::shared_ptr<Queue>& queue);
  absl::Status Take(std::function<void()> task);

  const BackgroundOptions options_;
  const HomeProcess home_;
  // Shared with the threads, one of which may outlive this.
  std::shared_ptr<Queue> queue_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_BACKGROUND_H_
