// Converts events from the store to the wire. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_EVENT_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_EVENT_CONVERSION_H_

#include "absl/strings/string_view.h"
#include "server/store/records.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

// `event` must be empty. `study_id` is empty if the study has been deleted and is not remembered.
void EventToProto(absl::string_view study_id, const EventRecord& record, v1::StudyEvent* event);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_EVENT_CONVERSION_H_
