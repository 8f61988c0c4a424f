// A study to create as a message.
#ifndef SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_
#define SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_

#include <chrono>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/new_study.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

// INVALID_ARGUMENT for a word in the recipe that names no ingredient, as no message can hold it.
absl::Status CheckRecipe(const client::NewStudy& study);

// The study with its project, which is `otherwise` where it names none, with its bare id, and with
// the full name of "sourceTasks/-". INVALID_ARGUMENT as ReadStudyName, but an empty id is kept.
absl::StatusOr<client::NewStudy> InItsProject(client::NewStudy study, const std::string& otherwise);

// Changes what is given of the policy.
void FillLease(std::optional<std::chrono::nanoseconds> lease, std::optional<int> requeues,
               v1::LeasePolicy* policy);

// Does not check what the server checks, such as bounds. The recipe has passed CheckRecipe.
v1::Study MessageOf(const client::NewStudy& study);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_
