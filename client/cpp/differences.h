// What differs between a study that exists and what is asked for.
#ifndef SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
#define SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_

#include <string>
#include <vector>

#include "slipstream/new_study.h"

namespace slipstream::client_internal {

// A line for each difference; none if the study is what is asked for. What was left out may be
// anything, and so may the title and the labels.
std::vector<std::string> Differences(const client::NewStudy& asked,
                                     const client::NewStudy& existing);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
