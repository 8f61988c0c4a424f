// The method with which others are compared.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_REFERENCE_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_REFERENCE_H_

#include <memory>

#include "core/strategy/strategy.h"

namespace slipstream {

// gp_log_ei without turns, which would search twice.
std::unique_ptr<Strategy> LogImprovementAlone();

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_REFERENCE_H_
