// What the facts about suggestions say, for people who read them.
#ifndef SLIPSTREAM_CORE_STUDY_FACT_MEANINGS_H_
#define SLIPSTREAM_CORE_STUDY_FACT_MEANINGS_H_

#include "absl/strings/string_view.h"

namespace slipstream {

// One sentence about the fact of this name; empty where there is nothing to say beyond its name.
absl::string_view MeaningOfFact(absl::string_view name);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_FACT_MEANINGS_H_
