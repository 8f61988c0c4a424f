// What the writes of one transaction work with.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_SESSION_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_SESSION_H_

#include <cstdint>

#include "server/store/sqlite/answers.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/study_heads.h"
#include "server/store/sqlite/study_purge.h"

namespace slipstream::sqlite {

class WriteSession {
 public:
  WriteSession(Connection* writer, int64_t retention_ms, int64_t most_trials)
      : connection(*writer),
        heads(writer, /*capacity=*/1024),
        answers(writer, retention_ms),
        purge(writer),
        max_trials_per_study(most_trials) {}

  Connection& connection;
  StudyHeads heads;
  Answers answers;
  StudyPurge purge;
  const int64_t max_trials_per_study;
  int64_t now_ms = 0;  // When the transaction began.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_WRITE_SESSION_H_
