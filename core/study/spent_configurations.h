// Configurations of a study that are not worth another trial.
#ifndef SLIPSTREAM_CORE_STUDY_SPENT_CONFIGURATIONS_H_
#define SLIPSTREAM_CORE_STUDY_SPENT_CONFIGURATIONS_H_

#include "core/space/candidate_list.h"
#include "core/study/study_view.h"

namespace slipstream {

// Those that are infeasible or with which workers failed repeatedly and, where results are
// exact, those that were measured. Results are exact if the study says so, or if some were measured
// again and gave the same each time. The configurations belong to the view.
ConfigurationIndex SpentConfigurations(const StudyView& view);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_SPENT_CONFIGURATIONS_H_
