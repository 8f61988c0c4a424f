#include "server/grpc/call_projects.h"

#include "absl/algorithm/container.h"
#include "google/protobuf/descriptor.h"
#include "server/access/gate.h"
#include "server/service/project_in_name.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The fields of requests that name resources, or that hold a resource with its name.
constexpr const char* kNames[] = {"name",   "study",       "trial",
                                  "trials", "source_task", "source_tasks"};
constexpr const char* kResources[] = {"study", "trial", "source_task", "header"};
constexpr char kParent[] = "parent";

void AddNames(const Message& message, const FieldDescriptor& field,
              std::set<std::string>* projects) {
  const auto add = [&](const std::string& name) {
    if (!name.empty()) projects->emplace(ProjectInName(name));
  };
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return add(reflection.GetString(message, &field));
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    add(reflection.GetRepeatedString(message, &field, i));
  }
}

// A resource that is being made has no name yet: what its field says is ignored.
void AddProjects(const Message& message, bool is_new, std::set<std::string>* projects) {
  const Descriptor& type = *message.GetDescriptor();
  const FieldDescriptor* const parent = type.FindFieldByName(kParent);
  if (parent != nullptr) {
    is_new = true;
    projects->emplace(ProjectInName(message.GetReflection()->GetString(message, parent)));
  }
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string& name = field.name();
    if (field.type() == FieldDescriptor::TYPE_STRING && absl::c_linear_search(kNames, name)) {
      if (!is_new || name != "name") AddNames(message, field, projects);
    }
    if (field.type() == FieldDescriptor::TYPE_MESSAGE && absl::c_linear_search(kResources, name)) {
      AddProjects(message.GetReflection()->GetMessage(message, &field), is_new, projects);
    }
  }
}

}  // namespace

std::set<std::string> ProjectsOf(const Message& request) {
  // Its name is a file's.
  if (request.GetDescriptor() == v1::BackupStoreRequest::descriptor()) return {kEveryProject};
  std::set<std::string> projects;
  AddProjects(request, /*is_new=*/false, &projects);
  return projects;
}

}  // namespace slipstream
