#include <utility>

#include "absl/strings/strip.h"
#include "client/cpp/caller.h"
#include "client/cpp/new_study_message.h"
#include "client/cpp/paging.h"
#include "client/cpp/request_identity.h"
#include "client/cpp/study_name.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;
using client_internal::Identify;

constexpr int kStudiesPerPage = 100;

std::string Creation(const v1::CreateStudyRequest& request) {
  return request.study_id().empty() ? "create a study" : "create study " + request.study_id();
}

// The project that a request is for.
std::string ParentOf(const std::string& project) {
  return std::string(absl::StripSuffix(client_internal::ProjectPrefix(project), "/"));
}

}  // namespace

absl::StatusOr<v1::Study> Client::CreateStudy(v1::CreateStudyRequest request) {
  Identify(&request);
  return caller_->Unary(Creation(request), options_.call, &Caller::Stub::CreateStudy, request);
}

absl::StatusOr<v1::Study> Client::CreateStudy(v1::Study study, const std::string& study_id) {
  v1::CreateStudyRequest request;
  *request.mutable_study() = std::move(study);
  request.set_study_id(study_id);
  return CreateStudy(std::move(request));
}

absl::StatusOr<v1::Study> Client::CreateStudy(const client::NewStudy& study) {
  if (absl::Status status = client_internal::CheckRecipe(study); !status.ok()) return status;
  const absl::StatusOr<client::NewStudy> named =
      client_internal::InItsProject(study, options_.project);
  if (!named.ok()) return named.status();
  v1::CreateStudyRequest request;
  request.set_parent(ParentOf(named->project));
  *request.mutable_study() = client_internal::MessageOf(*named);
  request.set_study_id(named->id);
  return CreateStudy(std::move(request));
}

absl::StatusOr<v1::Study> Client::GetStudy(const v1::GetStudyRequest& request) {
  return caller_->Unary("read " + request.name(), options_.call, &Caller::Stub::GetStudy, request);
}

absl::StatusOr<v1::Study> Client::GetStudy(const std::string& name) {
  v1::GetStudyRequest request;
  request.set_name(name);
  return GetStudy(request);
}

absl::StatusOr<v1::ListStudiesResponse> Client::ListStudies(const v1::ListStudiesRequest& request) {
  return caller_->Unary("list studies", options_.call, &Caller::Stub::ListStudies, request);
}

absl::Status Client::ListAllStudies(const Visitor<v1::Study>& visit, const std::string& parent) {
  v1::ListStudiesRequest request;
  request.set_parent(parent);
  request.set_page_size(kStudiesPerPage);
  return client_internal::VisitAllPages(
      request, [this](const v1::ListStudiesRequest& page) { return ListStudies(page); },
      [](const v1::ListStudiesResponse& page) -> const auto& { return page.studies(); }, visit);
}

absl::StatusOr<v1::Study> Client::UpdateStudy(v1::UpdateStudyRequest request) {
  Identify(&request);
  return caller_->Unary("change " + request.study().name(), options_.call,
                        &Caller::Stub::UpdateStudy, request);
}

absl::StatusOr<v1::Study> Client::SetStudyState(const std::string& name, v1::Study::State state) {
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name(name);
  request.mutable_study()->set_state(state);
  request.mutable_update_mask()->add_paths("state");
  return UpdateStudy(std::move(request));
}

absl::Status Client::DeleteStudy(v1::DeleteStudyRequest request) {
  Identify(&request);
  return caller_
      ->Unary("delete " + request.name(), options_.call, &Caller::Stub::DeleteStudy, request)
      .status();
}

absl::Status Client::DeleteStudy(const std::string& name) {
  v1::DeleteStudyRequest request;
  request.set_name(name);
  return DeleteStudy(std::move(request));
}

}  // namespace slipstream
