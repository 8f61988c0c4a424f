#include "server/grpc/grpc_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <atomic>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/grpc/handshake_peers.h"

namespace slipstream {
namespace {

// Both take a plain function, so the log has to be found from there.
std::atomic<Log*> grpc_log{nullptr};
std::atomic<int64_t> failed_handshakes{0};

LogLevel LevelOf(gpr_log_severity severity) {
  switch (severity) {
    case GPR_LOG_SEVERITY_DEBUG:
      return LogLevel::kDebug;
    case GPR_LOG_SEVERITY_INFO:
      return LogLevel::kInfo;
    case GPR_LOG_SEVERITY_ERROR:
      return LogLevel::kWarning;
  }
  return LogLevel::kWarning;
}

LogLevel LevelOf(google::protobuf::LogLevel level) {
  return level == google::protobuf::LOGLEVEL_INFO ? LogLevel::kInfo : LogLevel::kWarning;
}

// The file's name without its folders, which are those of the machine that built the library.
absl::string_view NameOf(const char* file) {
  const absl::string_view path(file);
  return path.substr(path.rfind('/') + 1);
}

// `peer` is empty if it is not known.
void PassOn(const char* library, LogLevel level, const char* file, int line,
            const std::string& peer, const std::string& message) {
  Log* const log = grpc_log.load();
  if (log == nullptr) return;
  const std::string place = absl::StrCat(NameOf(file), ":", line);
  log->WriteLimited(level, absl::StrCat(library, " ", place), library, [&] {
    LogFields fields = {{"at", place}, {"message", message}};
    if (!peer.empty()) fields.insert(fields.begin() + 1, {"peer", peer});
    return fields;
  });
}

void PassOnGrpc(gpr_log_func_args* line) {
  const bool is_handshake = absl::StartsWith(line->message, "Handshake failed");
  if (is_handshake) ++failed_handshakes;
  PassOn("grpc", LevelOf(line->severity), line->file, line->line,
         is_handshake ? PeerOfFailedHandshake() : "", line->message);
}

void NoteUnfinishedHandshake(const std::string& peer) {
  ++failed_handshakes;
  Log* const log = grpc_log.load();
  if (log == nullptr) return;
  constexpr char kEvent[] = "a TLS handshake was not finished";
  log->WriteLimited(LogLevel::kWarning, kEvent, kEvent, [&] {
    return LogFields{{"peer", peer},
                     {"message",
                      "its connection was closed; the caller may not trust the server's "
                      "certificate, or was too slow"}};
  });
}

void PassOnProtobuf(google::protobuf::LogLevel level, const char* file, int line,
                    const std::string& message) {
  PassOn("protobuf", LevelOf(level), file, line, /*peer=*/"", message);
}

}  // namespace

int64_t FailedHandshakes() { return failed_handshakes; }

GrpcLog::GrpcLog(Log* log) {
  grpc_log = log;
  gpr_set_log_function(PassOnGrpc);
  OnUnfinishedHandshake(NoteUnfinishedHandshake);
  google::protobuf::SetLogHandler(PassOnProtobuf);
}

GrpcLog::~GrpcLog() {
  google::protobuf::SetLogHandler(nullptr);
  OnUnfinishedHandshake(nullptr);
  gpr_set_log_function(nullptr);
  grpc_log = nullptr;
}

}  // namespace slipstream
