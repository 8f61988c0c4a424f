#include "server/service/study_service.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "google/protobuf/util/field_mask_util.h"
#include "server/convert/page_token.h"
#include "server/convert/preset_conversion.h"
#include "server/convert/resource_name.h"
#include "server/convert/study_conversion.h"
#include "server/convert/study_limits.h"
#include "server/convert/text_limits.h"
#include "server/convert/transfer_conversion.h"
#include "server/service/call_limits.h"
#include "server/service/fitting_sources.h"
#include "server/service/meant_study.h"
#include "server/service/page.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

using google::protobuf::FieldMask;
using google::protobuf::util::FieldMaskUtil;

// A study's transfer is read from so many latest trials: its state, and its share over time.
constexpr int64_t kTrialsOfState = 8;
constexpr int64_t kTrialsOfShares = 200;

uint64_t RandomBits() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

template <typename Message>
absl::Status CheckMask(absl::string_view field, const FieldMask& mask) {
  for (const std::string& path : mask.paths()) {
    if (!FieldMaskUtil::IsValidPath<Message>(path)) {
      return InvalidField(field, path,
                          absl::StrCat("paths of fields of ", Message::descriptor()->name()));
    }
  }
  return absl::OkStatus();
}

// Whether `mask` asks for the candidate list, which may be large.
bool WantsCandidates(const FieldMask& mask) {
  for (const std::string& path : mask.paths()) {
    if (path == "space" || absl::StartsWith(path, "space.candidates")) return true;
  }
  return false;
}

// Whether `mask` asks for the transfer, which is read from the trials.
bool WantsTransfer(const FieldMask& mask) {
  const auto is_of_transfer = [](const std::string& path) {
    return path == "transfer" || absl::StartsWith(path, "transfer.");
  };
  return mask.paths().empty() ||
         std::any_of(mask.paths().begin(), mask.paths().end(), is_of_transfer);
}

void Trim(const FieldMask& mask, v1::Study* study) {
  if (mask.paths_size() > 0) FieldMaskUtil::TrimMessage(mask, study);
}

absl::StatusOr<StudyState> ChangedState(v1::Study::State state) {
  if (state >= v1::Study::ACTIVE && state <= v1::Study::COMPLETED) {
    return static_cast<StudyState>(state);
  }
  return InvalidField("study.state", absl::StrCat(static_cast<int>(state)),
                      "ACTIVE, PAUSED or COMPLETED");
}

absl::Status TakeChange(const std::string& path, const v1::Study& study, StudyChange* change) {
  if (path == "display_name") {
    change->display_name = study.display_name();
    return CheckText("study.display_name", study.display_name(), kMaxTitleBytes);
  }
  if (path == "labels") {
    change->labels = LabelBytes(study);
    return CheckLabels("study.labels", study.labels());
  }
  if (path == "state") {
    SLIPSTREAM_ASSIGN_OR_RETURN(change->state, ChangedState(study.state()));
    return absl::OkStatus();
  }
  if (path == "lease_policy") {
    absl::StatusOr<LeasePolicy> lease = LeasePolicyFromProto(study.lease_policy());
    if (!lease.ok()) return WithFieldPrefix(lease.status(), "study.lease_policy.");
    change->lease = *lease;
    return absl::OkStatus();
  }
  return InvalidField("update_mask", path, "display_name, labels, state or lease_policy");
}

absl::StatusOr<StudyChange> ChangeOf(const v1::UpdateStudyRequest& request) {
  StudyChange change;
  if (request.update_mask().paths_size() == 0) {
    return InvalidField("update_mask", "empty",
                        "at least one of display_name, labels, state and lease_policy");
  }
  for (const std::string& path : request.update_mask().paths()) {
    SLIPSTREAM_RETURN_IF_ERROR(TakeChange(path, request.study(), &change));
  }
  return change;
}

// Fills in what the creator left open: the seed and the preset.
v1::Study WithDefaults(v1::Study study) {
  if (!study.has_seed()) study.set_seed(RandomBits());
  if (study.algorithm().preset().empty()) {
    study.mutable_algorithm()->set_preset(std::string(kDefaultPreset));
  }
  return study;
}

// If the study asks for all source tasks of a project, its name; the study then lists none.
std::optional<std::string> TakeAllSources(v1::Study* study) {
  if (study->source_tasks_size() != 1) return std::nullopt;
  std::optional<std::string> project = ProjectOfAllSourceTasks(study->source_tasks(0));
  if (project.has_value()) study->clear_source_tasks();
  return project;
}

// Whether checking the study takes long: a list of candidates may be large, and all source tasks of
// a project are looked at.
bool TakesLongToCheck(const v1::Study& study) {
  return study.space().has_candidates() ||
         (study.source_tasks_size() == 1 &&
          ProjectOfAllSourceTasks(study.source_tasks(0)).has_value());
}

}  // namespace

