#include "server/grpc/optimization_adapter.h"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/grpc/call_facts.h"
#include "server/grpc/call_projects.h"
#include "server/grpc/export_reactor.h"
#include "server/grpc/incoming_call.h"
#include "server/grpc/message_bytes.h"
#include "server/grpc/project_watchers.h"
#include "server/grpc/unary_call.h"
#include "server/grpc/upload_reactor.h"
#include "server/grpc/watch_reactor.h"
#include "server/service/source_task_upload.h"
#include "server/service/study_import.h"
#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;
using Bytes = grpc::ByteBuffer;

// Whether the caller has cancelled, disconnected or passed its deadline.
bool IsGone(const Context& context) {
  return context.IsCancelled() || std::chrono::system_clock::now() > context.deadline();
}

// A call of one request that is answered with many messages.
template <typename Request>
struct StreamingCall {
  IncomingCall incoming;
  const Bytes& bytes;  // gRPC keeps them as long as the call.
  Request request = {};
  ProjectWatchers::Place place = nullptr;  // Of a watcher with an identity.
  bool has_begun = false;                  // The answers have been opened.

  // Calls `go_on`, a function of a status: whether the call is admitted and its request sound. If
  // that runs out of memory before it has handed on anything, calls it with the error.
  template <typename GoOn>
  void Read(const GoOn& go_on) {
    incoming.Admit([this, go_on](const absl::Status& admitted) {
      const absl::Status has_gone_on = OrOutOfMemory([&]() -> absl::Status {
        SLIPSTREAM_RETURN_IF_ERROR(admitted);
        SLIPSTREAM_RETURN_IF_ERROR(incoming.CheckMessage(bytes));
        SLIPSTREAM_RETURN_IF_ERROR(Parse(bytes, &request));
        SLIPSTREAM_RETURN_IF_ERROR(incoming.Check(request));
        go_on(absl::OkStatus());
        return absl::OkStatus();
      });
      if (!has_gone_on.ok()) go_on(has_gone_on);
    });
  }
  // Whether the call may go on by the current table of callers. To be asked after Read.
  absl::Status CheckAgain() {
    return incoming.CheckAgain([this] { return ProjectsOf(request); });
  }
  // Hands what was opened on to `opened`.
  template <typename Opened, typename Found>
  void Begin(const Opened& opened, Found found) {
    has_begun = found.ok();
    opened(std::move(found));
  }
  void End(const absl::Status& status) const {
    incoming.End(status, [this] {
      CallFacts facts = FactsOf(request);
      facts.has_begun = has_begun;
      return facts;
    });
  }
};

// Requests come and answers go as bytes, so that malformed requests are handled here, and watchers
// can share what they are sent.
using Wire = v1::OptimizationService;
using AllMethods =
#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles) Wire::WithRawCallbackMethod_##name<
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles) Wire::WithRawCallbackMethod_##name<
#include "server/access/rpc_list.inc"
    Wire::Service
#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles) >
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles) >
#include "server/access/rpc_list.inc"
    ;

class OptimizationAdapter : public AllMethods {
 public:
  OptimizationAdapter(slipstream::Service* service, const CallSetting& setting)
      : services_(service->studies(), service->trials(), service->source_tasks(),
                  service->leases(), service->reports()),
        trials_(service->trials()),
        source_tasks_(service->source_tasks()),
        watches_(service->watches()),
        exchange_(service->exchange()),
        status_(service->status()),
        backups_(service->backups()),
        setting_(setting),
        project_watchers_(service->options().events.max_watchers_per_project) {}

#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles)                              \
  Reactor* name(Context* context, const Bytes* request, Bytes* answer) override {         \
    return Unary(Rpc::k##name, context, *request, answer, &service::name);                \
  }
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles)
#include "server/access/rpc_list.inc"

