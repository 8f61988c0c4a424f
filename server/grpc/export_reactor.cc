#include "server/grpc/export_reactor.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/status_conversion.h"

namespace slipstream {
namespace {

// The lines of an answer as they are read, as a message and as bytes.
constexpr auto kHeldBytes = static_cast<int64_t>(4 * StudyExport::kFullBytes);

}  // namespace

ExportReactor::ExportReactor(const CallSetting& setting, ExchangeService* service, const Open& open,
                             MayGoOn may_go_on, OnEnd on_end)
    : setting_(setting),
      service_(*service),
      may_go_on_(std::move(may_go_on)),
      on_end_(std::move(on_end)) {
  ++*setting.under_way;
  OrEnd([&]() -> absl::Status {
    SLIPSTREAM_RETURN_IF_ERROR(setting.budget->Take(kHeldBytes));
    held_bytes_ = kHeldBytes;
    open([this](absl::StatusOr<std::unique_ptr<StudyExport>> opened) {
      Opened(std::move(opened));
    });
    return absl::OkStatus();
  });
}

void ExportReactor::OrEnd(absl::FunctionRef<absl::Status()> step) {
  const absl::Status made = OrOutOfMemory(step);
  if (!made.ok()) End(made);
}

void ExportReactor::Opened(absl::StatusOr<std::unique_ptr<StudyExport>> opened) {
  if (!opened.ok()) return End(opened.status());
  export_ = *std::move(opened);
  OrEnd([this] {
    ReadLines();
    return absl::OkStatus();
  });
}

void ExportReactor::ReadLines() {
  service_.NextLines(export_.get(),
                     [this](const absl::StatusOr<v1::ExportStudyResponse>& lines) { Send(lines); });
}

void ExportReactor::Send(const absl::StatusOr<v1::ExportStudyResponse>& lines) {
  if (!lines.ok()) return End(lines.status());
  if (lines->lines().empty()) return End(absl::OkStatus());
  OrEnd([&] {
    message_.Clear();
    bool owned = false;
    const grpc::Status written =
        grpc::SerializationTraits<v1::ExportStudyResponse>::Serialize(*lines, &message_, &owned);
    if (!written.ok()) return absl::InternalError(written.error_message());
    StartWrite(&message_);
    return absl::OkStatus();
  });
}

// A cancelled call fails its next write.
void ExportReactor::OnWriteDone(bool alive) {
  if (!alive) return End(absl::CancelledError("the caller is gone"));
  OrEnd([this]() -> absl::Status {
    SLIPSTREAM_RETURN_IF_ERROR(may_go_on_());
    ReadLines();
    return absl::OkStatus();
  });
}

void ExportReactor::End(const absl::Status& status) {
  Finish(OrNoMemory([&] {
    on_end_(status);
    return ToGrpcStatus(status);
  }));
}

void ExportReactor::OnDone() {
  const CallSetting& setting = setting_;
  const int64_t held_bytes = held_bytes_;
  delete this;
  setting.budget->GiveBack(held_bytes);
  --*setting.under_way;
}

}  // namespace slipstream
