#include "server/grpc/optimization_adapter.h"

#include <chrono>
#include <utility>

#include "google/protobuf/empty.pb.h"
#include "server/grpc/status_conversion.h"
#include "server/grpc/watch_reactor.h"
#include "server/service/source_task_upload.h"
#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// One RegisterSourceTask call, read to its end or to the first error. Reading ends
// in the same way when the caller has sent everything and when the call is cut off
// (the caller cancelled or vanished, or the server shuts down), which must not
// register anything. Sending the initial metadata tells them apart: it succeeds
// only on a live call.
class UploadReactor : public grpc::ServerReadReactor<v1::RegisterSourceTaskRequest> {
 public:
  UploadReactor(SourceTaskService* service, Context* context,
                v1::RegisterSourceTaskResponse* response, std::atomic<int64_t>* under_way)
      : service_(service),
        context_(context),
        response_(response),
        under_way_(under_way),
        upload_(std::make_unique<SourceTaskUpload>()) {
    ++*under_way_;
    StartRead(&message_);
  }

  void OnReadDone(bool more) override {
    if (!more) return StartSendInitialMetadata();
    const absl::Status status = upload_->Add(message_);
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    message_.Clear();
    StartRead(&message_);
  }

  void OnSendInitialMetadataDone(bool alive) override {
    if (!alive || context_->IsCancelled()) {
      return Finish({grpc::StatusCode::CANCELLED, "the upload was cut off; nothing is registered"});
    }
    service_->RegisterSourceTask(std::move(upload_), response_,
                                 [this](absl::Status status) { Finish(ToGrpcStatus(status)); });
  }

  void OnDone() override {
    --*under_way_;
    delete this;
  }

 private:
  SourceTaskService* const service_;
  Context* const context_;
  v1::RegisterSourceTaskResponse* const response_;
  std::atomic<int64_t>* const under_way_;
  std::unique_ptr<SourceTaskUpload> upload_;
  v1::RegisterSourceTaskRequest message_;
};

// Watching takes and gives bytes.
using GeneratedService = v1::OptimizationService::WithRawCallbackMethod_WatchStudies<
    v1::OptimizationService::WithRawCallbackMethod_WatchStudy<
        v1::OptimizationService::CallbackService>>;

class OptimizationAdapter : public GeneratedService {
 public:
  OptimizationAdapter(slipstream::Service* service, std::atomic<int64_t>* under_way)
      : studies_(service->studies()),
        trials_(service->trials()),
        source_tasks_(service->source_tasks()),
        leases_(service->leases()),
        reports_(service->reports()),
        watches_(service->watches()),
        under_way_(under_way) {}

