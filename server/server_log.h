// What the server's program logs from its start to its end: its flags, events inside the service,
// and how it ended.
#ifndef SLIPSTREAM_SERVER_SERVER_LOG_H_
#define SLIPSTREAM_SERVER_SERVER_LOG_H_

#include "server/flags.h"
#include "server/service/service.h"
#include "server/store/store_options.h"
#include "server/telemetry/audit_log.h"
#include "server/telemetry/log.h"

namespace slipstream {

// The flags that an operator looks for first.
LogFields Settings(const Flags& flags);

// Logs what happens to the store, also while it is opened. `log` must outlive the store.
void LogStore(Log* log, StoreOptions* options);

// Logs what happens inside the service. `log` must outlive the service.
void LogEvents(Log* log, ServiceOptions* options);

// Logs each study that is deleted because it was completed long ago, and writes it to the
// audit log if there is one.
// `log` and `audit`, which may be null, must outlive the service.
void LogExpiry(Flags* flags, Log* log, AuditLog* audit);

// Logs by which rungs of the ladder suggestions were made.
void LogEnd(const Service& service, Log* log);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVER_LOG_H_
