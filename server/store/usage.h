// What a project takes of the store. Bytes are those that callers gave and some for each row,
// rather than those of files: every backend counts the same, and what a project has does not depend
// on what the others do.
//
//   a study        its definition and its list of candidates
//   a trial        its configuration, provenance, measurement, reason, labels and note, 24 for each
//                  of its reports, and 200 for the row
//   a source task  its definition and its observations
//
// The answers that are remembered count on their own, as they are forgotten by themselves: each
// answer with 200 for the row.
#ifndef SLIPSTREAM_SERVER_STORE_USAGE_H_
#define SLIPSTREAM_SERVER_STORE_USAGE_H_

#include <cstdint>
#include <map>
#include <string>

#include "server/store/records.h"

namespace slipstream {

struct ProjectUsage {
  int64_t studies = 0;
  int64_t trials = 0;
  int64_t source_tasks = 0;
  int64_t bytes = 0;

  ProjectUsage& operator+=(const ProjectUsage& other);
  ProjectUsage& operator-=(const ProjectUsage& other);
  friend bool operator==(const ProjectUsage&, const ProjectUsage&) = default;
};

// By project; those that have nothing may be missing.
using UsageByProject = std::map<std::string, ProjectUsage, std::less<>>;

int64_t StoredBytesOf(const NewStudy& study);
int64_t StoredBytesOf(const NewTrial& trial);
int64_t StoredBytesOf(const ImportedTrial& trial);
int64_t StoredBytesOf(const NewSourceTask& task);
// The answer is that to a request id.
int64_t StoredBytesOfAnswer(const std::string& answer);
// Without its provenance, which never changes.
int64_t StoredBytesOf(const TrialRecord& trial);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_USAGE_H_
