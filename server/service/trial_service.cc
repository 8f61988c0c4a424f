#include "server/service/trial_service.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "core/study/fact_meanings.h"
#include "google/protobuf/util/field_mask_util.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/page_token.h"
#include "server/convert/resource_name.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"
#include "server/service/call_limits.h"
#include "server/service/meant_study.h"
#include "server/service/meant_trial.h"
#include "server/service/page.h"
#include "server/service/suggest_call.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

using google::protobuf::util::FieldMaskUtil;


absl::StatusOr<SuggestCall> SuggestCallOf(const v1::SuggestRequest& request) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckName("worker", request.worker()));
  SLIPSTREAM_RETURN_IF_ERROR(CheckCount("count", request.count(), kMaxTrialsPerCall));
  SuggestCall call;
  SLIPSTREAM_ASSIGN_OR_RETURN(call.study_id, ParseStudyName("study", request.study()));
  SLIPSTREAM_ASSIGN_OR_RETURN(call.study_create_ms, StudyCreateMsOf(request));
  call.worker = request.worker();
  SLIPSTREAM_ASSIGN_OR_RETURN(call.process, WorkerProcessFromProto(request.process()));
  call.count = request.count() == 0 ? 1 : request.count();
  call.guard = GuardOf("Suggest", request);
  return call;
}

absl::Status CheckObservationCount(const v1::AddTrialsRequest& request) {
  if (request.observations_size() >= 1 && request.observations_size() <= kMaxTrialsPerCall) {
    return absl::OkStatus();
  }
  return InvalidField("observations", absl::StrCat(request.observations_size(), " observations"),
                      absl::StrCat("1 to ", kMaxTrialsPerCall));
}

absl::StatusOr<std::vector<NewTrial>> AddedTrials(const StudyDefinition& definition,
                                                  const v1::AddTrialsRequest& request) {
  std::vector<NewTrial> trials;
  for (int i = 0; i < request.observations_size(); ++i) {
    absl::StatusOr<NewTrial> trial =
        AddedTrial(*definition.space, definition.metric, request.observations(i));
    if (!trial.ok()) {
      return WithFieldPrefix(trial.status(), absl::StrCat("observations[", i, "]."));
    }
    trials.push_back(*std::move(trial));
  }
  return trials;
}

absl::StatusOr<TrialChange> ChangeOf(const v1::UpdateTrialRequest& request) {
  TrialChange change;
  if (request.update_mask().paths_size() == 0) {
    return InvalidField("update_mask", "empty", "labels, note or both");
  }
  for (const std::string& path : request.update_mask().paths()) {
    if (path == "labels") {
      SLIPSTREAM_RETURN_IF_ERROR(CheckLabels("trial.labels", request.trial().labels()));
      change.labels = LabelBytes(request.trial());
    } else if (path == "note") {
      SLIPSTREAM_RETURN_IF_ERROR(CheckText("trial.note", request.trial().note(), kMaxNoteBytes));
      change.note = request.trial().note();
    } else {
      return InvalidField("update_mask", path, "labels or note");
    }
  }
  return change;
}

absl::StatusOr<Annotation> AnnotationOf(const v1::UpdateTrialRequest& request) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const MeantTrial trial,
                              MeantTrialOf(request, "trial.name", request.trial().name()));
  Annotation annotation;
  annotation.study.id = trial.name.study_id;
  annotation.number = trial.name.number;
  annotation.create_ms = trial.create_ms;
  SLIPSTREAM_ASSIGN_OR_RETURN(annotation.study.create_ms, StudyCreateMsOf(request));
  SLIPSTREAM_ASSIGN_OR_RETURN(annotation.change, ChangeOf(request));
  return annotation;
}

absl::StatusOr<TrialFilter> FilterOf(const v1::ListTrialsRequest& request) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckCount("page_size", request.page_size(), kMaxPageSize));
  TrialFilter filter;
  filter.limit = request.page_size() == 0 ? kDefaultTrialsPerPage : request.page_size();
  for (int i = 0; i < request.states_size(); ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const TrialState state,
        TrialStateFromProto(absl::StrCat("states[", i, "]"), request.states(i)));
    filter.states.push_back(state);
  }
  for (const std::string& path : request.read_mask().paths()) {
    if (!FieldMaskUtil::IsValidPath<v1::Trial>(path)) {
      return InvalidField("read_mask", path, "paths of fields of Trial");
    }
  }
  return filter;
}

// Names what is listed, for the page token. Another study may get the name after a deletion.
std::string ScopeOf(const v1::ListTrialsRequest& request, int64_t study_key) {
  std::string scope = absl::StrCat("trials of ", request.study(), " ", study_key, " ",
                                   FieldMaskUtil::ToString(request.read_mask()), " in");
  for (const int state : request.states()) absl::StrAppend(&scope, " ", state);
  return scope;
}

}  // namespace