absl::Status StudyService::AddAllSources(const std::string& project, v1::Study* study,
                                         StudyDefinition* definition) {
  SLIPSTREAM_ASSIGN_OR_RETURN(definition->source_ids,
                              FittingSources(store_, project, *definition, kMaxSources,
                                             kMaxSourceBytes));
  for (const std::string& id : definition->source_ids) {
    study->add_source_tasks(NameOfSourceTask(id));
  }
  return absl::OkStatus();
}

absl::Status StudyService::FillStudy(const StudyRecord& record, bool with_candidates,
                                     v1::Study* response) {
  std::string candidates;
  if (with_candidates) {
    SLIPSTREAM_ASSIGN_OR_RETURN(candidates, store_.GetCandidates(record.key));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(*response, StudyToProto(record, candidates));
  return absl::OkStatus();
}

absl::Status StudyService::FillTransfer(const StudyRecord& record, bool with_shares,
                                        v1::Study* response) {
  if (auto unused = UnusedTransfer(*response)) {
    *response->mutable_transfer() = *std::move(unused);
    return absl::OkStatus();
  }
  if (response->source_tasks().empty()) return absl::OkStatus();
  const int64_t count = with_shares ? kTrialsOfShares : kTrialsOfState;
  const absl::StatusOr<std::vector<TrialProvenance>> provenances = store_.ListProvenances(
      StudyRef(record.id, record.key), record.trial_count - count, record.trial_count);
  if (absl::IsNotFound(provenances.status())) return absl::OkStatus();  // Deleted meanwhile.
  SLIPSTREAM_RETURN_IF_ERROR(provenances.status());
  SLIPSTREAM_ASSIGN_OR_RETURN(v1::TransferSummary summary,
                              TransferSummaryOf(response->algorithm(), *provenances, with_shares));
  if (summary.state() != v1::TransferSummary::STATE_UNSPECIFIED) {
    *response->mutable_transfer() = std::move(summary);
  }
  return absl::OkStatus();
}

absl::Status StudyService::StoreNewStudy(const v1::CreateStudyRequest& request, RequestGuard guard,
                                         v1::Study* response, const Done& done) {
  std::string id = request.study_id();
  if (id.empty()) id = absl::StrFormat("study-%016x", RandomBits());
  SLIPSTREAM_RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckStudyId("study_id", id));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string project,
                              ParseProjectName("parent", request.parent()));
  id = StoredId(project, id);
  v1::Study filled = WithDefaults(request.study());
  const std::optional<std::string> all_of = TakeAllSources(&filled);
  absl::StatusOr<StudyDefinition> definition = StudyDefinitionFromProto(filled);
  const absl::Status checked = definition.ok() ? CheckNewStudy(filled) : definition.status();
  SLIPSTREAM_RETURN_IF_ERROR(WithFieldPrefix(checked, "study."));
  SLIPSTREAM_RETURN_IF_ERROR(all_of.has_value() ? AddAllSources(*all_of, &filled, &*definition)
                                                : catalog_.CheckSources(*definition));
  const bool needs_fits = TransferPreparation::NeedsFits(*definition);
  NewStudy study = NewStudyOf(filled, *definition, id);
  std::function<absl::Status(const StudyRecord&, v1::Study*)> convert =
      [](const StudyRecord& record, v1::Study* answer) {
        SLIPSTREAM_ASSIGN_OR_RETURN(*answer, StudyToProto(record, {}));
        if (auto unused = UnusedTransfer(*answer)) *answer->mutable_transfer() = *std::move(unused);
        return absl::OkStatus();
      };
  const Done then_prepare = [this, done, needs_fits, id](absl::Status created) {
    if (created.ok() && needs_fits) transfer_.PrepareStudy(id);
    done(std::move(created));
  };
  store_.CreateStudy(
      std::move(study),
      AnsweringWrite<StudyRecord>(std::move(guard), response, std::move(convert), then_prepare));
  return absl::OkStatus();
}

void StudyService::CreateStudy(const v1::CreateStudyRequest* request, v1::Study* response,
                               Done done) {
  // The list of candidates may be large. The store's one writing thread does not render it, and it
  // is not part of what is remembered for repeats, which bring it again.
  const Done with_candidates = [=, this](const absl::Status& created) {
    const absl::Status handed_on = OrOutOfMemory([&] {
      computations_->Continue([=] {
        done(OrOutOfMemory([&] {
          const v1::SearchSpace& space = request->study().space();
          if (created.ok() && space.has_candidates()) {
            *response->mutable_space()->mutable_candidates() = space.candidates();
          }
          return created;
        }));
      });
      return absl::OkStatus();
    });
    if (!handed_on.ok()) done(handed_on);
  };
  const Done& answered = request->study().space().has_candidates() ? with_candidates : done;
  Executor* const executor = TakesLongToCheck(request->study()) ? computations_ : reads_;
  BeginOn(executor, done, [=, this] {
    RequestGuard guard = GuardOf("CreateStudy", *request);
    if (AnswerRepeat(&store_, guard, response, answered)) return absl::OkStatus();
    return StoreNewStudy(*request, std::move(guard), response, answered);
  });
}

