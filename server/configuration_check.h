// What is wrong with the flags and with the files and folders that they name, as a start would find
// it, before the store is opened.
#ifndef SLIPSTREAM_SERVER_CONFIGURATION_CHECK_H_
#define SLIPSTREAM_SERVER_CONFIGURATION_CHECK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/flags.h"
#include "server/telemetry/log.h"

namespace slipstream {

// INVALID_ARGUMENT: it is no address, or the one that calls are served at.
absl::Status CheckMetricsAddress(const Flags& flags);

// INVALID_ARGUMENT: a file to write is also a file of the store, or one that the server reads.
absl::Status CheckFilesApart(const Flags& flags);

// NOT_FOUND: it is not a folder, or cannot be reached.
absl::Status CheckBackupFolder(const Flags& flags);

// All of these and the other files and folders. Reads them, but creates and changes nothing, does
// not open the store, which may be in use, and does not listen. Logs each mistake, and what a start
// would warn of. INVALID_ARGUMENT if the one that a start meets first is in a flag or in what it
// names; FAILED_PRECONDITION if it is about the store.
absl::Status CheckConfiguration(const Flags& flags, Log* log);

// An error about a file that a flag names, as a mistake in the configuration: INVALID_ARGUMENT in
// place of NOT_FOUND, PERMISSION_DENIED and FAILED_PRECONDITION, which last until somebody changes
// the file or the flag. Other errors, such as that a disk is full, may pass.
absl::Status AsMistake(absl::Status status);
template <typename Value>
absl::StatusOr<Value> AsMistake(absl::StatusOr<Value> value) {
  if (value.ok()) return value;
  return AsMistake(value.status());
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONFIGURATION_CHECK_H_
