// How lists are answered, page by page.
#ifndef SLIPSTREAM_SERVER_SERVICE_PAGE_H_
#define SLIPSTREAM_SERVER_SERVICE_PAGE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "google/protobuf/message.h"

namespace slipstream {

// Most clients take messages of up to 4 MiB.
inline constexpr size_t kFullPageBytes = size_t{3} << 20;

// `records` are those that follow the page token: one more than `limit`, if there
// are as many. Adds one after the other to the answer, by `add`, which returns the
// entry, until there are `limit` or the page is full. The last one added, after
// which the next page begins; null if none is left.
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
