// What differs between an existing study and the one that is asked for.
#ifndef SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
#define SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_

#include <string>
#include <vector>

#include "slipstream/new_study.h"

namespace slipstream::client_internal {

// A line for each difference; none if the study is as asked for. Settings that were left out match
// any value, and so do the title and the labels.
std::vector<std::string> Differences(const client::NewStudy& asked,
                                     const client::NewStudy& existing);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
