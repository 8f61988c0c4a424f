#include "server/quota/quota_file.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/file/column_file.h"

namespace slipstream {
namespace {

constexpr absl::string_view kNoLimit = "-";
constexpr absl::string_view kOthers = "*";

using Count = std::optional<int64_t>;

absl::StatusOr<Count> ParseCount(QuotaKind kind, absl::string_view text) {
  if (text == kNoLimit) return Count();
  int64_t value = 0;
  if (absl::SimpleAtoi(text, &value) && value >= 0 && value <= kMostQuota) return Count(value);
  return InvalidField(NameOf(kind), text,
                      absl::StrCat("a number from 0 to ", kMostQuota, ", or \"-\""));
}

absl::StatusOr<std::optional<double>> ParseCalls(absl::string_view text) {
  if (text == kNoLimit) return std::optional<double>();
  double value = 0;
  if (absl::SimpleAtod(text, &value) && value >= kLeastCallsPerSecond &&
      value <= static_cast<double>(kMostCallsPerSecond)) {
    return std::optional<double>(value);
  }
  return InvalidField(NameOf(QuotaKind::kCalls), text,
                      absl::StrCat("a number from ", kLeastCallsPerSecond, " to ",
                                   kMostCallsPerSecond, ", or \"-\""));
}

absl::StatusOr<Quota> ParseQuota(const std::vector<absl::string_view>& columns) {
  Quota quota;
  SLIPSTREAM_ASSIGN_OR_RETURN(quota.studies, ParseCount(QuotaKind::kStudies, columns[1]));
  SLIPSTREAM_ASSIGN_OR_RETURN(quota.trials, ParseCount(QuotaKind::kTrials, columns[2]));
  SLIPSTREAM_ASSIGN_OR_RETURN(quota.source_tasks, ParseCount(QuotaKind::kSourceTasks, columns[3]));
  SLIPSTREAM_ASSIGN_OR_RETURN(const Count mib, ParseCount(QuotaKind::kBytes, columns[4]));
  if (mib.has_value()) quota.bytes = *mib << 20;
  SLIPSTREAM_ASSIGN_OR_RETURN(quota.calls_per_second, ParseCalls(columns[5]));
  return quota;
}

// Adds lines to a table.
class TableMaker {
 public:
  absl::Status Take(const std::vector<absl::string_view>& columns) {
    if (columns.size() != 6) {
      return absl::InvalidArgumentError(absl::StrCat("there are ", columns.size(),
                                                     " columns instead of six: project, studies, "
                                                     "trials, sources, mib and calls_per_second"));
    }
    const absl::string_view project = columns[0];
    SLIPSTREAM_ASSIGN_OR_RETURN(const Quota quota, ParseQuota(columns));
    if (project == kOthers) {
      if (std::exchange(has_others_, true)) return HasLine(project);
      table_.others = quota;
      return absl::OkStatus();
    }
    SLIPSTREAM_RETURN_IF_ERROR(CheckShortName("the project", project));
    const bool is_new = table_.projects.emplace(project, quota).second;
    return is_new ? absl::OkStatus() : HasLine(project);
  }

  QuotaTable Table() && { return std::move(table_); }

 private:
  static absl::Status HasLine(absl::string_view project) {
    return absl::InvalidArgumentError(absl::StrCat(project, " has a line already"));
  }

  QuotaTable table_;
  bool has_others_ = false;
};

}  // namespace

absl::StatusOr<QuotaTable> ParseQuotaFile(absl::string_view text) {
  TableMaker maker;
  SLIPSTREAM_RETURN_IF_ERROR(ForEachLine(
      text,
      [&maker](const std::vector<absl::string_view>& columns) { return maker.Take(columns); }));
  return std::move(maker).Table();
}

absl::StatusOr<QuotaTable> ReadQuotaFile(const std::string& path) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string text, ReadOwnersFile("the quota file", path));
  absl::StatusOr<QuotaTable> table = ParseQuotaFile(text);
  if (table.ok()) return table;
  return absl::InvalidArgumentError(
      absl::StrCat("the quota file ", path, ", ", table.status().message()));
}

}  // namespace slipstream
