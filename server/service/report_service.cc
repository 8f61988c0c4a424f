#include "server/service/report_service.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/resource_name.h"
#include "server/convert/trial_conversion.h"
#include "server/service/call_limits.h"
#include "server/service/meant_trial.h"

namespace slipstream {
namespace {

absl::Status CheckReports(const v1::ReportRequest& request) {
  if (request.reports_size() < 1 || request.reports_size() > kMostReportsPerCall) {
    return InvalidField("reports", absl::StrCat(request.reports_size(), " reports"),
                        absl::StrCat("1 to ", kMostReportsPerCall));
  }
  for (int i = 0; i < request.reports_size(); ++i) {
    if (request.reports(i).step() >= 0) continue;
    return InvalidField(absl::StrCat("reports[", i, "].step"),
                        absl::StrCat(request.reports(i).step()), "0 or more");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StepReport>> ReportsOf(const std::string& metric,
                                                  const v1::ReportRequest& request) {
  std::vector<StepReport> reports;
  for (int i = 0; i < request.reports_size(); ++i) {
    const v1::StepMeasurement& report = request.reports(i);
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const double value,
        MetricValue(absl::StrCat("reports[", i, "].measurement"), metric, report.measurement()));
    reports.push_back({report.step(), value});
  }
  return reports;
}

absl::Status ProgressToProto(const TrialRecord& record, v1::ReportResponse* response) {
  response->set_state(static_cast<v1::Trial::State>(record.state));
  response->set_report_count(record.report_count);
  if (record.lease_end_ms) *response->mutable_lease_end_time() = TimestampOf(*record.lease_end_ms);
  return absl::OkStatus();
}

}  // namespace

void ReportService::Report(const v1::ReportRequest* request, v1::ReportResponse* response,
                           Done done) {
  const absl::StatusOr<MeantTrial> trial = MeantTrialOf(*request, "trial", request->trial());
  absl::Status status = trial.status();
  if (status.ok()) status = CheckReports(*request);
  if (!status.ok()) return done(status);
  finder_.WithStudy(
      trial->name.study_id, done,
      [=, this, meant = *trial](const StudyFinder::StudyPointer& study, Done answer) {
        absl::StatusOr<std::vector<StepReport>> reports =
            ReportsOf(study->definition.metric, *request);
        if (!reports.ok()) return RefuseMeant(&store_, reads_, meant, reports.status(), answer);
        store_.Report({study->ref(), meant.name.number, *std::move(reports), meant.create_ms},
                      AnsweringWrite<TrialRecord, v1::ReportResponse>({}, response, ProgressToProto,
                                                                      std::move(answer)));
      });
}

void ReportService::ListReports(const v1::ListReportsRequest* request,
                                v1::ListReportsResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const MeantTrial meant,
                                MeantTrialOf(*request, "trial", request->trial()));
    const TrialName& name = meant.name;
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrialRecord trial,
                                store_.GetTrial(name.study_id, name.number));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(meant, trial.create_ms));
    return finder_.ReadStudy(name.study_id, [&](const CatalogStudy& study) -> absl::Status {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<ReportRecord> reports,
                                  store_.ListReports(study.ref(), name.number - 1, name.number,
                                                     std::numeric_limits<int>::max()));
      for (const ReportRecord& record : reports) {
        v1::StepMeasurement* report = response->add_reports();
        report->set_step(record.report.step);
        (*report->mutable_measurement()->mutable_metrics())[study.definition.metric] =
            record.report.value;
      }
      return absl::OkStatus();
    });
  });
}

void ReportService::ShouldStop(const v1::ShouldStopRequest* request,
                               v1::ShouldStopResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const MeantTrial meant,
                                MeantTrialOf(*request, "trial", request->trial()));
    const TrialName& name = meant.name;
    if (meant.create_ms.has_value()) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const TrialRecord trial,
                                  store_.GetTrial(name.study_id, name.number));
      SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(meant, trial.create_ms));
    }
    return finder_.ReadStudy(name.study_id, [&](const CatalogStudy& study) -> absl::Status {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<StudyCurves> curves,
                                  curves_.Get(study, name.number));
      const StoppingView view = curves->ViewOf(name.number, study.definition.goal);
      const StoppingAdvice advice = study.stopping->Advise(view);
      response->set_stop(advice.stop);
      response->set_reason(advice.reason);
      if (!view.running.reports.empty()) response->set_step(view.running.reports.back().step);
      return absl::OkStatus();
    });
  });
}

}  // namespace slipstream
