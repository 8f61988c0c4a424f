#include "server/grpc/optimization_adapter.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "google/protobuf/empty.pb.h"
#include "server/grpc/call_facts.h"
#include "server/grpc/export_reactor.h"
#include "server/grpc/status_conversion.h"
#include "server/grpc/watch_reactor.h"
#include "server/service/source_task_upload.h"
#include "server/service/study_import.h"
#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;
using Bytes = grpc::ByteBuffer;

// One call as the monitor sees it, from its arrival on. Nothing without a monitor.
class MonitoredCall {
 public:
  MonitoredCall(CallMonitor* monitor, Rpc rpc) : monitor_(monitor), rpc_(rpc) {
    if (monitor_ != nullptr) monitor_->Begin();
  }

  // To be called once, before the answer is given: `facts`, a function, may use the call's context.
  template <typename Facts>
  void End(const absl::Status& status, const Facts& facts) const {
    if (monitor_ == nullptr) return;
    const auto took = std::chrono::steady_clock::now() - begin_;
    monitor_->End(rpc_, status, absl::FromChrono(took), facts);
  }

 private:
  CallMonitor* const monitor_;
  const Rpc rpc_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Bytes that are no message are the caller's mistake.
template <typename Message>
absl::Status Parse(Bytes bytes, Message* message) {
  const grpc::Status read = grpc::SerializationTraits<Message>::Deserialize(&bytes, message);
  if (read.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes that were sent are not a ", Message::descriptor()->full_name(),
                   ": the message was cut off, or made by another version of proto/slipstream/v1"));
}

absl::string_view View(grpc::string_ref text) { return {text.data(), text.size()}; }

// Of the connection's client certificate; empty if it has none.
absl::string_view CommonNameOf(const Context& context) {
  const std::shared_ptr<const grpc::AuthContext> connection = context.auth_context();
  if (connection == nullptr || !connection->IsPeerAuthenticated()) return {};
  for (const grpc::string_ref& name : connection->FindPropertyValues("x509_common_name")) {
    return View(name);
  }
  return {};
}

// Valid as long as the call. A certificate is looked at where there is no token, as that takes
// long.
CallCredentials CredentialsOf(const Context& context) {
  CallCredentials credentials;
  const auto found = context.client_metadata().find("authorization");
  if (found != context.client_metadata().end()) {
    credentials.authorization = View(found->second);
  } else {
    credentials.common_name = CommonNameOf(context);
  }
  return credentials;
}

// Calls `go_on`, a function of (Gate::Answer), with who calls: at once, or when that is known.
// Without a gate everybody may call, and the identity is null.
template <typename GoOn>
void Admit(Gate* gate, Rpc rpc, const Context& context, const GoOn& go_on) {
  if (gate == nullptr) return go_on(Gate::Answer(std::shared_ptr<const Identity>()));
  const CallCredentials credentials = CredentialsOf(context);
  if (const std::optional<Gate::Answer> known = gate->Find(rpc, credentials)) return go_on(*known);
  gate->Verify(rpc, credentials, go_on);
}

std::string NameOf(const std::shared_ptr<const Identity>& caller) {
  return caller == nullptr ? std::string() : caller->name;
}

template <typename Message>
grpc::Status ToBytes(const Message& message, Bytes* bytes) {
  bool owned = false;
  return grpc::SerializationTraits<Message>::Serialize(message, bytes, &owned);
}

// Requests of at least this size are counted in the memory budget.
constexpr size_t kLargeBytes = 16 << 10;

// One unary call, alive until it is answered.
template <typename Request, typename Response>
struct UnaryCall {
  Context* context;
  Reactor* reactor;
  Bytes* answer;
  MonitoredCall call;
  std::shared_ptr<const Identity> caller = nullptr;
  Request request = {};
  Response response = {};
  int64_t held_bytes = 0;  // Of the memory budget.

