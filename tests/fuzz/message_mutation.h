// Changes messages in ways that their type allows: odd values, missing and repeated fields.
#ifndef SLIPSTREAM_TESTS_FUZZ_MESSAGE_MUTATION_H_
#define SLIPSTREAM_TESTS_FUZZ_MESSAGE_MUTATION_H_

#include <google/protobuf/message.h>

#include "tests/fuzz/dice.h"

namespace slipstream::fuzz {

// Changes one thing somewhere in the message.
void Mutate(google::protobuf::Message* message, Dice& dice);

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_MESSAGE_MUTATION_H_
