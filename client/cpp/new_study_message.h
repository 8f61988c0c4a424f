// A study to create as a message.
#ifndef SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_
#define SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_

#include "absl/status/status.h"
#include "slipstream/new_study.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

// INVALID_ARGUMENT for a word in the recipe that names no ingredient, as no message can hold it.
absl::Status CheckRecipe(const client::NewStudy& study);

// Does not check what the server checks, such as bounds. The recipe has passed CheckRecipe.
v1::Study MessageOf(const client::NewStudy& study);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_NEW_STUDY_MESSAGE_H_
