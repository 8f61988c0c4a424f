// What people and programs write on trials: labels and a note.
//
// The server takes all labels of a trial at once. They are therefore read, changed and written
// back, and the annotations of one trial take turns, so that threads do not undo each other's.
#ifndef SLIPSTREAM_CLIENT_CPP_ANNOTATIONS_H_
#define SLIPSTREAM_CLIENT_CPP_ANNOTATIONS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cpp/meant_study.h"
#include "google/protobuf/map.h"
#include "slipstream/messages/client.h"
#include "slipstream/records.h"
#include "slipstream/trial.h"

namespace slipstream::client_internal {

using LabelChanges = std::map<std::string, std::optional<std::string>>;
using Labels = google::protobuf::Map<std::string, std::string>;

// Applies the changes; whether any label is then another one.
bool ChangeLabels(const LabelChanges& changes, Labels* labels);

// Thread-safe. `created` is when the trial was created that is meant: NOT_FOUND if the one of this
// name was created at another time. Without it any trial of the name is meant. Nothing is written
// on a trial of another study than `study`.
class Annotations {
 public:
  using Time = std::optional<client::TrialRecord::Time>;

  Annotations(std::shared_ptr<Client> client, MeantStudy study)
      : client_(std::move(client)), study_(std::move(study)) {}

  // The trial as it is now.
  absl::StatusOr<v1::Trial> Read(const std::string& trial, const Time& created);
  // The trial with what was written on it. Sends nothing if that is there already.
  absl::StatusOr<v1::Trial> Write(const std::string& trial, const Time& created,
                                  const client::Annotation& annotation);

 private:
  const std::shared_ptr<Client> client_;
  const MeantStudy study_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_ANNOTATIONS_H_