  void End(const absl::Status& status) {
    call.End(status, [&] {
      CallFacts facts = FactsOf(request);
      const std::string made = status.ok() ? FactsOf(response).resource : std::string();
      if (!made.empty()) facts.resource = made;
      facts.peer = context->peer();
      facts.caller = NameOf(caller);
      return facts;
    });
    reactor->Finish(status.ok() ? ToBytes(response, answer) : ToGrpcStatus(status));
  }
};

// The resources that a message of many names beside those of its header.
absl::Status CheckContent(const std::shared_ptr<const Identity>&,
                          const v1::RegisterSourceTaskRequest&) {
  return absl::OkStatus();
}

// The source tasks that an imported study uses. The project in its own name is the one that it was
// exported from, which does not matter.
absl::Status CheckContent(const std::shared_ptr<const Identity>& caller,
                          const v1::ImportStudyRequest& request) {
  for (const v1::ExportLine& line : request.lines()) {
    if (line.study().source_tasks().empty()) continue;
    v1::Study used;
    *used.mutable_source_tasks() = line.study().source_tasks();
    SLIPSTREAM_RETURN_IF_ERROR(CheckProjects(caller, used));
  }
  return absl::OkStatus();
}

// What a call does with what it has collected, an `Upload`.
template <typename Upload, typename Response>
using UploadEnd = std::function<void(std::unique_ptr<Upload>, Response*, const Done&)>;

// One call of many messages, read to its end or to the first error. Reading ends
// in the same way when the caller has sent everything and when the call is cut off
// (the caller cancelled or vanished, or the server shuts down), which must not
// change anything. Sending the initial metadata tells them apart: it succeeds
// only on a live call.
template <typename Upload, typename Request, typename Response>
class UploadReactor : public grpc::ServerReadReactor<Bytes> {
 public:
  UploadReactor(Rpc rpc, UploadEnd<Upload, Response> on_end, Context* context, Bytes* answer,
                std::atomic<int64_t>* under_way, MemoryBudget* budget, IdleUploads* idle,
                CallMonitor* monitor, const Admission& admission)
      : on_end_(std::move(on_end)),
        rpc_(rpc),
        admission_(admission),
        budget_(budget),
        idle_(idle),
        context_(context),
        answer_(answer),
        under_way_(under_way),
        call_(monitor, rpc),
        upload_(std::make_unique<Upload>()) {
    ++*under_way_;
    Admit(admission.gate, rpc, *context, [this](const Gate::Answer& who) {
      if (!who.ok()) return End(who.status());
      caller_ = *who;
      ReadNext();
    });
  }

  void OnReadDone(bool more) override {
    idle_->Leave(this);
    if (!more) return StartSendInitialMetadata();
    absl::Status status = Parse(bytes_, &message_);
    if (status.ok() && message_.has_header()) facts_ = FactsOf(message_.header());
    if (status.ok() && message_.has_header()) {
      status = CheckRequest(admission_, rpc_, caller_, message_);
    }
    if (status.ok()) status = CheckContent(caller_, message_);
    if (status.ok()) status = OrOutOfMemory([this] { return upload_->Add(message_); });
    if (status.ok()) status = HoldMore();
    if (!status.ok()) return End(status);
    message_.Clear();
    ReadNext();
  }

  void OnSendInitialMetadataDone(bool alive) override {
    if (!alive || context_->IsCancelled()) {
      return End(absl::CancelledError("the upload was cut off; nothing is stored"));
    }
    on_end_(std::move(upload_), &response_, [this](const absl::Status& status) { End(status); });
  }

  void OnDone() override {
    budget_->GiveBack(held_bytes_);
    --*under_way_;
    delete this;
  }

 private:
  void ReadNext() {
    idle_->Wait(this, [context = context_] { context->TryCancel(); });
    StartRead(&bytes_);
  }

  absl::Status HoldMore() {
    const int64_t more = upload_->held_bytes() - held_bytes_;
    SLIPSTREAM_RETURN_IF_ERROR(budget_->Take(more));
    held_bytes_ += more;
    return absl::OkStatus();
  }

