#include "client/cpp/annotations.h"

#include <mutex>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/existing_study.h"
#include "client/cpp/turns.h"

namespace slipstream::client_internal {
namespace {

using client::Annotation;

bool IsMeant(const v1::Trial& trial, const Annotations::Time& created) {
  if (!created.has_value()) return true;
  const google::protobuf::Timestamp meant = TimestampOf(*created);
  return trial.create_time().seconds() == meant.seconds() &&
         trial.create_time().nanos() == meant.nanos();
}

// Without a mask if nothing changes.
v1::UpdateTrialRequest RequestOf(const MeantStudy& study, const v1::Trial& trial,
                                 const Annotation& annotation) {
  v1::UpdateTrialRequest request;
  study.TellTimeIn(&request);
  request.mutable_trial()->set_name(trial.name());
  if (trial.has_create_time()) *request.mutable_create_time() = trial.create_time();
  *request.mutable_trial()->mutable_labels() = trial.labels();
  if (ChangeLabels(annotation.labels, request.mutable_trial()->mutable_labels())) {
    request.mutable_update_mask()->add_paths("labels");
  }
  if (annotation.note.value_or(trial.note()) != trial.note()) {
    request.mutable_trial()->set_note(*annotation.note);
    request.mutable_update_mask()->add_paths("note");
  }
  return request;
}

}  // namespace

bool ChangeLabels(const LabelChanges& changes, Labels* labels) {
  bool changed = false;
  for (const auto& [key, value] : changes) {
    const auto found = labels->find(key);
    if (!value.has_value()) {
      changed |= labels->erase(key) > 0;
    } else if (found == labels->end() || found->second != *value) {
      (*labels)[key] = *value;
      changed = true;
    }
  }
  return changed;
}

absl::StatusOr<v1::Trial> Annotations::Read(const std::string& trial, const Time& created) {
  absl::StatusOr<v1::Trial> found = client_->GetTrial(trial);
  if (!found.ok() || IsMeant(*found, created)) return found;
  return absl::NotFoundError(absl::StrCat(
      "cannot read ", trial, " on ", client_->options().address, ": ", trial,
      " is not the trial that the call is about, which is gone: its study was deleted and created "
      "again, or an older backup was restored"));
}

absl::StatusOr<v1::Trial> Annotations::Write(const std::string& trial, const Time& created,
                                             const Annotation& annotation) {
  const std::shared_ptr<std::mutex> turn = TurnOf(client_->options().address, trial);
  const std::lock_guard<std::mutex> lock(*turn);
  const absl::StatusOr<v1::Trial> found = Read(trial, created);
  if (!found.ok()) return found;
  v1::UpdateTrialRequest request = RequestOf(study_, *found, annotation);
  if (request.update_mask().paths().empty()) return found;
  return client_->UpdateTrial(std::move(request));
}

}  // namespace slipstream::client_internal
