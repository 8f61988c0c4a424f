// Reads observations one by one, for sets too large to hold as messages.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_OBSERVATION_READER_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_OBSERVATION_READER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// Used by one thread at a time.
class ObservationReader {
 public:
  virtual ~ObservationReader() = default;

  // Goes back to the first observation. Also called before the first Next.
  virtual absl::Status Rewind() = 0;

  // Fills `observation`, which is empty, with the next one and returns true, or
  // returns false after the last one.
  virtual absl::StatusOr<bool> Next(v1::Observation* observation) = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_OBSERVATION_READER_H_
