#include "server/grpc/optimization_adapter.h"

#include <utility>

#include "google/protobuf/empty.pb.h"
#include "server/grpc/status_conversion.h"
#include "server/service/source_task_upload.h"
#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;
// In the adapter, Service is the generated interface.
using Backend = ::slipstream::Service;

// One RegisterSourceTask call: reads to the end or to the first error.
class UploadReactor : public grpc::ServerReadReactor<v1::RegisterSourceTaskRequest> {
 public:
  UploadReactor(Service* service, v1::RegisterSourceTaskResponse* response)
      : service_(service),
        response_(response),
        upload_(std::make_unique<SourceTaskUpload>()) {
    StartRead(&message_);
  }

  void OnReadDone(bool more) override {
    if (!more) {
      service_->RegisterSourceTask(std::move(upload_), response_, [this](absl::Status status) {
        Finish(ToGrpcStatus(status));
      });
      return;
    }
    const absl::Status status = upload_->Add(message_);
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    message_.Clear();
    StartRead(&message_);
  }

  // The caller is gone. What was read is registered only if it was all there.
  void OnCancel() override {}

  void OnDone() override { delete this; }

 private:
  Backend* const service_;
  v1::RegisterSourceTaskResponse* const response_;
  std::unique_ptr<SourceTaskUpload> upload_;
  v1::RegisterSourceTaskRequest message_;
};

class OptimizationAdapter : public v1::OptimizationService::CallbackService {
 public:
  explicit OptimizationAdapter(Backend* service) : service_(service) {}

  Reactor* CreateStudy(Context* context, const v1::CreateStudyRequest* request,
                       v1::Study* response) override {
    return Unary(context, request, response, &Backend::CreateStudy);
  }
  Reactor* GetStudy(Context* context, const v1::GetStudyRequest* request,
                    v1::Study* response) override {
    return Unary(context, request, response, &Backend::GetStudy);
  }
  Reactor* ListStudies(Context* context, const v1::ListStudiesRequest* request,
                       v1::ListStudiesResponse* response) override {
    return Unary(context, request, response, &Backend::ListStudies);
  }
  Reactor* UpdateStudy(Context* context, const v1::UpdateStudyRequest* request,
                       v1::Study* response) override {
    return Unary(context, request, response, &Backend::UpdateStudy);
  }
  Reactor* DeleteStudy(Context* context, const v1::DeleteStudyRequest* request,
                       google::protobuf::Empty* response) override {
    return Unary(context, request, response, &Backend::DeleteStudy);
  }
  Reactor* Suggest(Context* context, const v1::SuggestRequest* request,
                   v1::SuggestResponse* response) override {
    return Unary(context, request, response, &Backend::Suggest);
  }
  Reactor* Observe(Context* context, const v1::ObserveRequest* request,
                   v1::Trial* response) override {
    return Unary(context, request, response, &Backend::Observe);
  }
  Reactor* AddTrials(Context* context, const v1::AddTrialsRequest* request,
                     v1::AddTrialsResponse* response) override {
    return Unary(context, request, response, &Backend::AddTrials);
  }
  Reactor* GetTrial(Context* context, const v1::GetTrialRequest* request,
                    v1::Trial* response) override {
    return Unary(context, request, response, &Backend::GetTrial);
  }
  Reactor* ListTrials(Context* context, const v1::ListTrialsRequest* request,
                      v1::ListTrialsResponse* response) override {
    return Unary(context, request, response, &Backend::ListTrials);
  }
  Reactor* BestTrials(Context* context, const v1::BestTrialsRequest* request,
                      v1::BestTrialsResponse* response) override {
    return Unary(context, request, response, &Backend::BestTrials);
  }
  Reactor* Explain(Context* context, const v1::ExplainRequest* request,
                   v1::Explanation* response) override {
    return Unary(context, request, response, &Backend::Explain);
  }
  Reactor* ListPresets(Context* context, const v1::ListPresetsRequest* request,
                       v1::ListPresetsResponse* response) override {
    return Unary(context, request, response, &Backend::ListPresets);
  }
  grpc::ServerReadReactor<v1::RegisterSourceTaskRequest>* RegisterSourceTask(
      Context*, v1::RegisterSourceTaskResponse* response) override {
    return new UploadReactor(service_, response);
  }
  Reactor* GetSourceTask(Context* context, const v1::GetSourceTaskRequest* request,
                         v1::SourceTask* response) override {
    return Unary(context, request, response, &Backend::GetSourceTask);
  }
  Reactor* ListSourceTasks(Context* context, const v1::ListSourceTasksRequest* request,
                           v1::ListSourceTasksResponse* response) override {
    return Unary(context, request, response, &Backend::ListSourceTasks);
  }
  Reactor* DeleteSourceTask(Context* context, const v1::DeleteSourceTaskRequest* request,
                            google::protobuf::Empty* response) override {
    return Unary(context, request, response, &Backend::DeleteSourceTask);
  }

 private:
  template <typename Request, typename Response>
  Reactor* Unary(Context* context, const Request* request, Response* response,
                 void (Backend::*method)(const Request*, Response*, Backend::Done)) {
    Reactor* reactor = context->DefaultReactor();
    (service_->*method)(request, response, [reactor](const absl::Status& status) {
      reactor->Finish(ToGrpcStatus(status));
    });
    return reactor;
  }

  Backend* const service_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service) {
  return std::make_unique<OptimizationAdapter>(service);
}

}  // namespace slipstream
