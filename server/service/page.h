// Fills one page of a list.
#ifndef SLIPSTREAM_SERVER_SERVICE_PAGE_H_
#define SLIPSTREAM_SERVER_SERVICE_PAGE_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace slipstream {

// A page that is larger is full: most clients accept messages of up to 4 MiB.
inline constexpr size_t kFullPageBytes = size_t{3} << 20;

// The same where messages may have at most so many bytes, of which a part is for what is around
// the entries.
inline size_t FullPageBytes(int max_message_bytes) {
  return std::min(kFullPageBytes, static_cast<size_t>(max_message_bytes) / 8 * 7);
}

// The entries of a page of a call that does not say how many it wants.
inline constexpr int kDefaultTrialsPerPage = 100;
inline constexpr int kDefaultStudiesPerPage = 50;
inline constexpr int kDefaultSourceTasksPerPage = 50;
inline constexpr int kDefaultObservationsPerPage = 1000;

// Adds records to `entries` of the answer by `add`, which returns the new entry, or null if there
// is none for the record, until `limit` records are looked at or the page has `full_bytes`.
// Only an entry that is larger alone makes a page larger than that.
// `records` are those after the page token, one more than `limit` if there are that
// many. Returns the last record looked at if more follow it, otherwise null.
template <typename Record, typename Entry>
absl::StatusOr<const Record*> FillPage(
    const std::vector<Record>& records, size_t limit, size_t full_bytes,
    google::protobuf::RepeatedPtrField<Entry>* entries,
    const std::function<absl::StatusOr<const Entry*>(const Record&)>& add) {
  size_t bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Entry* const entry, add(records[i]));
    const size_t entry_bytes = entry != nullptr ? entry->ByteSizeLong() : 0;
    if (bytes > 0 && bytes + entry_bytes > full_bytes) {
      entries->RemoveLast();
      return &records[i - 1];
    }
    bytes += entry_bytes;
    if (i + 1 == limit || bytes >= full_bytes) {
      return i + 1 < records.size() ? &records[i] : nullptr;
    }
  }
  return nullptr;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_PAGE_H_
