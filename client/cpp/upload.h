// Sends what a reader gives, a source task's observations or a study's lines, in messages of
// bounded size.
#ifndef SLIPSTREAM_CLIENT_CPP_UPLOAD_H_
#define SLIPSTREAM_CLIENT_CPP_UPLOAD_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cpp/caller.h"
#include "google/protobuf/repeated_field.h"
#include "slipstream/client_options.h"

namespace slipstream::client_internal {

// Limits of one message.
struct UploadLimits {
  static constexpr int kElements = 1000;
  // Total size of the elements on the wire. A larger one is sent alone.
  static constexpr size_t kBytes = size_t{1} << 20;
};

template <typename Request, typename Response>
using UploadMethod =
    std::unique_ptr<grpc::ClientWriter<Request>> (Caller::Stub::*)(grpc::ClientContext*, Response*);
// Where a message has its elements.
template <typename Request, typename Element>
using ElementsOf = google::protobuf::RepeatedPtrField<Element>* (Request::*)();

// OK also if the server has ended the call, whose status then says why.
template <typename Request, typename Element, typename Reader>
absl::Status WriteAll(Reader& reader, ElementsOf<Request, Element> elements_of,
                      grpc::ClientWriter<Request>& writer) {
  if (absl::Status status = reader.Rewind(); !status.ok()) return status;
  Request message;
  google::protobuf::RepeatedPtrField<Element>& elements = *(message.*elements_of)();
  size_t bytes = 0;
  while (true) {
    Element element;
    const absl::StatusOr<bool> more = reader.Next(&element);
    if (!more.ok()) return more.status();
    if (!*more) break;
    const size_t size = element.ByteSizeLong();
    const bool is_full =
        elements.size() == UploadLimits::kElements || bytes + size > UploadLimits::kBytes;
    if (is_full && !elements.empty()) {
      if (!writer.Write(message)) return absl::OkStatus();
      message.Clear();
      bytes = 0;
    }
    *elements.Add() = std::move(element);
    bytes += size;
  }
  if (!elements.empty()) writer.Write(message);
  return absl::OkStatus();
}

// Sends the header in a message of its own, then what `reader` gives, with each attempt from the
// start. If reading fails, the call is cancelled, nothing is stored, and the reader's status is
// returned.
template <typename Request, typename Response, typename Element, typename Reader>
absl::StatusOr<Response> Upload(Caller& caller, const std::string& what, const Deadlines& deadlines,
                                UploadMethod<Request, Response> method,
                                const typename Request::Header& header,
                                ElementsOf<Request, Element> elements_of, Reader& reader) {
  Response response;
  absl::Status read_status;
  const auto attempt = [&](Caller::Stub& stub, grpc::ClientContext* context) -> grpc::Status {
    response.Clear();
    const auto writer = (stub.*method)(context, &response);
    Request first;
    *first.mutable_header() = header;
    read_status = writer->Write(first) ? WriteAll(reader, elements_of, *writer) : absl::OkStatus();
    if (!read_status.ok()) {
      context->TryCancel();
      writer->Finish();
      // Caller does not retry UNKNOWN.
      return {grpc::StatusCode::UNKNOWN, "what to send could not be read"};
    }
    writer->WritesDone();
    return writer->Finish();
  };
  const absl::Status status = caller.Call(what, deadlines, attempt);
  if (!read_status.ok()) return read_status;
  if (!status.ok()) return status;
  return response;
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_UPLOAD_H_