void TrialService::Suggest(const v1::SuggestRequest* request, v1::SuggestResponse* response,
                           Done done, std::function<bool()> is_cancelled) {
  absl::StatusOr<SuggestCall> call = SuggestCallOf(*request);
  if (!call.ok()) return done(call.status());
  call->response = response;
  call->done = std::move(done);
  call->is_cancelled = std::move(is_cancelled);
  queue_.Suggest(*std::move(call));
}

void TrialService::Observe(const v1::ObserveRequest* request, v1::Trial* response, Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  const absl::StatusOr<MeantTrial> trial = MeantTrialOf(*request, "trial", request->trial());
  if (status.ok()) status = trial.status();
  if (!status.ok()) return done(status);
  finder_.WithStudy(trial->name.study_id, done,
                    [=, this, meant = *trial](const StudyPointer& study, Done answer) {
                      StoreOutcome(study, *request, meant, response, std::move(answer));
                    });
}

void TrialService::StoreOutcome(const StudyPointer& study, const v1::ObserveRequest& request,
                                const MeantTrial& trial, v1::Trial* response, Done done) {
  absl::StatusOr<TrialOutcome> outcome =
      OutcomeFromProto(study->definition.metric, request.outcome());
  if (!outcome.ok()) {
    return RefuseMeant(&store_, reads_, trial, WithFieldPrefix(outcome.status(), "outcome."), done);
  }
  Write<TrialRecord> write;
  write.guard = GuardOf("Observe", request);
  // A trial that has ended never changes, so the trial itself is the first answer, and only
  // when it was created needs to be remembered: another one may have its name by then. It is
  // converted after the commit, not on the store's one writing thread.
  auto ended = std::make_shared<TrialRecord>();
  write.render = [ended](const TrialRecord& record) {
    *ended = record;
    return absl::StrCat(record.create_ms);
  };
  write.done = [=, this, done = std::move(done)](absl::Status status,
                                                 std::optional<std::string> earlier) {
    if (!status.ok()) return done(std::move(status));
    if (!earlier) queue_.PrepareAhead(study);
    if (earlier) return ReadEnded(trial, *earlier, response, done);
    response->Clear();
    done(TrialOutlineToProto(study->id, *ended, response));
  };
  const bool maximize = study->definition.goal == Goal::kMaximize;
  store_.ObserveTrial(
      {study->ref(), trial.name.number, *std::move(outcome), maximize, trial.create_ms},
      std::move(write));
}

void TrialService::ReadEnded(MeantTrial trial, const std::string& created, v1::Trial* response,
                             Done done) {
  int64_t create_ms = 0;  // Older servers remembered nothing.
  if (absl::SimpleAtoi(created, &create_ms)) trial.create_ms = create_ms;
  AnswerOn(reads_, done, [=, this, name = trial.name]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrialRecord record,
                                store_.GetTrial(name.study_id, name.number));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(trial, record.create_ms));
    if (!HasEnded(record.state)) return TrialReplaced(name.study_id, name.number);
    response->Clear();
    return TrialOutlineToProto(name.study_id, record, response);
  });
}

void TrialService::AddTrials(const v1::AddTrialsRequest* request, v1::AddTrialsResponse* response,
                             Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  if (status.ok()) status = CheckObservationCount(*request);
  const absl::StatusOr<StudyRef> meant = MeantStudyOf(*request, "study", request->study());
  if (status.ok()) status = meant.status();
  if (!status.ok()) return done(status);
  const Done unless_gone = [=, this](absl::Status answer) {
    if (!absl::IsNotFound(answer)) return done(std::move(answer));
    AnswerRepeatOr(std::move(answer), *request, response, done);
  };
  finder_.WithStudy(
      meant->id, unless_gone,
      [=, this, create_ms = meant->create_ms](const StudyPointer& study, Done answer) {
        const bool is_meant = create_ms.value_or(study->create_ms) == study->create_ms;
        if (!is_meant) return answer(StudyReplaced(study->id));
        StoreAddedTrials(study, *request, response, std::move(answer));
      });
}

void TrialService::AnswerRepeatOr(absl::Status refusal, const v1::AddTrialsRequest& request,
                                  v1::AddTrialsResponse* response, const Done& done) {
  BeginOn(reads_, done,
          [=, this, guard = GuardOf("AddTrials", request), refusal = std::move(refusal)] {
            return AnswerRepeat(&store_, guard, response, done) ? absl::OkStatus() : refusal;
          });
}

void TrialService::StoreAddedTrials(const StudyPointer& study, const v1::AddTrialsRequest& request,
                                    v1::AddTrialsResponse* response, Done done) {
  absl::StatusOr<std::vector<NewTrial>> trials = AddedTrials(study->definition, request);
  // The study may have another space than the one that the first request was about.
  if (!trials.ok()) return AnswerRepeatOr(trials.status(), request, response, done);
  using Records = std::vector<TrialRecord>;
  std::function<absl::Status(const Records&, v1::AddTrialsResponse*)> convert =
      [id = study->id](const Records& records, v1::AddTrialsResponse* answer) -> absl::Status {
    for (const TrialRecord& record : records) {
      SLIPSTREAM_RETURN_IF_ERROR(TrialToProto(id, record, answer->add_trials()));
    }
    return absl::OkStatus();
  };
  const bool maximize = study->definition.goal == Goal::kMaximize;
  store_.AddTrials({study->ref(), *std::move(trials), maximize},
                   AnsweringWrite<Records>(GuardOf("AddTrials", request), response,
                                           std::move(convert), std::move(done)));
}

