// What a person does by hand who has source tasks and no transfer: to try their best configurations
// first.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_QUEUED_POINTS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_QUEUED_POINTS_H_

#include <cstddef>
#include <vector>

#include "tests/evidence/problem.h"

namespace slipstream::evidence {

// At most `count` different points of the problem's space: each source's best, then each source's
// second best, and so on. Configurations without a place in the space are left out.
std::vector<Point> QueuedPoints(const Problem& problem, size_t count);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_QUEUED_POINTS_H_
