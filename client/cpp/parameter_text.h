// Parameters as they are written.
#ifndef SLIPSTREAM_CLIENT_CPP_PARAMETER_TEXT_H_
#define SLIPSTREAM_CLIENT_CPP_PARAMETER_TEXT_H_

#include <string>

#include "slipstream/new_study.h"

namespace slipstream::client_internal {

// For example "2", "0.25", "true" or "\"poly\"".
std::string TextOf(const client::Value& value);

// As C++ has it, for example "Integer(2, 5).When(\"kernel\", {\"poly\"})".
std::string TextOf(const client::Parameter& parameter);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_PARAMETER_TEXT_H_
