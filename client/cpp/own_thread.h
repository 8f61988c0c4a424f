// Joins threads that may themselves destroy the object that started them.
#ifndef SLIPSTREAM_CLIENT_CPP_OWN_THREAD_H_
#define SLIPSTREAM_CLIENT_CPP_OWN_THREAD_H_

#include <thread>

namespace slipstream::client_internal {

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
