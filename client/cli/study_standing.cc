#include "client/cli/study_standing.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/source_titles.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {
namespace {

absl::Status PrintAsItStands(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const v1::Study study, session.client().GetStudy(name));
  ASSIGN_OR_RETURN(const Standing standing, ReadStanding(study, session));
  PrintStudy(study, session, standing);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Standing> ReadStanding(const v1::Study& study, Session& session) {
  Standing standing;
  if (session.format() == Format::kTable) {
    standing.source_titles = ReadSourceTitles(FirstSources(study), session.client());
  }
  if (study.succeeded_trial_count() > 0) {
    ASSIGN_OR_RETURN(std::vector<v1::Trial> best, session.client().BestTrials(study.name()));
    if (!best.empty()) standing.best = std::move(best.front());
  }
  if (study.succeeded_trial_count() == study.trial_count()) return standing;
  v1::ListTrialsRequest request;
  request.set_study(study.name());
  request.mutable_read_mask()->add_paths("state");
  for (const v1::Trial::State state :
       {v1::Trial::REQUESTED, v1::Trial::ACTIVE, v1::Trial::FAILED, v1::Trial::INFEASIBLE,
        v1::Trial::STOPPED, v1::Trial::STALE, v1::Trial::WITHDRAWN}) {
    request.add_states(state);
  }
  RETURN_IF_ERROR(session.client().ListAllTrials(std::move(request), [&](const v1::Trial& trial) {
    ++standing.without_success[trial.state()];
    return true;
  }));
  return standing;
}

void PrintAnswer(const v1::Study& answer, Session& session) {
  const absl::Status shown = PrintAsItStands(answer.name(), session);
  if (shown.ok()) return;
  session.Warn(absl::StrCat("this is done, but the state of the study cannot be read: ",
                            std::string(shown.message())));
  PrintStudyAlone(answer, session);
}

}  // namespace slipstream::cli
