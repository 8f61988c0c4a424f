// Names of studies: as people write them, in parts, and as the server has them.
#ifndef SLIPSTREAM_CLIENT_CPP_STUDY_NAME_H_
#define SLIPSTREAM_CLIENT_CPP_STUDY_NAME_H_

#include <string>

#include "absl/status/statusor.h"

namespace slipstream::client_internal {

struct StudyName {
  std::string project;  // Never empty: "default" for studies of no other project.
  std::string id;

  // "studies/digits", or "projects/vision/studies/digits".
  std::string Full() const;
  // As people write it: "digits", or "projects/vision/studies/digits".
  std::string Short() const;
};

// "" for the project "default", which names may leave out, and otherwise "projects/vision/".
std::string ProjectPrefix(const std::string& project);

// The name that `text` is in full, where "studies/digits" is of the project "default" as it is on
// the server, or of the study with this id in `project` or, if that is empty,
// in `otherwise`, which may be empty too. INVALID_ARGUMENT for what is no name of a study, for one
// in another project than `project`, and where "-", all projects, leaves open which one is meant.
absl::StatusOr<StudyName> ReadStudyName(const std::string& text, const std::string& project,
                                        const std::string& otherwise);

// The parts of a name that the server sent.
StudyName StudyNameOf(const std::string& full);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_STUDY_NAME_H_
