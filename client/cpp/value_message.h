// Values and configurations as messages and back.
#ifndef SLIPSTREAM_CLIENT_CPP_VALUE_MESSAGE_H_
#define SLIPSTREAM_CLIENT_CPP_VALUE_MESSAGE_H_

#include "slipstream/new_study.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::client_internal {

// Does not check values: the server refuses those that a parameter cannot have.
v1::ParameterValue MessageOf(const client::Value& value);
v1::Configuration MessageOf(const client::Configuration& configuration);

client::Value ValueOf(const v1::ParameterValue& message);
client::Configuration ConfigurationOf(const v1::Configuration& message);

// The value of the kind that the parameter has: a whole number that is written as an integer is a
// real parameter's number, and the reverse. Unchanged if there is none.
client::Value InKindOf(const client::Parameter& parameter, const client::Value& value);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_VALUE_MESSAGE_H_
