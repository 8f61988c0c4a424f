// Processes over points and tasks together: the task is one more coordinate, a
// category, and what is believed of one task is a section of the process.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_TASK_SECTION_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_TASK_SECTION_H_

#include <memory>

#include "core/gp/coordinate_kinds.h"
#include "core/gp/gaussian_process.h"
#include "core/linalg/types.h"
#include "core/prior/blocks/source_points.h"
#include "core/prior/blocks/transfer_surrogate.h"

namespace slipstream {

// The target's; source s is task s + 1.
inline constexpr double kTargetTask = 0;

CoordinateKinds WithTask(CoordinateKinds kinds);
PointMatrix WithTask(const PointMatrix& x, double task);
// Points of the target, then those of the sources, each with its task.
PointMatrix WithTasks(const PointMatrix& target, const SourcePoints& points);

// The target's function under a process over points and tasks.
std::unique_ptr<TransferSurrogate> MakeTargetSection(GaussianProcess process);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_TASK_SECTION_H_
