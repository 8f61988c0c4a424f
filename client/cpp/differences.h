// What differs between an existing study and the one that is asked for.
#ifndef SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
#define SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_

#include <functional>
#include <string>
#include <vector>

#include "slipstream/new_study.h"

namespace slipstream::client_internal {

// How a parameter of this name is written.
using ParameterText =
    std::function<std::string(const std::string& name, const client::Parameter& parameter)>;

// A line for each difference; none if the study is as asked for. Settings that were left out match
// any value, and so do the title and the labels. Parameters are written as in C++ unless `text`
// writes them.
std::vector<std::string> Differences(const client::NewStudy& asked,
                                     const client::NewStudy& existing, ParameterText text = {});

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_DIFFERENCES_H_
