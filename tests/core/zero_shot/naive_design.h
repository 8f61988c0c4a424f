// The design as its definition reads, without any shortcut: quadratic ranks,
// linear look-ups, full sorts. For comparison in tests.
#ifndef SLIPSTREAM_TESTS_CORE_ZERO_SHOT_NAIVE_DESIGN_H_
#define SLIPSTREAM_TESTS_CORE_ZERO_SHOT_NAIVE_DESIGN_H_

#include <vector>

#include "core/study/study_view.h"

namespace slipstream {

struct NaiveEntry {
  Configuration configuration;
  std::vector<double> weights;  // By source of the view; 0 for those left out.
};

// For at most 20 sources of at most 500 points each, where no bound on work
// comes into play.
std::vector<NaiveEntry> NaiveDesign(const StudyView& view);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_ZERO_SHOT_NAIVE_DESIGN_H_
