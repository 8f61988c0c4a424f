// The source tasks of a study that asks for all of a project.
#ifndef SLIPSTREAM_SERVER_SERVICE_FITTING_SOURCES_H_
#define SLIPSTREAM_SERVER_SERVICE_FITTING_SOURCES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/convert/study_conversion.h"
#include "server/store/store.h"

namespace slipstream {

// The ids of the project's source tasks that have a result, the study's objective, and a parameter
// in common with it, oldest first. Of those whose origin is the same study only the latest counts,
// as the others are earlier states of it; those that are older than the study of that name are of
// an earlier study, which was deleted. If there are more than `most`, or their observations would
// take more than `most_bytes` of memory, the latest are returned. DATA_LOSS, or the store's errors.
absl::StatusOr<std::vector<std::string>> FittingSources(Store& store, const std::string& project,
                                                        const StudyDefinition& definition,
                                                        size_t most, int64_t most_bytes);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_FITTING_SOURCES_H_