  void End(const absl::Status& status) {
    call_.End(status, [&] {
      if (status.ok()) facts_.resource = FactsOf(response_).resource;
      facts_.peer = context_->peer();
      facts_.caller = NameOf(caller_);
      return facts_;
    });
    Finish(status.ok() ? ToBytes(response_, answer_) : ToGrpcStatus(status));
  }

  const UploadEnd<Upload, Response> on_end_;
  const Rpc rpc_;
  const Admission admission_;
  MemoryBudget* const budget_;
  IdleUploads* const idle_;
  int64_t held_bytes_ = 0;
  Context* const context_;
  Bytes* const answer_;
  std::atomic<int64_t>* const under_way_;
  const MonitoredCall call_;
  std::unique_ptr<Upload> upload_;
  Bytes bytes_;
  Request message_;
  Response response_;
  std::shared_ptr<const Identity> caller_;
  CallFacts facts_;
};

// Requests come and answers go as bytes, so that it is decided here what becomes of bytes that are
// no message, and watchers can share what they are sent.
using Wire = v1::OptimizationService;
using StudyMethods = Wire::WithRawCallbackMethod_CreateStudy<
    Wire::WithRawCallbackMethod_GetStudy<Wire::WithRawCallbackMethod_ListStudies<
        Wire::WithRawCallbackMethod_UpdateStudy<Wire::WithRawCallbackMethod_DeleteStudy<
            Wire::WithRawCallbackMethod_ListPresets<Wire::Service>>>>>>;
using LeaseMethods = Wire::WithRawCallbackMethod_Suggest<
    Wire::WithRawCallbackMethod_Heartbeat<Wire::WithRawCallbackMethod_ReleaseTrials<
        Wire::WithRawCallbackMethod_Report<Wire::WithRawCallbackMethod_ListReports<
            Wire::WithRawCallbackMethod_ShouldStop<StudyMethods>>>>>>;
using TrialMethods = Wire::WithRawCallbackMethod_Observe<Wire::WithRawCallbackMethod_UpdateTrial<
    Wire::WithRawCallbackMethod_AddTrials<Wire::WithRawCallbackMethod_GetTrial<
        Wire::WithRawCallbackMethod_ListTrials<Wire::WithRawCallbackMethod_BestTrials<
            Wire::WithRawCallbackMethod_Explain<LeaseMethods>>>>>>>;
using SourceTaskMethods = Wire::WithRawCallbackMethod_RegisterSourceTask<
    Wire::WithRawCallbackMethod_GetSourceTask<Wire::WithRawCallbackMethod_ListSourceTasks<
        Wire::WithRawCallbackMethod_DeleteSourceTask<TrialMethods>>>>;
using AllMethods = Wire::WithRawCallbackMethod_WatchStudy<
    Wire::WithRawCallbackMethod_WatchStudies<Wire::WithRawCallbackMethod_BackupStore<
        Wire::WithRawCallbackMethod_ExportStudy<Wire::WithRawCallbackMethod_ImportStudy<
            Wire::WithRawCallbackMethod_GetServerStatus<SourceTaskMethods>>>>>>;

class OptimizationAdapter : public AllMethods {
 public:
  OptimizationAdapter(slipstream::Service* service, std::atomic<int64_t>* under_way,
                      MemoryBudget* budget, IdleUploads* idle, CallMonitor* monitor,
                      const Admission& admission)
      : studies_(service->studies()),
        trials_(service->trials()),
        source_tasks_(service->source_tasks()),
        leases_(service->leases()),
        reports_(service->reports()),
        watches_(service->watches()),
        exchange_(service->exchange()),
        status_(service->status()),
        backups_(service->backups()),
        under_way_(under_way),
        budget_(*budget),
        idle_(idle),
        monitor_(monitor),
        admission_(admission) {}

