// Fields that a message was sent with and that this version does not know.
#ifndef SLIPSTREAM_SERVER_GRPC_UNKNOWN_FIELDS_H_
#define SLIPSTREAM_SERVER_GRPC_UNKNOWN_FIELDS_H_

#include "google/protobuf/message.h"

namespace slipstream {

// Drops those of the message and of messages in it, as DiscardUnknownFields does. That allocates
// memory for each message, also where there are none.
void DropUnknownFields(google::protobuf::Message* message);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_UNKNOWN_FIELDS_H_
