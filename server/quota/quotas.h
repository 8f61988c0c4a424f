// How much each project may take of the server: the limits, and the table of them that is in force.
#ifndef SLIPSTREAM_SERVER_QUOTA_QUOTAS_H_
#define SLIPSTREAM_SERVER_QUOTA_QUOTAS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace slipstream {

enum class QuotaKind { kStudies, kTrials, kSourceTasks, kBytes, kCalls };
inline constexpr size_t kQuotaKinds = static_cast<size_t>(QuotaKind::kCalls) + 1;

// The column of the quota file, for example "studies".
absl::string_view NameOf(QuotaKind kind);

// What one project may have; absent: no limit.
struct Quota {
  std::optional<int64_t> studies = {};
  std::optional<int64_t> trials = {};
  std::optional<int64_t> source_tasks = {};
  std::optional<int64_t> bytes = {};
  std::optional<double> calls_per_second = {};

  // Whether anything that is stored is limited.
  bool LimitsStorage() const { return studies || trials || source_tasks || bytes; }

  friend bool operator==(const Quota&, const Quota&) = default;
};

struct QuotaTable {
  std::map<std::string, Quota, std::less<>> projects = {};
  Quota others = {};  // For each project that is not among them.

  const Quota& Of(absl::string_view project) const;
};

// The quotas in force. Thread-safe.
class Quotas {
 public:
  // With no limits. `file` is named by refusals as the place where limits are set.
  explicit Quotas(std::string file = "") : file_(std::move(file)) {}

  void Replace(QuotaTable table);
  std::shared_ptr<const QuotaTable> table() const;
  Quota Of(absl::string_view project) const { return table()->Of(project); }

  // RESOURCE_EXHAUSTED that says what the project does and which quota forbids it, an
  // OverloadError for kCalls. Not counted: a transaction that refuses may be run again.
  absl::Status Refusal(QuotaKind kind, absl::string_view project, absl::string_view text) const;
  // Counts a refusal with which a caller is answered; does nothing with other statuses.
  void Count(const absl::Status& status);
  // The refusal, which is counted.
  absl::Status Refuse(QuotaKind kind, absl::string_view project, absl::string_view text);
  // Refusals that were counted so far, by kind.
  std::array<int64_t, kQuotaKinds> Refusals() const;

 private:
  const std::string file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const QuotaTable> table_ = std::make_shared<const QuotaTable>();
  std::array<std::atomic<int64_t>, kQuotaKinds> refusals_ = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_QUOTA_QUOTAS_H_
