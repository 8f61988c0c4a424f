// Starts threads for an object, and joins those that may themselves destroy it.
#ifndef SLIPSTREAM_CLIENT_CPP_OWN_THREAD_H_
#define SLIPSTREAM_CLIENT_CPP_OWN_THREAD_H_

#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"

namespace slipstream::client_internal {

// Starts a thread. RESOURCE_EXHAUSTED if the system has no more.
template <typename Function>
absl::Status StartThread(Function function, std::thread* thread) {
  try {
    *thread = std::thread(std::move(function));
    return absl::OkStatus();
  } catch (const std::system_error&) {
    return absl::ResourceExhaustedError("the system has no thread for the client's work");
  }
}

// Joins the thread. The calling thread cannot join itself, so it is detached instead; from then on
// it must use nothing but what it owns.
inline void JoinUnlessOwn(std::thread& thread) {
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else if (thread.joinable()) {
    thread.join();
  }
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_OWN_THREAD_H_
