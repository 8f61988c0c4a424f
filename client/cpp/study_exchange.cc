#include <cstdint>

#include "client/cpp/caller.h"
#include "client/cpp/request_identity.h"
#include "client/cpp/upload.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;
using client_internal::Identify;

// Where an export stands.
struct ExportProgress {
  int64_t visited = 0;  // Lines that were passed on, by all attempts.
  bool enough = false;  // The visitor does not want more.
};

// Makes one attempt, which passes over the lines that an earlier one has passed on.
grpc::Status ReceiveStudy(Caller::Stub& stub, grpc::ClientContext* context,
                          const v1::ExportStudyRequest& request,
                          const Client::Visitor<v1::ExportLine>& visit, ExportProgress* progress) {
  const auto reader = stub.ExportStudy(context, request);
  v1::ExportStudyResponse response;
  int64_t received = 0;
  while (!progress->enough && reader->Read(&response)) {
    for (const v1::ExportLine& line : response.lines()) {
      if (++received <= progress->visited) continue;
      ++progress->visited;
      progress->enough = !visit(line);
      if (progress->enough) break;
    }
  }
  if (progress->enough) context->TryCancel();
  const grpc::Status status = reader->Finish();
  return progress->enough ? grpc::Status::OK : status;
}

}  // namespace

absl::Status Client::ExportStudy(const std::string& name, const Visitor<v1::ExportLine>& visit) {
  v1::ExportStudyRequest request;
  request.set_name(name);
  ExportProgress progress;
  return caller_->Call("export " + name, options_.registration,
                       [&](Caller::Stub& stub, grpc::ClientContext* context) {
                         return ReceiveStudy(stub, context, request, visit, &progress);
                       });
}

absl::StatusOr<v1::Study> Client::ImportStudy(v1::ImportStudyRequest::Header header,
                                              ExportReader& lines) {
  Identify(&header);
  return client_internal::Upload(*caller_, "import a study", options_.registration,
                                 &Caller::Stub::ImportStudy, header,
                                 &v1::ImportStudyRequest::mutable_lines, lines);
}

}  // namespace slipstream
