#include "client/cpp/source_upload.h"

#include <memory>
#include <utility>

namespace slipstream::client_internal {
namespace {

using Writer = grpc::ClientWriter<v1::RegisterSourceTaskRequest>;

// Batches observations and writes a batch before it would exceed a limit.
class ChunkWriter {
 public:
  explicit ChunkWriter(Writer* writer) : writer_(writer) {}

  // False when the server has ended the call.
  bool Add(v1::Observation observation) {
    const size_t bytes = observation.ByteSizeLong();
    const bool full = chunk_.observations_size() == ChunkLimits::kObservations ||
                      (chunk_.observations_size() > 0 && bytes_ + bytes > ChunkLimits::kBytes);
    if (full && !Flush()) return false;
    *chunk_.add_observations() = std::move(observation);
    bytes_ += bytes;
    return true;
  }

  bool Flush() {
    if (chunk_.observations_size() == 0) return true;
    const bool written = writer_->Write(chunk_);
    chunk_.Clear();
    bytes_ = 0;
    return written;
  }

 private:
  Writer* const writer_;
  v1::RegisterSourceTaskRequest chunk_;
  size_t bytes_ = 0;
};

// OK also if the server has ended the call, whose status then says why.
absl::Status WriteAll(ObservationReader& observations, Writer* writer) {
  if (absl::Status status = observations.Rewind(); !status.ok()) return status;
  ChunkWriter chunks(writer);
  for (;;) {
    v1::Observation observation;
    const absl::StatusOr<bool> more = observations.Next(&observation);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (!chunks.Add(std::move(observation))) return absl::OkStatus();
  }
  chunks.Flush();
  return absl::OkStatus();
}

}  // namespace

grpc::Status UploadSourceTask(Caller::Stub& stub, grpc::ClientContext* context,
                              const v1::RegisterSourceTaskRequest::Header& header,
                              ObservationReader& observations,
                              v1::RegisterSourceTaskResponse* response,
                              absl::Status* read_status) {
  response->Clear();
  const std::unique_ptr<Writer> writer = stub.RegisterSourceTask(context, response);
  v1::RegisterSourceTaskRequest first;
  *first.mutable_header() = header;
  *read_status = writer->Write(first) ? WriteAll(observations, writer.get()) : absl::OkStatus();
  if (!read_status->ok()) {
    context->TryCancel();
    writer->Finish();
    // Caller does not retry UNKNOWN.
    return {grpc::StatusCode::UNKNOWN, "the observations could not be read"};
  }
  writer->WritesDone();
  return writer->Finish();
}

}  // namespace slipstream::client_internal
