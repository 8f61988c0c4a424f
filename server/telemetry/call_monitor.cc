#include "server/telemetry/call_monitor.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// What calls of methods that the server does not have are called; methods begin with a capital.
constexpr char kUnknownMethod[] = "unknown";

// How much a call's end matters to an operator: refusals are the caller's business, failures and
// exhausted limits the operator's.
LogLevel LevelOf(Rpc rpc, absl::StatusCode code) {
  // Clients ask whether there is a study before they create it.
  if (rpc == Rpc::kGetStudy && code == absl::StatusCode::kNotFound) return LogLevel::kDebug;
  switch (code) {
    case absl::StatusCode::kOk:
      return LogLevel::kDebug;
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kDeadlineExceeded:
      return LogLevel::kWarning;
    default:
      return LogLevel::kInfo;
  }
}

// A deletion cannot be undone, and whoever misses a study asks who deleted it. An import may
// replace one.
LogLevel LevelOfChange(Rpc rpc) {
  const bool may_delete = rpc == Rpc::kDeleteStudy || rpc == Rpc::kDeleteSourceTask ||
                          rpc == Rpc::kImportStudy;
  return may_delete ? LogLevel::kInfo : LogLevel::kDebug;
}

void AddFacts(const CallFacts& facts, LogFields* fields) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) fields->push_back({name, value});
  };
  add("resource", facts.resource);
  add("worker", facts.worker);
  add("request_id", facts.request_id);
  add("options", facts.options);
  add("peer", facts.peer);
}

LogFields FieldsOf(Rpc rpc, const absl::Status& status, absl::Duration took,
                   const CallFacts& facts) {
  LogFields fields = {{"method", std::string(EntryOf(rpc).name)},
                      {"code", absl::StatusCodeToString(status.code())}};
  if (!facts.caller.empty()) fields.push_back({"caller", facts.caller});
  AddFacts(facts, &fields);
  fields.push_back({"ms", absl::ToDoubleMilliseconds(took)});
  if (!status.message().empty()) fields.push_back({"message", std::string(status.message())});
  return fields;
}

}  // namespace

CallMonitor::~CallMonitor() {
  for (auto& of_rpc : seconds_) {
    for (std::atomic<Histogram*>& each : of_rpc) delete each.load();
  }
}

Histogram& CallMonitor::SecondsOf(size_t method, absl::StatusCode code) {
  const size_t place = std::min(static_cast<size_t>(code), kCodes - 1);
  std::atomic<Histogram*>& slot = seconds_[method][place];
  if (Histogram* const there = slot.load(std::memory_order_acquire)) return *there;
  auto made = std::make_unique<Histogram>(DurationBounds());
  Histogram* expected = nullptr;
  if (slot.compare_exchange_strong(expected, made.get())) return *made.release();
  return *expected;  // Another thread was quicker.
}

void CallMonitor::End(Rpc rpc, const absl::Status& status, absl::Duration took,
                      absl::FunctionRef<CallFacts()> facts) {
  open_.fetch_sub(1, std::memory_order_relaxed);
  SecondsOf(static_cast<size_t>(rpc), status.code()).Observe(absl::ToDoubleSeconds(took));
  if (MayHaveToAudit(rpc, status)) {
    const CallFacts known = facts();
    const bool has_effect = !known.only_validates || options_.audit_reads;
    if (has_effect && (status.ok() || known.has_begun)) Audit(rpc, known);
  }
  LogEnd(rpc, status, took, facts);
}

void CallMonitor::CountUnknown(const absl::Status& status, const std::string& peer) {
  SecondsOf(kMethods - 1, status.code()).Observe(0);
  log_.WriteLimited(LogLevel::kInfo, kUnknownMethod, "call refused", [&] {
    return LogFields{{"method", kUnknownMethod},
                     {"code", absl::StatusCodeToString(status.code())},
                     {"peer", peer},
                     {"message", std::string(status.message())}};
  });
}

// Whoever watches or exports has read until the call ended, however it ended.
bool CallMonitor::MayHaveToAudit(Rpc rpc, const absl::Status& status) const {
  if (options_.audit == nullptr) return false;
  const RpcEntry& entry = EntryOf(rpc);
  if (!IsAudited(entry) && !options_.audit_reads) return false;
  return status.ok() || entry.lasts;
}

// The call has ended, so that all that can be done about a failure is to report it.
void CallMonitor::Audit(Rpc rpc, const CallFacts& facts) {
  LogFields fields = {{"caller", facts.caller}, {"method", std::string(EntryOf(rpc).name)}};
  AddFacts(facts, &fields);
  const absl::Status written = options_.audit->Write(fields);
  if (written.ok()) return;
  const char* const event = IsAudited(EntryOf(rpc)) ? "a change is missing from the audit log"
                                                    : "a read is missing from the audit log";
  log_.WriteLimited(LogLevel::kError, event, event, [&] {
    fields.push_back({"message", std::string(written.message())});
    return fields;
  });
}

void CallMonitor::LogEnd(Rpc rpc, const absl::Status& status, absl::Duration took,
                         absl::FunctionRef<CallFacts()> facts) {
  const RpcEntry& entry = EntryOf(rpc);
  const auto fields = [&] { return FieldsOf(rpc, status, took, facts()); };
  // Watchers end their calls by cancelling them.
  if (entry.lasts && absl::IsCancelled(status)) return;
  if (!status.ok()) {
    const std::string key = absl::StrCat(entry.name, " ", absl::StatusCodeToString(status.code()));
    const LogLevel level = LevelOf(rpc, status.code());
    const bool is_refused = level != LogLevel::kWarning || absl::IsResourceExhausted(status);
    log_.WriteLimited(level, key, is_refused ? "call refused" : "call failed", fields);
  } else if (entry.changes && log_.Takes(LevelOfChange(rpc))) {
    const CallFacts known = facts();
    log_.Write(LevelOfChange(rpc), known.only_validates ? "validated" : "changed",
               FieldsOf(rpc, status, took, known));
  }
  if (took > options_.slow && !entry.lasts) {
    log_.WriteLimited(LogLevel::kWarning, absl::StrCat("slow ", entry.name), "slow call", fields);
  }
}

std::vector<CallMonitor::Answered> CallMonitor::Figures() const {
  std::vector<Answered> figures;
  for (size_t method = 0; method < kMethods; ++method) {
    const auto rpc = method < kRpcCount ? std::optional(static_cast<Rpc>(method)) : std::nullopt;
    for (size_t code = 0; code < kCodes; ++code) {
      const Histogram* const seconds = seconds_[method][code].load(std::memory_order_acquire);
      if (seconds == nullptr) continue;
      figures.push_back({rpc, static_cast<absl::StatusCode>(code), seconds->Figures()});
    }
  }
  return figures;
}

}  // namespace slipstream
