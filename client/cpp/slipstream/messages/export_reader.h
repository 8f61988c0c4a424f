// Reads the lines of an exported study one by one, for studies too large to hold as messages.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_EXPORT_READER_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_EXPORT_READER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/v1/study_export.pb.h"

namespace slipstream {

// Used by one thread at a time.
class ExportReader {
 public:
  virtual ~ExportReader() = default;

  // Goes back to the first line. Also called before the first Next.
  virtual absl::Status Rewind() = 0;

  // Fills `line`, which is empty, with the next one and returns true, or returns
  // false after the last one.
  virtual absl::StatusOr<bool> Next(v1::ExportLine* line) = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_EXPORT_READER_H_
