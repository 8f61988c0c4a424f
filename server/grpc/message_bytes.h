// Messages as the bytes that gRPC receives and sends.
#ifndef SLIPSTREAM_SERVER_GRPC_MESSAGE_BYTES_H_
#define SLIPSTREAM_SERVER_GRPC_MESSAGE_BYTES_H_

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>
#include <grpcpp/support/status.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/grpc/unknown_fields.h"

namespace slipstream {

// RESOURCE_EXHAUSTED, naming the limit and its flag, for `what` of more than `limit` bytes;
// `advice` says what the caller can do.
inline absl::Status CheckSize(absl::string_view what, const grpc::ByteBuffer& bytes, int64_t limit,
                              absl::string_view advice) {
  const auto size = static_cast<int64_t>(bytes.Length());
  if (size <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(what, " has ", size, " bytes, more than the server's limit of a message, ",
                   "--max-message-bytes ", limit, ": ", advice));
}

// Fields that this version does not know are dropped: they would be stored and counted as what
// they are beside. INVALID_ARGUMENT: malformed bytes are the caller's mistake.
template <typename Message>
absl::Status Parse(const grpc::ByteBuffer& bytes, Message* message) {
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));  // Which only reads them.
  if (message->ParseFromZeroCopyStream(&reader) && reader.status().ok()) {
    DropUnknownFields(message);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes that were sent are not a ", Message::descriptor()->full_name(),
                   ": it was truncated, or made by another version of proto/slipstream/v1"));
}

template <typename Message>
grpc::Status ToBytes(const Message& message, grpc::ByteBuffer* bytes) {
  bool owned = false;
  return grpc::SerializationTraits<Message>::Serialize(message, bytes, &owned);
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_MESSAGE_BYTES_H_
