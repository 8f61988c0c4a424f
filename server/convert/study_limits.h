// Bounds on studies in requests.
#ifndef SLIPSTREAM_SERVER_CONVERT_STUDY_LIMITS_H_
#define SLIPSTREAM_SERVER_CONVERT_STUDY_LIMITS_H_

#include <cstdint>

namespace slipstream {

inline constexpr int kMaxSources = 1000;
// The most options of a recipe, or of a rule of early stopping.
inline constexpr int kMaxRecipeOptions = 64;
inline constexpr int64_t kMostLeaseSeconds = int64_t{365} * 24 * 3600;
inline constexpr int32_t kMostRequeues = 100;

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_STUDY_LIMITS_H_