  Reactor* Suggest(Context* context, const Bytes* request, Bytes* answer) override {
    using Call = UnaryCall<v1::SuggestRequest, v1::SuggestResponse>;
    return Call::Begin(setting_, Rpc::kSuggest, context, *request, answer,
                       [this, context](Call* call, Done done) {
                         trials_.Suggest(&call->request(), call->response(), std::move(done),
                                         [context] { return IsGone(*context); });
                       });
  }
  Reactor* GetServerStatus(Context* context, const Bytes* request, Bytes* answer) override {
    using Call = UnaryCall<v1::GetServerStatusRequest, v1::ServerStatus>;
    return Call::Begin(setting_, Rpc::kGetServerStatus, context, *request, answer,
                       [this](Call* call, Done done) {
                         if (setting_.monitor != nullptr) {
                           call->response()->set_open_calls(setting_.monitor->open());
                         }
                         const auto may_see = [caller = call->caller()](absl::string_view project) {
                           return caller == nullptr || caller->MayUse(project);
                         };
                         status_.GetServerStatusFor(may_see, call->response(), std::move(done));
                       });
  }
  Reactor* BackupStore(Context* context, const Bytes* request, Bytes* answer) override {
    using Call = UnaryCall<v1::BackupStoreRequest, v1::BackupStoreResponse>;
    return Call::Begin(setting_, Rpc::kBackupStore, context, *request, answer,
                       [this](Call* call, const Done& done) {
                         backups_.BackupStore(&call->request(), call->response(), done);
                       });
  }
  // Not counted as under way: watchers are told to come again when the server ends.
  grpc::ServerWriteReactor<Bytes>* WatchStudy(Context* context, const Bytes* request) override {
    return Watch(Rpc::kWatchStudy, context, *request, &WatchService::WatchStudy);
  }
  grpc::ServerWriteReactor<Bytes>* WatchStudies(Context* context, const Bytes* request) override {
    return Watch(Rpc::kWatchStudies, context, *request, &WatchService::WatchStudies);
  }
  grpc::ServerReadReactor<Bytes>* RegisterSourceTask(Context* context, Bytes* answer) override {
    using Upload = UploadReactor<SourceTaskUpload, v1::RegisterSourceTaskRequest,
                                 v1::RegisterSourceTaskResponse>;
    return new Upload(
        setting_, Rpc::kRegisterSourceTask, context, answer,
        [this](std::unique_ptr<SourceTaskUpload> upload, auto* response, const Done& done) {
          source_tasks_.RegisterSourceTask(std::move(upload), response, done);
        });
  }
  grpc::ServerReadReactor<Bytes>* ImportStudy(Context* context, Bytes* answer) override {
    using Upload = UploadReactor<StudyImport, v1::ImportStudyRequest, v1::Study>;
    return new Upload(
        setting_, Rpc::kImportStudy, context, answer,
        [this](std::unique_ptr<StudyImport> upload, v1::Study* response, const Done& done) {
          exchange_.ImportStudy(std::move(upload), response, done);
        });
  }
  grpc::ServerWriteReactor<Bytes>* ExportStudy(Context* context, const Bytes* request) override {
    using Call = StreamingCall<v1::ExportStudyRequest>;
    const std::shared_ptr<Call> call(
        new Call{IncomingCall(setting_, Rpc::kExportStudy, context), *request});
    const auto open = [this, call](const ExchangeService::Opened& opened) {
      call->Read([this, call, opened](const absl::Status& status) {
        if (!status.ok()) return opened(status);
        // The service needs the request until it has opened the export.
        exchange_.ExportStudy(&call->request,
                              [call, opened](auto all) { call->Begin(opened, std::move(all)); });
      });
    };
    return new ExportReactor(
        setting_, &exchange_, open, [call] { return call->CheckAgain(); },
        [call](const absl::Status& status) { call->End(status); });
  }

 private:
  template <typename Request, typename Response, typename Backend>
  Reactor* Unary(Rpc rpc, Context* context, const Bytes& bytes, Bytes* answer,
                 void (Backend::*method)(const Request*, Response*, Done)) {
    using Call = UnaryCall<Request, Response>;
    return Call::Begin(setting_, rpc, context, bytes, answer,
                       [&backend = std::get<Backend&>(services_), method](Call* call, Done done) {
                         (backend.*method)(&call->request(), call->response(), std::move(done));
                       });
  }

  // A watcher with an identity takes one of its project's places, unless it watches all projects,
  // which only a caller who may use all can do.
  template <typename Request>
  absl::Status TakePlace(StreamingCall<Request>* call) {
    if (call->incoming.caller() == nullptr) return absl::OkStatus();
    const std::set<std::string> projects = ProjectsOf(call->request);
    // The service refuses a request without a name.
    if (projects.empty() || projects.contains(kEveryProject)) return absl::OkStatus();
    SLIPSTREAM_ASSIGN_OR_RETURN(call->place, project_watchers_.Take(*projects.begin()));
    return absl::OkStatus();
  }

  template <typename Request>
  WatchReactor* Watch(Rpc rpc, Context* context, const Bytes& bytes,
                      void (WatchService::*method)(const Request*, std::function<void()>,
                                                   WatchService::Opened)) {
    using Call = StreamingCall<Request>;
    const std::shared_ptr<Call> call(new Call{IncomingCall(setting_, rpc, context), bytes});
    // GCC 12's sanitizer takes the lambda for `this` where a method is called by its pointer.
    WatchService* const watches = &watches_;
    const auto open = [this, watches, call, method](const std::function<void()>& on_more,
                                                    const WatchService::Opened& opened) {
      call->Read([this, watches, call, method, on_more, opened](absl::Status status) {
        if (status.ok()) status = TakePlace(call.get());
        if (!status.ok()) return opened(status);
        (watches->*method)(&call->request, on_more,
                           [call, opened](auto stream) { call->Begin(opened, std::move(stream)); });
      });
    };
    return new WatchReactor(
        open, [call] { return call->CheckAgain(); },
        [call](const absl::Status& status) { call->End(status); });
  }

  // Those that rpc_list.inc names.
  std::tuple<StudyService&, TrialService&, SourceTaskService&, LeaseService&, ReportService&>
      services_;
  TrialService& trials_;
  SourceTaskService& source_tasks_;
  WatchService& watches_;
  ExchangeService& exchange_;
  StatusService& status_;
  BackupService& backups_;
  const CallSetting setting_;
  ProjectWatchers project_watchers_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       const CallSetting& setting) {
  return std::make_unique<OptimizationAdapter>(service, setting);
}

}  // namespace slipstream
