#include "server/service/rounds.h"

#include <gtest/gtest.h>

#include <future>
#include <new>

namespace slipstream {
namespace {

TEST(Rounds, GoOnAfterARoundThatMemoryLackedFor) {
  int begun = 0;
  std::promise<void> second;
  const Rounds rounds(absl::Milliseconds(1), [&] {
    if (++begun == 1) throw std::bad_alloc();
    if (begun == 2) second.set_value();
  });
  second.get_future().wait();
}

}  // namespace
}  // namespace slipstream
