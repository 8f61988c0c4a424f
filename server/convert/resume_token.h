// Resume tokens of watches: a place among the events, bound to what is watched and to the history
// of the store, so that a token is not taken for one of what a restored backup went on with. Pure
// functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_RESUME_TOKEN_H_
#define SLIPSTREAM_SERVER_CONVERT_RESUME_TOKEN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/records.h"

namespace slipstream {

// The place after an event.
struct ResumePlace {
  int64_t sequence = 0;
  std::string stamp;  // The event's StampOf; empty if no event has this number.

  friend bool operator==(const ResumePlace&, const ResumePlace&) = default;
};

// A short digest of the event. An event that has the same number in another history of the store,
// or in another store, has a different one.
std::string StampOf(const EventRecord& event);

// `scope` names what is watched.
std::string MakeResumeToken(absl::string_view scope, const ResumePlace& place);

// Also takes the tokens of earlier versions, which have no stamp. INVALID_ARGUMENT, an InvalidField
// on "resume_token", when the token is not one of MakeResumeToken(scope, ...).
absl::StatusOr<ResumePlace> ParseResumeToken(absl::string_view scope, absl::string_view token);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_RESUME_TOKEN_H_
