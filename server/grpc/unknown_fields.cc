#include "server/grpc/unknown_fields.h"

#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"

namespace slipstream {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Whether the message or one in it may have some: those in maps are not looked at.
bool MayHaveUnknownFields(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return true;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (!reflection.HasField(message, field)) continue;
      if (MayHaveUnknownFields(reflection.GetMessage(message, field))) return true;
      continue;
    }
    const int size = reflection.FieldSize(message, field);
    if (field->is_map()) {
      const FieldDescriptor* const value = field->message_type()->map_value();
      if (size > 0 && value->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return true;
      continue;
    }
    for (int j = 0; j < size; ++j) {
      if (MayHaveUnknownFields(reflection.GetRepeatedMessage(message, field, j))) return true;
    }
  }
  return false;
}

}  // namespace

void DropUnknownFields(Message* message) {
  if (MayHaveUnknownFields(*message)) message->DiscardUnknownFields();
}

}  // namespace slipstream
