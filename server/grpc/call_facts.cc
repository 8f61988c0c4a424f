#include "server/grpc/call_facts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/field_mask.pb.h"

namespace slipstream {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The text in a field, or in the field "name" of a message in it; empty if there is none.
std::string TextIn(const Message& message, const char* name) {
  const FieldDescriptor* const field = message.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr || field->is_repeated()) return {};
  if (field->type() == FieldDescriptor::TYPE_STRING) {
    return message.GetReflection()->GetString(message, field);
  }
  if (field->type() != FieldDescriptor::TYPE_MESSAGE) return {};
  return TextIn(message.GetReflection()->GetMessage(message, field), "name");
}

bool IsOn(const Message& message, const FieldDescriptor* field) {
  return field != nullptr && field->type() == FieldDescriptor::TYPE_BOOL &&
         !field->is_repeated() && message.GetReflection()->GetBool(message, field);
}

bool IsOn(const Message& message, const char* name) {
  return IsOn(message, message.GetDescriptor()->FindFieldByName(name));
}

// A field to change, such as "labels", and of an enumeration what it becomes, such as
// "state=COMPLETED".
std::string ChangeOf(const Message& request, const std::string& path) {
  const google::protobuf::Descriptor& fields = *request.GetDescriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor* const holder = fields.field(i);
    if (holder->type() != FieldDescriptor::TYPE_MESSAGE || holder->is_repeated()) continue;
    const FieldDescriptor* const changed = holder->message_type()->FindFieldByName(path);
    if (changed == nullptr || changed->type() != FieldDescriptor::TYPE_ENUM) continue;
    if (changed->is_repeated()) continue;
    const Message& values = request.GetReflection()->GetMessage(request, holder);
    return absl::StrCat(path, "=", values.GetReflection()->GetEnum(values, changed)->name());
  }
  return path;
}

// The names of the boolean fields that are true, and what an update_mask names.
std::string OptionsIn(const Message& message) {
  std::vector<std::string> names;
  const google::protobuf::Descriptor& fields = *message.GetDescriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor* const field = fields.field(i);
    if (IsOn(message, field)) names.emplace_back(field->name());
    if (field->message_type() != google::protobuf::FieldMask::descriptor()) continue;
    google::protobuf::FieldMask mask;
    mask.CopyFrom(message.GetReflection()->GetMessage(message, field));
    for (const std::string& path : mask.paths()) names.push_back(ChangeOf(message, path));
  }
  return absl::StrJoin(names, ",");
}

}  // namespace

CallFacts FactsOf(const Message& request) {
  CallFacts facts;
  for (const char* field : {"name", "trial", "study", "source_task", "path", "parent"}) {
    if (facts.resource.empty()) facts.resource = TextIn(request, field);
  }
  const std::string new_study = TextIn(request, "study_id");
  if (!new_study.empty()) {
    const std::string parent = TextIn(request, "parent");
    facts.resource = absl::StrCat(parent, parent.empty() ? "" : "/", "studies/", new_study);
  }
  facts.request_id = TextIn(request, "request_id");
  facts.worker = TextIn(request, "worker");
  facts.options = OptionsIn(request);
  facts.only_validates = IsOn(request, "validate_only");
  return facts;
}

}  // namespace slipstream
