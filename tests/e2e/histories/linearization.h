// Whether a history is linearizable: whether each call can be given one moment between
// its beginning and its end such that all answers are those of a StudyMachine which
// does the calls at those moments. The search is Wing and Gong's (1993), with a memory
// of what was tried as Lowe (2017) and the tool Porcupine have it.
//
//   const Verdict verdict = Linearize(policy, calls);
//   EXPECT_TRUE(verdict.linearizable()) << verdict.reason;
//
// A call whose answer was lost may have happened at any time after its beginning, or
// never. Lease ends are calls as well: they happened between the time that their event
// tells and its arrival, in the order of the events. lease_times.h says when they have to be.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_LINEARIZATION_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_LINEARIZATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/histories/call.h"
#include "tests/e2e/histories/study_machine.h"

namespace slipstream::histories {

struct Verdict {
  enum class Kind { kLinearizable, kNotLinearizable, kUndecided };

  Kind kind = Kind::kLinearizable;
  // Otherwise: the longest order that was found, the state after it, and the calls of
  // which one would have had to be next.
  std::string reason;
  int64_t steps = 0;  // States that were tried.

  bool linearizable() const { return kind == Kind::kLinearizable; }
};

// All calls on one study, from its creation on, with all outages of the server. Undecided once
// `most_steps` were tried.
Verdict Linearize(const Policy& policy, const std::vector<Call>& calls,
                  const Outages& outages = {}, int64_t most_steps = 1'000'000);

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_LINEARIZATION_H_
