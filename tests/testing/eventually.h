// Waits for what another process shows only to those who ask. No other C++ of tests sleeps.
//
//   EXPECT_TRUE(Eventually([&] { return Connect(new_certificate).ok(); }));
//
// Whoever can be told waits for that: for a thread, a callback, a line of a log
// (ServerProcess::Writes). But a server tells nobody that, say, new connections get another
// certificate; so this asks again after a short pause.
#ifndef SLIPSTREAM_TESTS_TESTING_EVENTUALLY_H_
#define SLIPSTREAM_TESTS_TESTING_EVENTUALLY_H_

#include <functional>

namespace slipstream {

// Whether the condition becomes true within half a minute.
bool Eventually(const std::function<bool()>& condition);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_EVENTUALLY_H_