void StudyService::GetStudy(const v1::GetStudyRequest* request, v1::Study* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string id, ParseStudyName("name", request->name()));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMask<v1::Study>("read_mask", request->read_mask()));
    const bool with_candidates =
        request->read_mask().paths_size() == 0 || WantsCandidates(request->read_mask());
    StudyRecord record;
    absl::Status filled;
    do {
      SLIPSTREAM_ASSIGN_OR_RETURN(record, store_.GetStudy(id));
      filled = FillStudy(record, with_candidates, response);
    } while (absl::IsNotFound(filled));  // Deleted, or replaced, between the two reads.
    SLIPSTREAM_RETURN_IF_ERROR(filled);
    if (WantsTransfer(request->read_mask())) {
      SLIPSTREAM_RETURN_IF_ERROR(FillTransfer(record, /*with_shares=*/true, response));
    }
    Trim(request->read_mask(), response);
    return absl::OkStatus();
  });
}

void StudyService::ListStudies(const v1::ListStudiesRequest* request,
                               v1::ListStudiesResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_RETURN_IF_ERROR(CheckCount("page_size", request->page_size(), kMaxPageSize));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMask<v1::Study>("read_mask", request->read_mask()));
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> project,
                                ParseProjectsName("parent", request->parent()));
    const std::string scope =
        absl::StrCat("studies ", FieldMaskUtil::ToString(request->read_mask()), request->parent());
    SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t after, ParsePageToken(scope, request->page_token()));
    const int limit = request->page_size() == 0 ? kDefaultStudiesPerPage : request->page_size();
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<StudyRecord> studies,
                                store_.ListStudies({after, limit + 1, project}));
    const auto add = [&](const StudyRecord& listed) -> absl::StatusOr<const v1::Study*> {
      const absl::StatusOr<StudyRecord> record = store_.GetStudy(listed.id);
      const bool is_gone = record.ok() ? record->key != listed.key
                                       : absl::IsNotFound(record.status());
      if (is_gone) return nullptr;  // Deleted meanwhile.
      SLIPSTREAM_RETURN_IF_ERROR(record.status());
      v1::Study filled;
      const absl::Status status =
          FillStudy(*record, WantsCandidates(request->read_mask()), &filled);
      if (absl::IsNotFound(status)) return nullptr;  // Likewise, between the two reads.
      SLIPSTREAM_RETURN_IF_ERROR(status);
      v1::Study* study = response->add_studies();
      *study = std::move(filled);
      if (WantsTransfer(request->read_mask())) {
        SLIPSTREAM_RETURN_IF_ERROR(FillTransfer(*record, /*with_shares=*/false, study));
      }
      Trim(request->read_mask(), study);
      return study;
    };
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRecord* const last,
                                (FillPage<StudyRecord, v1::Study>(
                                    studies, static_cast<size_t>(limit), full_page_bytes_,
                                    response->mutable_studies(), add)));
    if (last != nullptr) response->set_next_page_token(MakePageToken(scope, last->key));
    return absl::OkStatus();
  });
}

void StudyService::UpdateStudy(const v1::UpdateStudyRequest* request, v1::Study* response,
                               Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  const absl::StatusOr<StudyRef> study =
      MeantStudyOf(*request, "study.name", request->study().name());
  const absl::StatusOr<StudyChange> change = ChangeOf(*request);
  if (status.ok()) status = study.status();
  if (status.ok()) status = change.status();
  if (!status.ok()) return done(status);
  // The candidate list cannot change and may be large, so it is left out.
  std::function<absl::Status(const StudyRecord&, v1::Study*)> convert =
      [](const StudyRecord& record, v1::Study* answer) {
        SLIPSTREAM_ASSIGN_OR_RETURN(*answer, StudyToProto(record, {}));
        return absl::OkStatus();
      };
  store_.UpdateStudy(*study, *change,
                     AnsweringWrite<StudyRecord>(GuardOf("UpdateStudy", *request), response,
                                                 std::move(convert), std::move(done)));
}

void StudyService::DeleteStudy(const v1::DeleteStudyRequest* request,
                               google::protobuf::Empty* response, Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  const absl::StatusOr<StudyRef> study = MeantStudyOf(*request, "name", request->name());
  if (status.ok()) status = study.status();
  if (!status.ok()) return done(status);
  Done forget = [this, id = study->id, done = std::move(done)](absl::Status result) {
    catalog_.ForgetStudy(id);
    done(std::move(result));
  };
  store_.DeleteStudy(
      *study, EmptyAnsweringWrite(GuardOf("DeleteStudy", *request), response, std::move(forget)));
}

void StudyService::ListPresets(const v1::ListPresetsRequest*, v1::ListPresetsResponse* response,
                               Done done) {
  *response = PresetsToProto();
  done(absl::OkStatus());
}

}  // namespace slipstream
