// How writes end that are submitted together.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_WRITE_ENDS_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_WRITE_ENDS_H_

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/store/store.h"

namespace slipstream {

// How two writes end, for example "import OK", in the order of their answers, which are given one
// at a time.
struct Ends {
  template <typename Record>
  Write<Record> Noting(const std::string& what, RequestGuard guard = {}) {
    Write<Record> write;
    write.guard = std::move(guard);
    write.render = [what](const Record&) { return what; };
    write.done = [this, what](const absl::Status& status, std::optional<std::string> earlier) {
      ends.push_back(absl::StrCat(what, " ", absl::StatusCodeToString(status.code()),
                                  earlier.has_value() ? " before" : ""));
      if (--left == 0) all.set_value();
    };
    return write;
  }

  int left = 2;
  std::vector<std::string> ends = {};
  std::promise<void> all = {};
};

// Calls `submit` while the store gives an answer: what it submits first has no answer before it
// has submitted all.
inline void SubmitTogether(Store& store, const std::function<void()>& submit) {
  Write<Unit> write;
  write.done = [submit](const absl::Status&, const auto&) { submit(); };
  store.DeleteStudy("absent", std::move(write));
}

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_WRITE_ENDS_H_
