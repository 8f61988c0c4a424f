// A call of many messages, read to its end or to the first error.
//
// Reading ends in the same way when the caller has sent everything and when the call is cut off
// (the caller cancelled or vanished, or the server shuts down), which must not change anything.
// Sending the initial metadata tells them apart: it succeeds only on a live call.
#ifndef SLIPSTREAM_SERVER_GRPC_UPLOAD_REACTOR_H_
#define SLIPSTREAM_SERVER_GRPC_UPLOAD_REACTOR_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/call_facts.h"
#include "server/grpc/call_projects.h"
#include "server/grpc/incoming_call.h"
#include "server/grpc/message_bytes.h"
#include "server/grpc/status_conversion.h"
#include "server/service/answering.h"

namespace slipstream {

// Collects the messages, each a `Request`, in an `Upload`. Deletes itself when the call is done.
template <typename Upload, typename Request, typename Response>
class UploadReactor : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  // Takes the collected messages when the caller has sent all of them.
  using OnEnd = std::function<void(std::unique_ptr<Upload>, Response*, const Done&)>;

  UploadReactor(const CallSetting& setting, Rpc rpc, grpc::CallbackServerContext* context,
                grpc::ByteBuffer* answer, OnEnd on_end)
      : on_end_(std::move(on_end)),
        setting_(setting),
        answer_(answer),
        incoming_(setting, rpc, context),
        upload_(std::make_unique<Upload>()) {
    ++*setting.under_way;
    incoming_.Admit([this](absl::Status status) {
      if (status.ok()) status = ReadNext();
      if (!status.ok()) End(status);
    });
  }

  void OnReadDone(bool more) override {
    setting_.idle_uploads->Leave(this);
    if (idle_) return;
    if (!more) return this->StartSendInitialMetadata();
    const absl::Status status = OrOutOfMemory([this]() -> absl::Status {
      SLIPSTREAM_RETURN_IF_ERROR(TakeMessage());
      return ReadNext();
    });
    if (!status.ok()) End(status);
  }

  void OnSendInitialMetadataDone(bool alive) override {
    if (!alive || incoming_.context().IsCancelled()) {
      return End(absl::CancelledError("the upload was cut off; nothing is stored"));
    }
    const absl::Status handed_on = OrOutOfMemory([this]() -> absl::Status {
      SLIPSTREAM_RETURN_IF_ERROR(incoming_.CheckAgain([this] { return projects_; }));
      on_end_(std::move(upload_), &response_, [this](const absl::Status& status) { End(status); });
      return absl::OkStatus();
    });
    if (!handed_on.ok()) End(handed_on);
  }

  void OnDone() override {
    const CallSetting& setting = setting_;
    const int64_t held_bytes = held_bytes_;
    delete this;
    setting.budget->GiveBack(held_bytes);
    --*setting.under_way;
  }

 private:
  absl::Status ReadNext() {
    return OrOutOfMemory([this] {
      setting_.idle_uploads->Wait(this, [this] { EndIdle(); });
      this->StartRead(&bytes_);
      return absl::OkStatus();
    });
  }

  // While a read is under way, which fails with the call.
  void EndIdle() {
    idle_ = true;
    End(OrOutOfMemory([this] {
      return absl::ResourceExhaustedError(
          absl::StrCat("nothing of the upload came for ",
                       absl::ToDoubleSeconds(setting_.idle_uploads->limit()),
                       " s, the limit that --upload-idle-seconds sets; nothing is stored"));
    }));
  }

  // While the next message is waited for, nothing of this one is held but what the upload counts: a
  // message that is cleared keeps the memory of its observations.
  absl::Status TakeMessage() {
    SLIPSTREAM_RETURN_IF_ERROR(incoming_.CheckMessage(bytes_));
    Request message;
    SLIPSTREAM_RETURN_IF_ERROR(Parse(bytes_, &message));
    bytes_.Clear();
    if (message.has_header()) {
      facts_ = FactsOf(message.header());
      SLIPSTREAM_RETURN_IF_ERROR(incoming_.Check(message));
      projects_.merge(ProjectsOf(message));
    }
    std::set<std::string> used = ProjectsOfContent(message);
    SLIPSTREAM_RETURN_IF_ERROR(CheckProjects(incoming_.caller(), used));
    projects_.merge(used);
    SLIPSTREAM_RETURN_IF_ERROR(upload_->Add(message));
    return HoldMore();
  }

  absl::Status HoldMore() {
    const int64_t more = upload_->held_bytes() - held_bytes_;
    SLIPSTREAM_RETURN_IF_ERROR(setting_.budget->Take(more, held_bytes_));
    held_bytes_ += more;
    return absl::OkStatus();
  }

  // Throws nothing, as that of a unary call.
  void End(const absl::Status& status) {
    this->Finish(OrNoMemory([&] {
      incoming_.End(status, [&] {
        if (status.ok()) facts_.resource = FactsOf(response_).resource;
        return facts_;
      });
      return status.ok() ? ToBytes(response_, answer_) : ToGrpcStatus(status);
    }));
  }

  const OnEnd on_end_;
  const CallSetting& setting_;
  grpc::ByteBuffer* const answer_;
  IncomingCall incoming_;
  std::unique_ptr<Upload> upload_;
  std::set<std::string> projects_;  // Those that the messages so far name.
  int64_t held_bytes_ = 0;  // Taken from the memory budget.
  bool idle_ = false;       // It was ended as its caller was silent; written before Leave returns.
  grpc::ByteBuffer bytes_;
  Response response_;
  CallFacts facts_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_UPLOAD_REACTOR_H_
