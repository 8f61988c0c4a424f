// Erases the trials of deleted studies, with their provenances and reports: about a thousand in one
// step, and fewer if they are large or have many reports.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_

#include "server/store/sqlite/row_purge.h"

namespace slipstream::sqlite {

extern const PurgeKind kTrialsOfStudies;

// By study key; the places are trial numbers.
class StudyPurge : public RowPurge {
 public:
  explicit StudyPurge(Connection* connection) : RowPurge(connection, kTrialsOfStudies) {}
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_STUDY_PURGE_H_
