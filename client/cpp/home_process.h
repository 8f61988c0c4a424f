// Objects in a process that was forked from theirs. No thread goes on there but the one that
// forked, so that calls and waiting for threads would never end.
#ifndef SLIPSTREAM_CLIENT_CPP_HOME_PROCESS_H_
#define SLIPSTREAM_CLIENT_CPP_HOME_PROCESS_H_

#include <unistd.h>

#include <utility>

namespace slipstream::client_internal {

// The process that an object was made in, for the objects that have it as a member.
class HomeProcess {
 public:
  bool IsThisOne() const { return getpid() == id_; }

 private:
  const pid_t id_ = getpid();
};

// Never destroys the object.
template <typename Object>
void LeaveBehind(Object object) {
  (void)new Object(std::move(object));
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_HOME_PROCESS_H_
