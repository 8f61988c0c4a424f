// Studies and trials of the server in the client's own words.
#ifndef SLIPSTREAM_CLIENT_CPP_EXISTING_STUDY_H_
#define SLIPSTREAM_CLIENT_CPP_EXISTING_STUDY_H_

#include "google/protobuf/timestamp.pb.h"
#include "slipstream/new_study.h"
#include "slipstream/records.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

// What would create this study.
client::NewStudy DescriptionOf(const v1::Study& message);

google::protobuf::Timestamp TimestampOf(client::TrialRecord::Time time);

// A trial of a study that measures `metric`.
client::TrialRecord RecordOf(const v1::Trial& message, const std::string& metric);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_EXISTING_STUDY_H_