  Reactor* CreateStudy(Context* context, const v1::CreateStudyRequest* request,
                       v1::Study* response) override {
    return Unary(context, request, response, &studies_, &StudyService::CreateStudy);
  }
  Reactor* GetStudy(Context* context, const v1::GetStudyRequest* request,
                    v1::Study* response) override {
    return Unary(context, request, response, &studies_, &StudyService::GetStudy);
  }
  Reactor* ListStudies(Context* context, const v1::ListStudiesRequest* request,
                       v1::ListStudiesResponse* response) override {
    return Unary(context, request, response, &studies_, &StudyService::ListStudies);
  }
  Reactor* UpdateStudy(Context* context, const v1::UpdateStudyRequest* request,
                       v1::Study* response) override {
    return Unary(context, request, response, &studies_, &StudyService::UpdateStudy);
  }
  Reactor* DeleteStudy(Context* context, const v1::DeleteStudyRequest* request,
                       google::protobuf::Empty* response) override {
    return Unary(context, request, response, &studies_, &StudyService::DeleteStudy);
  }
  Reactor* Suggest(Context* context, const v1::SuggestRequest* request,
                   v1::SuggestResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    trials_.Suggest(request, response, Answer(reactor), [context] { return IsGone(*context); });
    return reactor;
  }
  Reactor* Heartbeat(Context* context, const v1::HeartbeatRequest* request,
                     v1::HeartbeatResponse* response) override {
    return Unary(context, request, response, &leases_, &LeaseService::Heartbeat);
  }
  Reactor* ReleaseTrials(Context* context, const v1::ReleaseTrialsRequest* request,
                         v1::ReleaseTrialsResponse* response) override {
    return Unary(context, request, response, &leases_, &LeaseService::ReleaseTrials);
  }
  Reactor* Report(Context* context, const v1::ReportRequest* request,
                  v1::ReportResponse* response) override {
    return Unary(context, request, response, &reports_, &ReportService::Report);
  }
  Reactor* ListReports(Context* context, const v1::ListReportsRequest* request,
                       v1::ListReportsResponse* response) override {
    return Unary(context, request, response, &reports_, &ReportService::ListReports);
  }
  Reactor* ShouldStop(Context* context, const v1::ShouldStopRequest* request,
                      v1::ShouldStopResponse* response) override {
    return Unary(context, request, response, &reports_, &ReportService::ShouldStop);
  }
  Reactor* UpdateTrial(Context* context, const v1::UpdateTrialRequest* request,
                       v1::Trial* response) override {
    return Unary(context, request, response, &trials_, &TrialService::UpdateTrial);
  }
  Reactor* Observe(Context* context, const v1::ObserveRequest* request,
                   v1::Trial* response) override {
    return Unary(context, request, response, &trials_, &TrialService::Observe);
  }
  Reactor* AddTrials(Context* context, const v1::AddTrialsRequest* request,
                     v1::AddTrialsResponse* response) override {
    return Unary(context, request, response, &trials_, &TrialService::AddTrials);
  }
  Reactor* GetTrial(Context* context, const v1::GetTrialRequest* request,
                    v1::Trial* response) override {
    return Unary(context, request, response, &trials_, &TrialService::GetTrial);
  }
  Reactor* ListTrials(Context* context, const v1::ListTrialsRequest* request,
                      v1::ListTrialsResponse* response) override {
    return Unary(context, request, response, &trials_, &TrialService::ListTrials);
  }
  Reactor* BestTrials(Context* context, const v1::BestTrialsRequest* request,
                      v1::BestTrialsResponse* response) override {
    return Unary(context, request, response, &trials_, &TrialService::BestTrials);
  }
  Reactor* Explain(Context* context, const v1::ExplainRequest* request,
                   v1::Explanation* response) override {
    return Unary(context, request, response, &trials_, &TrialService::Explain);
  }
  Reactor* ListPresets(Context* context, const v1::ListPresetsRequest* request,
                       v1::ListPresetsResponse* response) override {
    return Unary(context, request, response, &studies_, &StudyService::ListPresets);
  }
  // Not counted as under way: watchers are told to come again when the server ends.
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchStudy(Context*,
                                                         const grpc::ByteBuffer* request) override {
    return Watch(*request, &WatchService::WatchStudy);
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchStudies(
      Context*, const grpc::ByteBuffer* request) override {
    return Watch(*request, &WatchService::WatchStudies);
  }
  grpc::ServerReadReactor<v1::RegisterSourceTaskRequest>* RegisterSourceTask(
      Context* context, v1::RegisterSourceTaskResponse* response) override {
    return new UploadReactor(&source_tasks_, context, response, under_way_);
  }
  Reactor* GetSourceTask(Context* context, const v1::GetSourceTaskRequest* request,
                         v1::SourceTask* response) override {
    return Unary(context, request, response, &source_tasks_, &SourceTaskService::GetSourceTask);
  }
  Reactor* ListSourceTasks(Context* context, const v1::ListSourceTasksRequest* request,
                           v1::ListSourceTasksResponse* response) override {
    return Unary(context, request, response, &source_tasks_, &SourceTaskService::ListSourceTasks);
  }
  Reactor* DeleteSourceTask(Context* context, const v1::DeleteSourceTaskRequest* request,
                            google::protobuf::Empty* response) override {
    return Unary(context, request, response, &source_tasks_, &SourceTaskService::DeleteSourceTask);
  }

 private:
  template <typename Backend, typename Request, typename Response>
  Reactor* Unary(Context* context, const Request* request, Response* response, Backend* backend,
                 void (Backend::*method)(const Request*, Response*, Done)) {
    Reactor* reactor = context->DefaultReactor();
    (backend->*method)(request, response, Answer(reactor));
    return reactor;
  }

  template <typename Request>
  WatchReactor* Watch(grpc::ByteBuffer bytes,
                      void (WatchService::*method)(const Request*, std::function<void()>,
                                                   WatchService::Opened)) {
    auto request = std::make_shared<Request>();
    const grpc::Status read =
        grpc::SerializationTraits<Request>::Deserialize(&bytes, request.get());
    return new WatchReactor([read, request, method, watches = &watches_](
                                std::function<void()> on_more, WatchService::Opened opened) {
      if (!read.ok()) return opened(absl::InvalidArgumentError("the request cannot be read"));
      const auto done = [request, opened = std::move(opened)](
                            absl::StatusOr<std::unique_ptr<EventStream>> stream) {
        opened(std::move(stream));
      };
      (watches->*method)(request.get(), std::move(on_more), done);
    });
  }

  // Counts the call as under way until it is answered.
  Done Answer(Reactor* reactor) {
    ++*under_way_;
    return [reactor, under_way = under_way_](const absl::Status& status) {
      reactor->Finish(ToGrpcStatus(status));
      --*under_way;
    };
  }

  // Whether the caller cancelled or vanished, or waits no longer.
  static bool IsGone(const Context& context) {
    return context.IsCancelled() || std::chrono::system_clock::now() > context.deadline();
  }

  StudyService& studies_;
  TrialService& trials_;
  SourceTaskService& source_tasks_;
  LeaseService& leases_;
  ReportService& reports_;
  WatchService& watches_;
  std::atomic<int64_t>* const under_way_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       std::atomic<int64_t>* under_way) {
  return std::make_unique<OptimizationAdapter>(service, under_way);
}

}  // namespace slipstream
