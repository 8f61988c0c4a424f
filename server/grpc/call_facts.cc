#include "server/grpc/call_facts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"

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

}  // namespace

CallFacts FactsOf(const Message& request) {
  CallFacts facts;
  for (const char* field : {"name", "trial", "study", "source_task", "path"}) {
    if (facts.resource.empty()) facts.resource = TextIn(request, field);
  }
  const std::string new_study = TextIn(request, "study_id");
  if (!new_study.empty()) {
    const std::string parent = TextIn(request, "parent");
    facts.resource = absl::StrCat(parent, parent.empty() ? "" : "/", "studies/", new_study);
  }
  facts.request_id = TextIn(request, "request_id");
  facts.worker = TextIn(request, "worker");
  return facts;
}

}  // namespace slipstream
