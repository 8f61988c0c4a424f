#include <cstdint>
#include <memory>
#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/request_identity.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;
using client_internal::Identify;

// Limits of one message; a larger line is sent alone.
constexpr int kLinesPerMessage = 1000;
constexpr size_t kBytesPerMessage = size_t{1} << 20;

using Writer = grpc::ClientWriter<v1::ImportStudyRequest>;

// Sends the lines in messages of bounded size. OK also if the server has ended the call, whose
// status then says why.
absl::Status WriteLines(ExportReader& lines, Writer* writer) {
  if (absl::Status status = lines.Rewind(); !status.ok()) return status;
  v1::ImportStudyRequest message;
  size_t bytes = 0;
  while (true) {
    v1::ExportLine line;
    const absl::StatusOr<bool> more = lines.Next(&line);
    if (!more.ok()) return more.status();
    if (!*more) break;
    const size_t size = line.ByteSizeLong();
    const bool is_full =
        message.lines_size() == kLinesPerMessage || bytes + size > kBytesPerMessage;
    if (is_full && message.lines_size() > 0) {
      if (!writer->Write(message)) return absl::OkStatus();
      message.Clear();
      bytes = 0;
    }
    *message.add_lines() = std::move(line);
    bytes += size;
  }
  if (message.lines_size() > 0) writer->Write(message);
  return absl::OkStatus();
}

// Makes one attempt. If reading the lines fails, the call is cancelled, nothing is imported, and
// `read_status` says why; otherwise it is OK.
grpc::Status SendStudy(Caller::Stub& stub, grpc::ClientContext* context,
                       const v1::ImportStudyRequest::Header& header, ExportReader& lines,
                       v1::Study* response, absl::Status* read_status) {
  response->Clear();
  const std::unique_ptr<Writer> writer = stub.ImportStudy(context, response);
  v1::ImportStudyRequest first;
  *first.mutable_header() = header;
  *read_status = writer->Write(first) ? WriteLines(lines, writer.get()) : absl::OkStatus();
  if (!read_status->ok()) {
    context->TryCancel();
    writer->Finish();
    // Caller does not retry UNKNOWN.
    return {grpc::StatusCode::UNKNOWN, "the lines could not be read"};
  }
  writer->WritesDone();
  return writer->Finish();
}

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
  v1::Study response;
  absl::Status read_status;
  const absl::Status status =
      caller_->Call("import a study", options_.registration,
                    [&](Caller::Stub& stub, grpc::ClientContext* context) {
                      return SendStudy(stub, context, header, lines, &response, &read_status);
                    });
  if (!read_status.ok()) return read_status;
  if (!status.ok()) return status;
  return response;
}

}  // namespace slipstream
