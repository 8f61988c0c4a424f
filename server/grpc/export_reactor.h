// One ExportStudy call: reads the lines of a study a few at a time and sends them, the next ones
// once the caller has taken those before.
#ifndef SLIPSTREAM_SERVER_GRPC_EXPORT_REACTOR_H_
#define SLIPSTREAM_SERVER_GRPC_EXPORT_REACTOR_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/grpc/call_setting.h"
#include "server/service/exchange_service.h"

namespace slipstream {

// Deletes itself when the call is done. One step of the call goes on at a time.
class ExportReactor : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  // `open` opens the export: it takes what to call with it.
  using Open = std::function<void(const ExchangeService::Opened& opened)>;
  // Whether the caller may still read; asked before each message but the first.
  using MayGoOn = std::function<absl::Status()>;
  // Told how the call ends, just before the caller is.
  using OnEnd = std::function<void(const absl::Status&)>;

  // `setting` and `service` must outlive the call.
  ExportReactor(const CallSetting& setting, ExchangeService* service, const Open& open,
                MayGoOn may_go_on, OnEnd on_end);

  void OnWriteDone(bool alive) override;
  void OnDone() override;

 private:
  void Opened(absl::StatusOr<std::unique_ptr<StudyExport>> opened);
  void ReadLines();
  void Send(const absl::StatusOr<v1::ExportStudyResponse>& lines);
  // Ends the call if the step fails or runs out of memory.
  void OrEnd(absl::FunctionRef<absl::Status()> step);
  void End(const absl::Status& status);

  const CallSetting& setting_;
  ExchangeService& service_;
  const MayGoOn may_go_on_;
  const OnEnd on_end_;
  int64_t held_bytes_ = 0;  // Taken from the memory budget.
  std::unique_ptr<StudyExport> export_;
  grpc::ByteBuffer message_;  // On its way to the caller.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_EXPORT_REACTOR_H_