  Reactor* CreateStudy(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kCreateStudy, context, *request, answer, &studies_,
                 &StudyService::CreateStudy);
  }
  Reactor* GetStudy(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kGetStudy, context, *request, answer, &studies_, &StudyService::GetStudy);
  }
  Reactor* ListStudies(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kListStudies, context, *request, answer, &studies_,
                 &StudyService::ListStudies);
  }
  Reactor* UpdateStudy(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kUpdateStudy, context, *request, answer, &studies_,
                 &StudyService::UpdateStudy);
  }
  Reactor* DeleteStudy(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kDeleteStudy, context, *request, answer, &studies_,
                 &StudyService::DeleteStudy);
  }
  Reactor* Suggest(Context* context, const Bytes* request, Bytes* answer) override {
    return Begin<v1::SuggestRequest, v1::SuggestResponse>(
        Rpc::kSuggest, context, *request, answer, [this](auto* call, Done done) {
          trials_.Suggest(&call->request, &call->response, std::move(done),
                          [context = call->context] { return IsGone(*context); });
        });
  }
  Reactor* Heartbeat(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kHeartbeat, context, *request, answer, &leases_, &LeaseService::Heartbeat);
  }
  Reactor* ReleaseTrials(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kReleaseTrials, context, *request, answer, &leases_,
                 &LeaseService::ReleaseTrials);
  }
  Reactor* Report(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kReport, context, *request, answer, &reports_, &ReportService::Report);
  }
  Reactor* ListReports(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kListReports, context, *request, answer, &reports_,
                 &ReportService::ListReports);
  }
  Reactor* ShouldStop(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kShouldStop, context, *request, answer, &reports_,
                 &ReportService::ShouldStop);
  }
  Reactor* UpdateTrial(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kUpdateTrial, context, *request, answer, &trials_,
                 &TrialService::UpdateTrial);
  }
  Reactor* Observe(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kObserve, context, *request, answer, &trials_, &TrialService::Observe);
  }
  Reactor* AddTrials(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kAddTrials, context, *request, answer, &trials_, &TrialService::AddTrials);
  }
  Reactor* GetTrial(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kGetTrial, context, *request, answer, &trials_, &TrialService::GetTrial);
  }
  Reactor* ListTrials(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kListTrials, context, *request, answer, &trials_, &TrialService::ListTrials);
  }
  Reactor* BestTrials(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kBestTrials, context, *request, answer, &trials_, &TrialService::BestTrials);
  }
  Reactor* Explain(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kExplain, context, *request, answer, &trials_, &TrialService::Explain);
  }
  Reactor* ListPresets(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kListPresets, context, *request, answer, &studies_,
                 &StudyService::ListPresets);
  }
  Reactor* GetSourceTask(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kGetSourceTask, context, *request, answer, &source_tasks_,
                 &SourceTaskService::GetSourceTask);
  }
  Reactor* ListSourceTasks(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kListSourceTasks, context, *request, answer, &source_tasks_,
                 &SourceTaskService::ListSourceTasks);
  }
  Reactor* DeleteSourceTask(Context* context, const Bytes* request, Bytes* answer) override {
    return Unary(Rpc::kDeleteSourceTask, context, *request, answer, &source_tasks_,
                 &SourceTaskService::DeleteSourceTask);
  }
  Reactor* GetServerStatus(Context* context, const Bytes* request, Bytes* answer) override {
    return Begin<v1::GetServerStatusRequest, v1::ServerStatus>(
        Rpc::kGetServerStatus, context, *request, answer, [this](auto* call, Done done) {
          if (monitor_ != nullptr) call->response.set_open_calls(monitor_->open());
          const auto may_see = [caller = call->caller](absl::string_view project) {
            return caller == nullptr || caller->MayUse(project);
          };
          status_.GetServerStatusFor(may_see, &call->response, std::move(done));
        });
  }
  Reactor* BackupStore(Context* context, const Bytes* request, Bytes* answer) override {
    return Begin<v1::BackupStoreRequest, v1::BackupStoreResponse>(
        Rpc::kBackupStore, context, *request, answer, [this](auto* call, const Done& done) {
          backups_.BackupStore(&call->request, &call->response, done);
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
    const auto on_end = [this](std::unique_ptr<SourceTaskUpload> upload,
                               v1::RegisterSourceTaskResponse* response, const Done& done) {
      source_tasks_.RegisterSourceTask(std::move(upload), response, done);
    };
    return new UploadReactor<SourceTaskUpload, v1::RegisterSourceTaskRequest,
                             v1::RegisterSourceTaskResponse>(Rpc::kRegisterSourceTask, on_end,
                                                             context, answer, under_way_, &budget_,
                                                             idle_, monitor_, admission_);
  }
  grpc::ServerReadReactor<Bytes>* ImportStudy(Context* context, Bytes* answer) override {
    const auto on_end = [this](std::unique_ptr<StudyImport> upload, v1::Study* response,
                               const Done& done) {
      exchange_.ImportStudy(std::move(upload), response, done);
    };
    return new UploadReactor<StudyImport, v1::ImportStudyRequest, v1::Study>(
        Rpc::kImportStudy, on_end, context, answer, under_way_, &budget_, idle_, monitor_,
        admission_);
  }
  grpc::ServerWriteReactor<Bytes>* ExportStudy(Context* context, const Bytes* request) override {
    return Export(context, *request);
  }

 private:
  // `run`, a function of (UnaryCall*, Done), works on the call when its request is sound. Counts
  // the call as under way until it is answered.
  template <typename Request, typename Response, typename Run>
  Reactor* Begin(Rpc rpc, Context* context, const Bytes& bytes, Bytes* answer, const Run& run) {
    ++*under_way_;
    Reactor* const reactor = context->DefaultReactor();
    auto* const call =
        new UnaryCall<Request, Response>{context, reactor, answer, MonitoredCall(monitor_, rpc)};
    const Done done = [this, call](const absl::Status& status) {
      const int64_t held_bytes = call->held_bytes;
      call->End(status);
      delete call;
      budget_.GiveBack(held_bytes);
      --*under_way_;  // After this the server may be gone.
    };
    // gRPC keeps the bytes as long as the call.
    Admit(admission_.gate, rpc, *context,
          [this, rpc, call, &bytes, run, done](const Gate::Answer& who) {
            if (!who.ok()) return done(who.status());
            call->caller = *who;
            absl::Status status = HoldBeforeParsing(bytes.Length(), call);
            if (status.ok()) {
              status = OrOutOfMemory([&] { return Parse(bytes, &call->request); });
            }
            if (status.ok()) status = CheckRequest(admission_, rpc, call->caller, call->request);
            if (status.ok()) status = Hold(call);
            status.ok() ? run(call, done) : done(status);
          });
    return reactor;
  }

  template <typename Backend, typename Request, typename Response>
  Reactor* Unary(Rpc rpc, Context* context, const Bytes& bytes, Bytes* answer, Backend* backend,
                 void (Backend::*method)(const Request*, Response*, Done)) {
    return Begin<Request, Response>(
        rpc, context, bytes, answer, [backend, method](auto* call, Done done) {
          (backend->*method)(&call->request, &call->response, std::move(done));
        });
  }

  // Takes what a large request may hold before memory is taken for it, so that of many that are
  // parsed at once those that have begun can be ended, and the others are refused early. No more
  // than half of the budget, so that none is refused for its estimate alone.
  template <typename Call>
  absl::Status HoldBeforeParsing(size_t bytes, Call* call) {
    constexpr int64_t kHeldForEachByte = 24;  // By a list of candidates with eight parameters.
    if (bytes < kLargeBytes) return absl::OkStatus();
    const int64_t estimate = kHeldForEachByte * static_cast<int64_t>(bytes);
    return HoldInAll(std::min(estimate, budget_.bytes() / 2), call);
  }

  // Takes what a call of a large request holds: the request, and about as much again for what is
  // made of it. Small ones are too many to be worth counting, and bounded by the calls of a
  // connection.
  template <typename Call>
  absl::Status Hold(Call* call) {
    if (call->request.ByteSizeLong() < kLargeBytes) return absl::OkStatus();
    return HoldInAll(static_cast<int64_t>(2 * call->request.SpaceUsedLong()), call);
  }

  // Takes from the budget, or gives back to it, what is missing.
  template <typename Call>
  absl::Status HoldInAll(int64_t bytes, Call* call) {
    const int64_t more = bytes - call->held_bytes;
    if (more > 0) SLIPSTREAM_RETURN_IF_ERROR(budget_.Take(more));
    if (more < 0) budget_.GiveBack(-more);
    call->held_bytes = bytes;
    return absl::OkStatus();
  }

  template <typename Request>
  WatchReactor* Watch(Rpc rpc, Context* context, const Bytes& bytes,
                      void (WatchService::*method)(const Request*, std::function<void()>,
                                                   WatchService::Opened)) {
    // What the call is about, once it has been admitted and read.
    struct Watched {
      Request request;
      std::shared_ptr<const Identity> caller;
    };
    const auto watched = std::make_shared<Watched>();
    const auto on_end = [watched, context,
                         call = MonitoredCall(monitor_, rpc)](const absl::Status& status) {
      call.End(status, [&] {
        CallFacts facts = FactsOf(watched->request);
        facts.peer = context->peer();
        facts.caller = NameOf(watched->caller);
        return facts;
      });
    };
    const auto open = [admission = admission_, watches = &watches_, rpc, context, watched,
                       request = &bytes, method](const std::function<void()>& on_more,
                                                 const WatchService::Opened& opened) {
      Admit(admission.gate, rpc, *context, [=](const Gate::Answer& who) {
        if (!who.ok()) return opened(who.status());
        watched->caller = *who;
        absl::Status status = Parse(*request, &watched->request);
        if (status.ok()) status = CheckRequest(admission, rpc, *who, watched->request);
        if (!status.ok()) return opened(status);
        (watches->*method)(&watched->request, on_more,
                           [watched, opened](auto stream) { opened(std::move(stream)); });
      });
    };
    return new WatchReactor(open, on_end);
  }

  ExportReactor* Export(Context* context, const Bytes& bytes) {
    // What the call is about, once it has been admitted and read.
    struct Exported {
      v1::ExportStudyRequest request;
      std::shared_ptr<const Identity> caller;
    };
    const auto exported = std::make_shared<Exported>();
    ++*under_way_;
    const auto on_end =
        [this, exported, context,
         call = MonitoredCall(monitor_, Rpc::kExportStudy)](const absl::Status& status) {
          call.End(status, [&] {
            CallFacts facts = FactsOf(exported->request);
            facts.peer = context->peer();
            facts.caller = NameOf(exported->caller);
            return facts;
          });
        };
    const auto open = [this, context, exported,
                       request = &bytes](const ExchangeService::Opened& opened) {
      Admit(admission_.gate, Rpc::kExportStudy, *context, [=, this](const Gate::Answer& who) {
        if (!who.ok()) return opened(who.status());
        exported->caller = *who;
        absl::Status status = Parse(*request, &exported->request);
        if (status.ok()) {
          status = CheckRequest(admission_, Rpc::kExportStudy, *who, exported->request);
        }
        if (!status.ok()) return opened(status);
        // The service needs the request until it has opened the export.
        exchange_.ExportStudy(&exported->request,
                              [exported, opened](auto found) { opened(std::move(found)); });
      });
    };
    return new ExportReactor(&exchange_, &budget_, under_way_, open, on_end);
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
  ExchangeService& exchange_;
  StatusService& status_;
  BackupService& backups_;
  std::atomic<int64_t>* const under_way_;
  MemoryBudget& budget_;
  IdleUploads* const idle_;
  CallMonitor* const monitor_;
  const Admission admission_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeOptimizationAdapter(Service* service,
                                                       std::atomic<int64_t>* under_way,
                                                       MemoryBudget* budget, IdleUploads* idle,
                                                       CallMonitor* monitor, Admission admission) {
  return std::make_unique<OptimizationAdapter>(service, under_way, budget, idle, monitor,
                                               admission);
}

}  // namespace slipstream