void TrialService::UpdateTrial(const v1::UpdateTrialRequest* request, v1::Trial* response,
                               Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  absl::StatusOr<Annotation> annotation = AnnotationOf(*request);
  if (status.ok()) status = annotation.status();
  if (!status.ok()) return done(status);
  std::function<absl::Status(const TrialRecord&, v1::Trial*)> convert =
      [id = annotation->study.id](const TrialRecord& record, v1::Trial* answer) {
        return TrialToProto(id, record, answer);
      };
  store_.UpdateTrial(*std::move(annotation),
                     AnsweringWrite<TrialRecord>(GuardOf("UpdateTrial", *request), response,
                                                 std::move(convert), std::move(done)));
}

void TrialService::GetTrial(const v1::GetTrialRequest* request, v1::Trial* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const MeantTrial meant,
                                MeantTrialOf(*request, "name", request->name()));
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrialRecord record,
                                store_.GetTrial(meant.name.study_id, meant.name.number));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(meant, record.create_ms));
    return TrialToProto(meant.name.study_id, record, response);
  });
}

void TrialService::ListTrials(const v1::ListTrialsRequest* request,
                              v1::ListTrialsResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRef meant,
                                MeantStudyOf(*request, "study", request->study()));
    SLIPSTREAM_ASSIGN_OR_RETURN(TrialFilter filter, FilterOf(*request));
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRecord found, store_.GetStudySummary(meant));
    const StudyRef study(meant.id, found.key);
    const std::string scope = ScopeOf(*request, found.key);
    SLIPSTREAM_ASSIGN_OR_RETURN(filter.after_number, ParsePageToken(scope, request->page_token()));
    const size_t page_size = static_cast<size_t>(filter.limit++);
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<TrialRecord> trials,
                                store_.ListTrials(study, filter));
    const auto add = [&](const TrialRecord& record) -> absl::StatusOr<const v1::Trial*> {
      v1::Trial* trial = response->add_trials();
      SLIPSTREAM_RETURN_IF_ERROR(TrialToProto(study.id, record, trial));
      if (request->read_mask().paths_size() > 0) {
        FieldMaskUtil::TrimMessage(request->read_mask(), trial);
      }
      return trial;
    };
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const TrialRecord* const last,
        (FillPage<TrialRecord, v1::Trial>(trials, page_size, full_page_bytes_,
                                          response->mutable_trials(), add)));
    if (last != nullptr) response->set_next_page_token(MakePageToken(scope, last->number));
    return absl::OkStatus();
  });
}

void TrialService::BestTrials(const v1::BestTrialsRequest* request,
                              v1::BestTrialsResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const StudyRef meant,
                                MeantStudyOf(*request, "study", request->study()));
    SLIPSTREAM_RETURN_IF_ERROR(CheckCount("count", request->count(), kMaxTrialsPerCall));
    return finder_.ReadStudy(meant.id, [&](const CatalogStudy& study) -> absl::Status {
      StudyRef of_goal = study.ref();
      of_goal.create_ms = meant.create_ms;
      SLIPSTREAM_ASSIGN_OR_RETURN(
          const std::vector<TrialRecord> trials,
          store_.BestTrials(of_goal, study.definition.goal == Goal::kMaximize,
                            request->count() == 0 ? 1 : request->count()));
      for (const TrialRecord& record : trials) {
        SLIPSTREAM_RETURN_IF_ERROR(TrialToProto(meant.id, record, response->add_trials()));
      }
      return absl::OkStatus();
    });
  });
}

void TrialService::Explain(const v1::ExplainRequest* request, v1::Explanation* response,
                           Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const MeantTrial meant,
                                MeantTrialOf(*request, "trial", request->trial()));
    SLIPSTREAM_ASSIGN_OR_RETURN(const ExplainedTrial explained,
                                store_.GetExplainedTrial(meant.name.study_id, meant.name.number));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(meant, explained.trial.create_ms));
    SLIPSTREAM_RETURN_IF_ERROR(
        TrialToProto(meant.name.study_id, explained.trial, response->mutable_trial()));
    if (explained.provenance.empty()) return absl::OkStatus();
    if (!response->mutable_provenance()->ParseFromString(explained.provenance)) {
      return absl::DataLossError(
          absl::StrCat("the provenance of ", request->trial(), " cannot be read from the store"));
    }
    for (const v1::Provenance::Fact& fact : response->provenance().facts()) {
      const absl::string_view meaning = MeaningOfFact(fact.name());
      if (meaning.empty()) continue;
      (*response->mutable_fact_meanings())[fact.name()] = std::string(meaning);
    }
    return absl::OkStatus();
  });
}

}  // namespace slipstream
