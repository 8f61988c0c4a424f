// Fills one page of a list.
#ifndef SLIPSTREAM_SERVER_SERVICE_PAGE_H_
#define SLIPSTREAM_SERVER_SERVICE_PAGE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "google/protobuf/message.h"

namespace slipstream {

// A page that is larger is full: most clients accept messages of up to 4 MiB.
inline constexpr size_t kFullPageBytes = size_t{3} << 20;

// Adds records to the answer by `add`, which returns the new entry, until the page
// has `limit` entries or is full. `records` are those after the page token, one more
// than `limit` if there are that many. Returns the last record added if more follow
// it, otherwise null.
template <typename Record>
absl::StatusOr<const Record*> FillPage(
    const std::vector<Record>& records, size_t limit,
    const std::function<absl::StatusOr<const google::protobuf::Message*>(const Record&)>& add) {
  size_t bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const google::protobuf::Message* const entry, add(records[i]));
    bytes += entry->ByteSizeLong();
    if (i + 1 == limit || bytes >= kFullPageBytes) {
      return i + 1 < records.size() ? &records[i] : nullptr;
    }
  }
  return nullptr;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_PAGE_H_
