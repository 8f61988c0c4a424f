// Who may do what with the real program: tokens, roles, TLS, the audit log.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "server/access/rpc_table.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "slipstream/messages/client.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/eventually.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = grpc::StatusCode;
using Stub = v1::OptimizationService::Stub;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Tokens of one caller of each role; made once, as that takes long.
struct Callers {
  static const Callers& All() {
    static const auto& callers = *new Callers;
    return callers;
  }
  Token trainer = MakeToken("trainer").value();
  Token operators = MakeToken("operator").value();
  Token ci = MakeToken("ci").value();
  Token admin = MakeToken("admin").value();

  std::string File() const {
    std::string text = "# callers\n";
    for (const auto& [role, token] :
         {std::pair("trainer", &trainer), std::pair("operator", &operators), std::pair("ci", &ci),
          std::pair("admin", &admin)}) {
      text += TokenLine(ParseIdentity(role, role, "*").value(), token->hash);
    }
    return text;
  }
};

// `method` of the server with this token, or none if it is empty.
template <typename Request, typename Response = google::protobuf::Empty>
grpc::Status CallAs(const std::string& token, Stub& stub,
                    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response = nullptr) {
  grpc::ClientContext context;
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  Response ignored;
  return (stub.*method)(&context, request, response != nullptr ? response : &ignored);
}

class Access : public testing::Test {
 protected:
  Access() { WriteWhole(tokens_, Callers::All().File()); }

  void Start(std::vector<std::string> flags = {}) {
    flags.insert(flags.end(), {"--token-file", tokens_});
    server_.emplace(data_.path(), flags);
  }
  Stub& stub() { return server_->stub(); }
  grpc::Status Create(const std::string& token, const std::string& id = "s") {
    return CallAs(token, stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), id));
  }

  TemporaryFolder data_;
  TemporaryFolder scratch_;
  const std::string tokens_ = scratch_.path() + "/tokens";
  std::optional<ServerProcess> server_;
};

TEST_F(Access, EveryMethodAsksForAToken) {
  Start();
  const auto* service =
      v1::CreateStudyRequest::descriptor()->file()->FindServiceByName("OptimizationService");
  for (int i = 0; i < service->method_count(); ++i) {
    grpc::GenericStub generic(server_->channel());
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    void* tag = nullptr;
    bool ok = false;
    const auto call = generic.PrepareCall(
        &context, "/slipstream.v1.OptimizationService/" + service->method(i)->name(), &queue);
    call->StartCall(nullptr);
    queue.Next(&tag, &ok);
    grpc::Slice nothing;
    call->WriteLast(grpc::ByteBuffer(&nothing, 1), {}, nullptr);
    queue.Next(&tag, &ok);
    grpc::Status status;
    call->Finish(&status, nullptr);
    queue.Next(&tag, &ok);
    EXPECT_EQ(status.error_code(), Code::UNAUTHENTICATED) << service->method(i)->name();
    EXPECT_THAT(status.error_message(), HasSubstr("SLIPSTREAM_TOKEN"));
  }
}

TEST_F(Access, EachRoleMayDoItsOwnWork) {
  Start();
  const Callers& callers = Callers::All();
  EXPECT_EQ(Create(callers.ci.text).error_code(), Code::PERMISSION_DENIED);
  ASSERT_TRUE(Create(callers.trainer.text).ok());
  v1::SuggestResponse suggestion;
  ASSERT_TRUE(CallAs(callers.trainer.text, stub(), &Stub::Suggest, AskRequest("studies/s", "w"),
                     &suggestion)
                  .ok());
  EXPECT_TRUE(CallAs(callers.trainer.text, stub(), &Stub::Observe,
                     TellRequest(suggestion.trials(0).name(), LossOutcome(1)))
                  .ok());
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  EXPECT_TRUE(CallAs(callers.ci.text, stub(), &Stub::GetStudy, get).ok());
  v1::DeleteStudyRequest remove;
  remove.set_name("studies/s");
  const grpc::Status refused = CallAs(callers.trainer.text, stub(), &Stub::DeleteStudy, remove);
  EXPECT_EQ(refused.error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(), HasSubstr("needs operator or admin"));
  EXPECT_EQ(CallAs(callers.ci.text, stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest())
                .error_code(),
            Code::PERMISSION_DENIED);
  EXPECT_TRUE(
      CallAs(callers.admin.text, stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest())
          .ok());
  EXPECT_TRUE(CallAs(callers.operators.text, stub(), &Stub::DeleteStudy, remove).ok());
}

TEST_F(Access, ATokenOpensItsOwnProjectsAlone) {
  const Token ann = MakeToken("ann").value();
  WriteWhole(tokens_, Callers::All().File() +
                          TokenLine(ParseIdentity("ann", "operator", "vision").value(), ann.hash));
  Start();
  const std::string admin = Callers::All().admin.text;
  const auto create = [&](const std::string& token, const std::string& parent) {
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
    request.set_parent(parent);
    return CallAs(token, stub(), &Stub::CreateStudy, request).error_code();
  };
  const auto get = [&](const std::string& name) {
    v1::GetStudyRequest request;
    request.set_name(name);
    return CallAs(ann.text, stub(), &Stub::GetStudy, request);
  };
  const auto list = [&](const std::string& parent) {
    v1::ListStudiesRequest request;
    request.set_parent(parent);
    return CallAs(ann.text, stub(), &Stub::ListStudies, request).error_code();
  };
  ASSERT_EQ(create(admin, ""), Code::OK);
  ASSERT_EQ(create(admin, "projects/nlp"), Code::OK);
  EXPECT_EQ(create(ann.text, "projects/vision"), Code::OK);
  EXPECT_EQ(create(ann.text, ""), Code::PERMISSION_DENIED);
  EXPECT_EQ(create(ann.text, "projects/nlp"), Code::PERMISSION_DENIED);
  EXPECT_TRUE(get("projects/vision/studies/s").ok());
  EXPECT_EQ(get("studies/s").error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(get("studies/s").error_message(),
              HasSubstr("ann may use the project vision and not default; names without a project "
                        "belong to default: name projects/vision, or use a token"));
  EXPECT_THAT(get("projects/nlp/studies/s").error_message(),
              HasSubstr("ann may use the project vision and not nlp; use a token"));
  EXPECT_EQ(get("projects/nlp/studies/none").error_code(), Code::PERMISSION_DENIED)
      << "not even whether it exists";
  const auto create_from = [&](const std::string& sources) {
    v1::Study study = ExampleStudy();
    study.add_source_tasks(sources);
    v1::CreateStudyRequest request = CreateRequest(study, "from");
    request.set_parent("projects/vision");
    return CallAs(ann.text, stub(), &Stub::CreateStudy, request).error_code();
  };
  EXPECT_EQ(create_from("projects/nlp/sourceTasks/-"), Code::PERMISSION_DENIED);
  EXPECT_EQ(create_from("sourceTasks/-"), Code::PERMISSION_DENIED);
  EXPECT_EQ(create_from("projects/vision/sourceTasks/-"), Code::OK);
  EXPECT_EQ(list("projects/vision"), Code::OK);
  EXPECT_EQ(list(""), Code::PERMISSION_DENIED);
  EXPECT_EQ(list("projects/-"), Code::PERMISSION_DENIED);
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + ann.text);
  v1::RegisterSourceTaskResponse response;
  const auto writer = stub().RegisterSourceTask(&context, &response);
  v1::RegisterSourceTaskRequest header;
  header.mutable_header()->set_parent("projects/nlp");
  writer->Write(header);
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), Code::PERMISSION_DENIED);
}

TEST_F(Access, AnAdminOfSomeProjectsMakesNoBackupOfAll) {
  const Token ann = MakeToken("ann").value();
  WriteWhole(tokens_,
             Callers::All().File() +
                 TokenLine(ParseIdentity("ann", "admin", "default,vision").value(), ann.hash));
  Start({"--backup-folder", scratch_.path()});
  for (const std::string name : {"", "x.db"}) {
    v1::BackupStoreRequest request;
    request.set_name(name);
    const grpc::Status refused = CallAs(ann.text, stub(), &Stub::BackupStore, request);
    EXPECT_EQ(refused.error_code(), Code::PERMISSION_DENIED) << name;
    EXPECT_THAT(refused.error_message(), HasSubstr("vision and not all; use a token for all"));
    EXPECT_TRUE(CallAs(Callers::All().admin.text, stub(), &Stub::BackupStore, request).ok());
  }
}

TEST_F(Access, AWatcherIsToldOfItsProjectAlone) {
  Start();
  const std::string admin = Callers::All().admin.text;
  const auto watch = [&](grpc::ClientContext* context, const std::string& parent) {
    context->AddMetadata("authorization", "Bearer " + admin);
    v1::WatchStudiesRequest request;
    request.set_parent(parent);
    auto reader = stub().WatchStudies(context, request);
    v1::WatchResponse begun;
    EXPECT_TRUE(reader->Read(&begun));
    return reader;
  };
  grpc::ClientContext contexts[3];
  const auto vision = watch(&contexts[0], "projects/vision");
  const auto standard = watch(&contexts[1], "");
  const auto all = watch(&contexts[2], "projects/-");
  for (const std::string parent : {"projects/nlp", "", "projects/vision"}) {
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
    request.set_parent(parent);
    ASSERT_TRUE(CallAs(admin, stub(), &Stub::CreateStudy, request).ok());
  }
  const auto names = [](auto& reader, int count) {
    std::vector<std::string> found;
    v1::WatchResponse response;
    while (static_cast<int>(found.size()) < count && reader->Read(&response)) {
      for (const v1::StudyEvent& event : response.events()) found.push_back(event.study());
    }
    return found;
  };
  EXPECT_THAT(names(vision, 1), testing::ElementsAre("projects/vision/studies/s"));
  EXPECT_THAT(names(standard, 1), testing::ElementsAre("studies/s"));
  EXPECT_EQ(names(all, 3).size(), 3u);
  for (grpc::ClientContext& context : contexts) context.TryCancel();
}

TEST_F(Access, TheWatchersOfOneProjectLeavePlacesToTheOthers) {
  constexpr size_t kMostOfAProject = 250;
  const Token ann = MakeToken("ann").value();
  WriteWhole(tokens_, Callers::All().File() +
                          TokenLine(ParseIdentity("ann", "trainer", "vision").value(), ann.hash));
  Start();
  struct Watch {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::WatchResponse>> reader;
  };
  std::vector<std::unique_ptr<Watch>> watches;
  const auto begins = [&](const std::string& token, const std::string& parent) {
    watches.push_back(std::make_unique<Watch>());
    watches.back()->context.AddMetadata("authorization", "Bearer " + token);
    v1::WatchStudiesRequest request;
    request.set_parent(parent);
    watches.back()->reader = stub().WatchStudies(&watches.back()->context, request);
    v1::WatchResponse begun;
    return watches.back()->reader->Read(&begun);
  };
  for (size_t i = 0; i < kMostOfAProject; ++i) ASSERT_TRUE(begins(ann.text, "projects/vision"));
  EXPECT_FALSE(begins(ann.text, "projects/vision"));
  const grpc::Status refused = watches.back()->reader->Finish();
  EXPECT_EQ(refused.error_code(), Code::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("250 watchers of the project vision"));
  EXPECT_TRUE(begins(Callers::All().trainer.text, "projects/nlp"));
  EXPECT_TRUE(begins(Callers::All().trainer.text, "projects/-"));
  watches[0]->context.TryCancel();
  EXPECT_TRUE(Eventually([&] { return begins(ann.text, "projects/vision"); }));
  for (const auto& watch : watches) watch->context.TryCancel();
}

TEST_F(Access, ARefusedUploadAndWatchEndAtOnce) {
  Start();
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + Callers::All().trainer.text);
  v1::RegisterSourceTaskResponse response;
  const auto writer = stub().RegisterSourceTask(&context, &response);
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), Code::PERMISSION_DENIED);
  grpc::ClientContext anonymous;
  const auto reader = stub().WatchStudies(&anonymous, v1::WatchStudiesRequest());
  v1::WatchResponse event;
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_EQ(reader->Finish().error_code(), Code::UNAUTHENTICATED);
  grpc::ClientContext nameless;
  nameless.AddMetadata("authorization", "Bearer " + Callers::All().trainer.text);
  EXPECT_EQ(stub().WatchStudy(&nameless, v1::WatchStudyRequest())->Finish().error_code(),
            Code::INVALID_ARGUMENT);
}

TEST_F(Access, HealthIsToldToEverybody) {
  Start();
  EXPECT_TRUE(IsServing(server_->channel()));
}

TEST_F(Access, ATokenFileIsReadAgainWhenItChanges) {
  Start();
  const Token late = MakeToken("late").value();
  EXPECT_EQ(Create(late.text, "a").error_code(), Code::UNAUTHENTICATED);
  WriteWhole(tokens_, TokenLine(ParseIdentity("late", "trainer", "*").value(), late.hash));
  EXPECT_TRUE(server_->Writes("read the token file again"));
  EXPECT_TRUE(Create(late.text, "b").ok());
  EXPECT_EQ(Create(Callers::All().admin.text, "c").error_code(), Code::UNAUTHENTICATED)
      << "its line is gone";
  WriteWhole(tokens_, "late trainer *\n");
  EXPECT_TRUE(server_->Writes("the previous tokens stay valid"));
  EXPECT_TRUE(Create(late.text, "d").ok());
}

TEST_F(Access, CertificatesThatNobodyIsAskedForAreWarnedOf) {
  WriteWhole(tokens_, Callers::All().File() + "robot ci * certificate\n");
  Start();
  EXPECT_THAT(server_->Terminate().output,
              HasSubstr("some callers cannot identify themselves"));
}

TEST_F(Access, TokensHoldOnWhenTheirFileBecomesAFolderOrAPipe) {
  for (const bool pipe : {false, true}) {
    WriteWhole(tokens_, Callers::All().File());
    Start();
    std::filesystem::remove(tokens_);
    ASSERT_EQ(pipe ? mkfifo(tokens_.c_str(), 0600) : mkdir(tokens_.c_str(), 0700), 0);
    EXPECT_TRUE(server_->Writes(tokens_ + " cannot be read: it is a folder, a pipe"));
    EXPECT_THAT(server_->Output(), HasSubstr("the previous tokens stay valid"));
    EXPECT_TRUE(Create(Callers::All().admin.text, pipe ? "a" : "b").ok());
    EXPECT_EQ(server_->Terminate().exit_code, 0);
    std::filesystem::remove(tokens_);
  }
}

// A caller of one project whose line in the token file changes while her calls are under way.
class Withdrawal : public Access {
 protected:
  Withdrawal() { WriteLine("operator", "vision"); }

  void WriteLine(const std::string& role, const std::string& projects) {
    WriteWhole(tokens_, Callers::All().File() +
                            TokenLine(ParseIdentity("ann", role, projects).value(), ann_.hash));
  }
  void Begin() {
    Start();
    v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
    request.set_parent("projects/vision");
    ASSERT_TRUE(CallAs(ann_.text, stub(), &Stub::CreateStudy, request).ok());
  }
  void ReadAgain() { ASSERT_TRUE(server_->Writes("read the token file again")); }

  const Token ann_ = MakeToken("ann").value();
};

TEST_F(Withdrawal, EndsWatchesThoughNothingHappensInThem) {
  Begin();
  grpc::ClientContext contexts[3];
  for (grpc::ClientContext& context : contexts) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    context.AddMetadata("authorization", "Bearer " + ann_.text);
  }
  v1::WatchStudyRequest of_one;
  of_one.set_study("projects/vision/studies/s");
  v1::WatchStudiesRequest of_all;
  of_all.set_parent("projects/vision");
  const auto begun = [](auto reader) {
    v1::WatchResponse response;
    EXPECT_TRUE(reader->Read(&response));
    return reader;
  };
  const auto end_of = [](auto& reader) {
    v1::WatchResponse response;
    EXPECT_FALSE(reader->Read(&response));
    return reader->Finish().error_code();
  };
  WriteLine("operator", "vision,speech");
  ReadAgain();
  const auto one = begun(stub().WatchStudy(&contexts[0], of_one));
  WriteLine("trainer", "vision,nlp");
  ReadAgain();
  const auto all = begun(stub().WatchStudies(&contexts[1], of_all));
  WriteLine("trainer", "nlp");
  EXPECT_EQ(end_of(one), Code::PERMISSION_DENIED) << "not for the loss of another";
  EXPECT_EQ(end_of(all), Code::PERMISSION_DENIED);
  WriteLine("trainer", "vision");
  v1::GetStudyRequest get;
  get.set_name(of_one.study());
  ASSERT_TRUE(Eventually([&] { return CallAs(ann_.text, stub(), &Stub::GetStudy, get).ok(); }));
  const auto again = begun(stub().WatchStudies(&contexts[2], of_all));
  WriteWhole(tokens_, Callers::All().File());
  EXPECT_EQ(end_of(again), Code::UNAUTHENTICATED);
}

TEST_F(Withdrawal, StoresNothingOfAnUploadThatWasBegunBefore) {
  Begin();
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + ann_.text);
  v1::ImportStudyRequest import;
  import.mutable_header()->set_parent("projects/vision");
  import.mutable_header()->set_study_id("imported");
  for (const v1::ExportLine& line : LinesOf(ExampleStudy(), {})) *import.add_lines() = line;
  v1::Study study;
  const auto writer = stub().ImportStudy(&context, &study);
  ASSERT_TRUE(writer->Write(import));
  v1::GetServerStatusRequest status;
  ASSERT_TRUE(Eventually([&] {
    v1::ServerStatus answer;
    EXPECT_TRUE(CallAs(Callers::All().admin.text, stub(), &Stub::GetServerStatus, status, &answer)
                    .ok());
    return answer.open_calls() == 2;
  })) << "it is admitted";
  WriteWhole(tokens_, Callers::All().File());
  ReadAgain();
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), Code::UNAUTHENTICATED);
  v1::GetStudyRequest get;
  get.set_name("projects/vision/studies/imported");
  EXPECT_EQ(CallAs(Callers::All().admin.text, stub(), &Stub::GetStudy, get).error_code(),
            Code::NOT_FOUND);
}

TEST_F(Access, NoTokenIsInAnyLog) {
  setenv("GRPC_VERBOSITY", "DEBUG", 1);
  Start({"--log-level", "debug", "--audit-log", scratch_.path() + "/audit"});
  unsetenv("GRPC_VERBOSITY");
  const Callers& callers = Callers::All();
  ASSERT_TRUE(Create(callers.trainer.text).ok());
  EXPECT_FALSE(Create(callers.ci.text, "t").ok());
  EXPECT_FALSE(Create("trainer.wrong-secret", "u").ok());
  const std::string logs = server_->Terminate().output + ReadAll(scratch_.path() + "/audit");
  EXPECT_THAT(logs, HasSubstr("caller=trainer"));
  for (const Token* token : {&callers.trainer, &callers.ci, &callers.operators, &callers.admin}) {
    EXPECT_THAT(logs, Not(HasSubstr(token->text.substr(token->text.find('.') + 1))));
    EXPECT_THAT(logs, Not(HasSubstr(token->hash)));
  }
  EXPECT_THAT(logs, Not(HasSubstr("wrong-secret")));
}

TEST_F(Access, ARefusedCallIsLoggedWithItsCaller) {
  Start();
  const Callers& callers = Callers::All();
  const auto line = [&](const std::string& method) {
    EXPECT_TRUE(server_->Writes("method=" + method + " "));
    const std::vector<std::string> lines = absl::StrSplit(server_->Output(), '\n');
    for (const std::string& each : lines) {
      if (absl::StrContains(each, "method=" + method + " ")) return each;
    }
    return std::string("no line of ") + method;
  };
  EXPECT_EQ(Create(callers.ci.text).error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(line("CreateStudy"), AllOf(HasSubstr("call refused"), HasSubstr("caller=ci ")));
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + callers.trainer.text);
  v1::RegisterSourceTaskResponse response;
  const auto writer = stub().RegisterSourceTask(&context, &response);
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(line("RegisterSourceTask"), HasSubstr("caller=trainer ")) << "an upload";
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  EXPECT_EQ(CallAs("trainer.wrong", stub(), &Stub::GetStudy, get).error_code(),
            Code::UNAUTHENTICATED);
  EXPECT_THAT(line("GetStudy"), Not(HasSubstr("caller="))) << "nobody knows who it was";
}

TEST_F(Access, AnUnfitTokenFileIsRefusedAtTheStart) {
  const auto start = [&] {
    return ServerProcess::Run(
        {"--data", data_.path(), "--create", "--listen", "127.0.0.1:0", "--token-file", tokens_});
  };
  WriteWhole(tokens_, "ann boss * certificate\n");
  EXPECT_EQ(start().exit_code, 2);
  EXPECT_THAT(start().output, AllOf(HasSubstr(tokens_), HasSubstr("line 1")));
  std::filesystem::remove(tokens_);
  EXPECT_EQ(start().exit_code, 2);
}

TEST_F(Access, ANewTokenIsPrintedWithItsLine) {
  const EndedProcess made = ServerProcess::Run({"--new-token", "ann:operator:vision,nlp"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::vector<std::string> lines = absl::StrSplit(made.output, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 4u) << made.output;
  const auto table = ParseTokenFile(lines[3]);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->at("ann").identity->role, Role::kOperator);
  EXPECT_TRUE(*IsTokenOfHash(lines[1], table->at("ann").hash));
  EXPECT_EQ(ServerProcess::Run({"--new-token", "ann:boss:*"}).exit_code, 2);
  EXPECT_EQ(ServerProcess::Run({"--new-token", "ann"}).exit_code, 2);
}

TEST_F(Access, TheAuditLogTellsWhoChangedWhat) {
  const std::string audit = scratch_.path() + "/audit";
  Start({"--audit-log", audit});
  v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "");
  request.set_request_id("the-request");
  v1::Study made;
  ASSERT_TRUE(CallAs(Callers::All().trainer.text, stub(), &Stub::CreateStudy, request, &made).ok());
  v1::GetStudyRequest get;
  get.set_name(made.name());
  ASSERT_TRUE(CallAs(Callers::All().trainer.text, stub(), &Stub::GetStudy, get).ok());
  EXPECT_FALSE(Create(Callers::All().ci.text).ok());
  const std::vector<std::string> lines = absl::StrSplit(ReadAll(audit), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 1u) << "neither what reads nor what is refused";
  const nlohmann::json line = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(line["caller"], "trainer");
  EXPECT_EQ(line["method"], "CreateStudy");
  EXPECT_EQ(line["resource"], made.name());
  EXPECT_EQ(line["request_id"], "the-request");
  EXPECT_THAT(std::string(line["time"]), HasSubstr("T"));
  struct stat found = {};
  ASSERT_EQ(stat(audit.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  // Rotation: the file is moved away while the server runs.
  std::filesystem::rename(audit, audit + ".1");
  EXPECT_TRUE(Eventually([&] {
    EXPECT_TRUE(Create(Callers::All().trainer.text, "").ok());
    return std::filesystem::exists(audit);
  }));
}

TEST_F(Access, TheAuditLogTellsWhoReadWhatIfItIsAskedTo) {
  const std::string audit = scratch_.path() + "/audit";
  Start({"--audit-log", audit, "--audit-reads"});
  ASSERT_TRUE(Create(Callers::All().trainer.text, "s").ok());
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  ASSERT_TRUE(CallAs(Callers::All().ci.text, stub(), &Stub::GetStudy, get).ok());
  const std::vector<std::string> lines = absl::StrSplit(ReadAll(audit), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 2u);
  const nlohmann::json line = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(line["caller"], "ci");
  EXPECT_EQ(line["method"], "GetStudy");
  EXPECT_EQ(line["resource"], "studies/s");
  EXPECT_TRUE(line.contains("time") && line.contains("peer"));
  EXPECT_EQ(ServerProcess::Run({"--data", scratch_.path(), "--audit-reads"}).exit_code, 2)
      << "there is no audit log";
}

// How each RPC that the audit log tells of is made, in an order in which each has what it needs,
// and the resource that its line names.
struct AuditedCall {
  Rpc rpc;
  std::string resource;
  std::function<grpc::Status(Stub&, const std::string& token)> make;
};

template <typename Request, typename Response>
AuditedCall Audited(Rpc rpc, const std::string& resource,
                    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const std::function<void(Request&)>& fill) {
  Request request;
  fill(request);
  return {rpc, resource, [method, request](Stub& stub, const std::string& token) {
            return CallAs(token, stub, method, request);
          }};
}

// Sends one message and its end.
template <typename Method, typename Request, typename Response>
auto UploadOf(Method method, Request request, Response response) {
  return [=](Stub& stub, const std::string& token) mutable {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    const auto writer = (stub.*method)(&context, &response);
    writer->Write(request);
    writer->WritesDone();
    return writer->Finish();
  };
}

v1::RegisterSourceTaskRequest ExampleSource() {
  v1::RegisterSourceTaskRequest source;
  v1::SourceTask* const task = source.mutable_header()->mutable_source_task();
  *task->mutable_space() = ExampleStudy().space();
  *task->mutable_metrics() = ExampleStudy().metrics();
  *source.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  return source;
}

v1::ImportStudyRequest ImportOf(const std::string& study_id) {
  v1::ImportStudyRequest import;
  import.mutable_header()->set_study_id(study_id);
  for (const v1::ExportLine& line : LinesOf(ExampleStudy(), {})) *import.add_lines() = line;
  return import;
}

std::vector<AuditedCall> AuditedCalls(const std::string& backup_folder) {
  const std::string study = "studies/s";
  const std::string trial = "studies/s/trials/1";
  const auto trials_of = [&](auto& request) {
    request.set_study(study);
    request.set_worker("w");
    request.add_trials(trial);
  };
  return {
      Audited<v1::CreateStudyRequest>(
          Rpc::kCreateStudy, study, &Stub::CreateStudy,
          [](auto& request) { request = CreateRequest(ExampleStudy(), "s"); }),
      Audited<v1::SuggestRequest>(Rpc::kSuggest, study, &Stub::Suggest,
                                  [&](auto& request) { request = AskRequest(study, "w", 2); }),
      Audited<v1::HeartbeatRequest>(Rpc::kHeartbeat, study, &Stub::Heartbeat, trials_of),
      Audited<v1::ReportRequest>(Rpc::kReport, trial, &Stub::Report,
                                 [&](auto& request) {
                                   request.set_trial(trial);
                                   v1::StepMeasurement* report = request.add_reports();
                                   report->set_step(1);
                                   *report->mutable_measurement() = LossOutcome(1).measurement();
                                 }),
      Audited<v1::UpdateTrialRequest>(Rpc::kUpdateTrial, trial, &Stub::UpdateTrial,
                                      [&](auto& request) {
                                        request.mutable_trial()->set_name(trial);
                                        request.mutable_trial()->set_note("a note");
                                        request.mutable_update_mask()->add_paths("note");
                                      }),
      Audited<v1::ReleaseTrialsRequest>(Rpc::kReleaseTrials, study, &Stub::ReleaseTrials,
                                        trials_of),
      Audited<v1::ObserveRequest>(
          Rpc::kObserve, "studies/s/trials/2", &Stub::Observe,
          [](auto& request) { request = TellRequest("studies/s/trials/2", LossOutcome(1)); }),
      Audited<v1::AddTrialsRequest>(Rpc::kAddTrials, study, &Stub::AddTrials,
                                    [&](auto& request) {
                                      request.set_study(study);
                                      *request.add_observations() =
                                          MeasuredObservation(ExampleConfiguration(), 1);
                                    }),
      Audited<v1::UpdateStudyRequest>(Rpc::kUpdateStudy, study, &Stub::UpdateStudy,
                                      [&](auto& request) {
                                        request.mutable_study()->set_name(study);
                                        request.mutable_study()->set_state(v1::Study::PAUSED);
                                        request.mutable_update_mask()->add_paths("state");
                                      }),
      {Rpc::kImportStudy, "studies/imported",
       UploadOf(&Stub::ImportStudy, ImportOf("imported"), v1::Study())},
      {Rpc::kRegisterSourceTask, "sourceTasks/",
       UploadOf(&Stub::RegisterSourceTask, ExampleSource(), v1::RegisterSourceTaskResponse())},
      {Rpc::kDeleteSourceTask, "sourceTasks/",
       [](Stub& stub, const std::string& token) {
         v1::ListSourceTasksResponse tasks;
         CallAs(token, stub, &Stub::ListSourceTasks, v1::ListSourceTasksRequest(), &tasks);
         v1::DeleteSourceTaskRequest request;
         request.set_name(tasks.source_tasks(0).name());
         return CallAs(token, stub, &Stub::DeleteSourceTask, request);
       }},
      Audited<v1::DeleteStudyRequest>(Rpc::kDeleteStudy, study, &Stub::DeleteStudy,
                                      [&](auto& request) { request.set_name(study); }),
      Audited<v1::BackupStoreRequest>(Rpc::kBackupStore, backup_folder + "/copy.db",
                                      &Stub::BackupStore,
                                      [](auto& request) { request.set_name("copy.db"); }),
  };
}

TEST_F(Access, TheAuditLogTellsOfEveryChangeAndOfBackups) {
  const std::string audit = scratch_.path() + "/audit";
  Start({"--audit-log", audit, "--backup-folder", scratch_.path()});
  const std::vector<AuditedCall> calls = AuditedCalls(scratch_.path());
  std::set<Rpc> made;
  for (const AuditedCall& call : calls) {
    const std::string method(EntryOf(call.rpc).name);
    const grpc::Status status = call.make(stub(), Callers::All().admin.text);
    ASSERT_TRUE(status.ok()) << method << ": " << status.error_message();
    made.insert(call.rpc);
    const std::vector<std::string> lines = absl::StrSplit(ReadAll(audit), '\n', absl::SkipEmpty());
    ASSERT_EQ(lines.size(), made.size()) << method;
    const nlohmann::json line = nlohmann::json::parse(lines.back());
    EXPECT_EQ(line["caller"], "admin");
    EXPECT_EQ(line["method"], method);
    EXPECT_THAT(line.value("resource", ""), testing::StartsWith(call.resource)) << method;
  }
  for (const RpcEntry& entry : RpcTable()) {
    EXPECT_EQ(made.contains(entry.rpc), entry.changes || entry.rpc == Rpc::kBackupStore)
        << entry.name << " is to be made by this test if the audit log tells of it";
  }
}

TEST_F(Access, TheAuditLogTellsWhatWasReplacedAndNotWhatWasOnlyValidated) {
  const std::string audit = scratch_.path() + "/audit";
  Start({"--audit-log", audit});
  v1::RegisterSourceTaskRequest source = ExampleSource();
  source.mutable_header()->set_validate_only(true);
  v1::ImportStudyRequest import = ImportOf("imported");
  import.mutable_header()->set_replace_existing(true);
  const std::string& token = Callers::All().admin.text;
  auto validate = UploadOf(&Stub::RegisterSourceTask, source, v1::RegisterSourceTaskResponse());
  EXPECT_TRUE(validate(stub(), token).ok());
  auto replace = UploadOf(&Stub::ImportStudy, import, v1::Study());
  EXPECT_TRUE(replace(stub(), token).ok());
  EXPECT_TRUE(replace(stub(), token).ok());
  const std::vector<std::string> lines = absl::StrSplit(ReadAll(audit), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 2u);
  const nlohmann::json line = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(line["method"], "ImportStudy");
  EXPECT_EQ(line["options"], "replace_existing");
}

// ---- TLS ----

class Tls : public Access {
 protected:
  Tls() { Install(authority_.Issue("server")); }

  void Install(const CertificateAndKey& certificate) {
    WriteWhole(Path("key"), certificate.key);
    WriteWhole(Path("certificate"), certificate.certificate);
    WriteWhole(Path("ca"), authority_.certificate());
  }
  std::string Path(const std::string& name) { return scratch_.path() + "/" + name; }
  std::vector<std::string> Flags() {
    return {"--tls-certificate", Path("certificate"), "--tls-key", Path("key")};
  }
  std::unique_ptr<Stub> Connect(const grpc::SslCredentialsOptions& options) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return v1::OptimizationService::NewStub(
        grpc::CreateCustomChannel(server_->address(), grpc::SslCredentials(options), arguments));
  }
  grpc::SslCredentialsOptions Trusting(const CertificateAuthority& authority) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority.certificate();
    return options;
  }
  // Of a caller who trusts our authority and shows this certificate.
  std::unique_ptr<Stub> ConnectWith(const CertificateAndKey& own) {
    grpc::SslCredentialsOptions options = Trusting(authority_);
    options.pem_cert_chain = own.certificate;
    options.pem_private_key = own.key;
    return Connect(options);
  }
  static Code List(Stub& stub, const std::string& token = "") {
    return CallAs(token, stub, &Stub::ListStudies, v1::ListStudiesRequest()).error_code();
  }

  CertificateAuthority authority_{"Test Authority"};
};

TEST_F(Tls, WhoTrustsTheAuthorityIsServedAndPlaintextIsNot) {
  server_.emplace(data_.path(), Flags());
  EXPECT_EQ(List(*Connect(Trusting(authority_))), Code::OK);
  EXPECT_EQ(List(*Connect(Trusting(CertificateAuthority("Another")))), Code::UNAVAILABLE);
  EXPECT_EQ(List(stub()), Code::UNAVAILABLE) << "plaintext";
}

TEST_F(Tls, ACertificateIsReadAgainWhenItChanges) {
  server_.emplace(data_.path(), Flags());
  const CertificateAuthority old = std::move(authority_);
  ASSERT_EQ(List(*Connect(Trusting(old))), Code::OK);
  authority_ = CertificateAuthority("Next Authority");
  Install(authority_.Issue("server"));
  EXPECT_TRUE(Eventually([&] { return List(*Connect(Trusting(authority_))) == Code::OK; }));
  EXPECT_EQ(List(*Connect(Trusting(old))), Code::UNAVAILABLE);
}

TEST_F(Tls, WhileTheFilesDoNotFitThoseOfBeforeServeAndTheLogSaysWhatIsWrong) {
  const CertificateAndKey next = authority_.Issue("server");
  CertificateAuthority other("Another Authority");
  const CertificateAndKey strange = other.Issue("server");
  server_.emplace(data_.path(), Flags());
  const auto serves = [&](CertificateAuthority& authority) {
    return List(*Connect(Trusting(authority))) == Code::OK;
  };
  const auto logs = [&](const std::string& reason) {
    EXPECT_TRUE(server_->Writes(reason)) << reason << "\n" << server_->Output();
    EXPECT_TRUE(serves(authority_)) << reason;
  };
  WriteWhole(Path("key"), strange.key);
  logs("it is not the key of --tls-certificate's certificate");
  EXPECT_THAT(server_->Output(), HasSubstr("error the previous TLS files stay in use"));
  EXPECT_THAT(server_->Output(), HasSubstr(Path("key") + " (--tls-key)"));
  WriteWhole(Path("certificate"), "");
  logs("it is empty");
  std::filesystem::remove(Path("certificate"));
  logs("No such file");
  WriteWhole(Path("certificate"), strange.certificate.substr(0, 300));
  logs("bad end line");
  EXPECT_FALSE(serves(other));
  WriteWhole(Path("certificate"), strange.certificate);
  EXPECT_TRUE(server_->Writes("info the TLS files are valid again")) << server_->Output();
  EXPECT_TRUE(serves(other));
  EXPECT_FALSE(serves(authority_));
  Install(next);
  // Not at once: on a busy machine, the server looks at the files while they are being written.
  EXPECT_TRUE(Eventually([&] { return serves(authority_); })) << server_->Output();
}

TEST_F(Tls, WithoutTokensTheAuditLogNamesCallersByTheirCertificates) {
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca"), "--audit-log", Path("audit")});
  server_.emplace(data_.path(), flags);
  EXPECT_THAT(server_->Output(), HasSubstr("--tls-client-ca verifies may do everything"));
  const auto stub = ConnectWith(authority_.Issue("robot"));
  ASSERT_TRUE(Call(*stub, &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  EXPECT_EQ(nlohmann::json::parse(ReadAll(Path("audit")))["caller"], "robot");
}

TEST_F(Tls, WhoseAuthorityIsTakenAwayIsLetInNoMoreAlsoOverAnOpenConnection) {
  CertificateAuthority leaving("Leaving Authority");
  WriteWhole(Path("ca"), authority_.certificate() + leaving.certificate());
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca")});
  WriteWhole(tokens_, "robot ci * certificate\n");
  Start(flags);
  const auto stays = ConnectWith(authority_.Issue("robot"));
  const auto leaves = ConnectWith(leaving.Issue("robot"));
  EXPECT_EQ(List(*stays), Code::OK);
  EXPECT_EQ(List(*leaves), Code::OK);
  WriteWhole(Path("ca"), authority_.certificate());
  EXPECT_TRUE(server_->Writes("closed all connections connections=2"));
  EXPECT_EQ(List(*leaves), Code::UNAVAILABLE);
  EXPECT_TRUE(Eventually([&] { return List(*stays) == Code::OK; }));
  EXPECT_EQ(List(*leaves), Code::UNAVAILABLE);
}

TEST_F(Tls, MutualTlsAsksForACertificateAndKnowsWhoseItIs) {
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca")});
  WriteWhole(tokens_, Callers::All().File() + "robot ci * certificate\n");
  Start(flags);
  EXPECT_EQ(List(*Connect(Trusting(authority_))), Code::UNAVAILABLE) << "no certificate";
  const CertificateAndKey robot = authority_.Issue("robot");
  EXPECT_EQ(List(*ConnectWith(robot)), Code::OK);
  EXPECT_EQ(CallAs("", *ConnectWith(robot), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s"))
                .error_code(),
            Code::PERMISSION_DENIED)
      << "robot has the role ci";
  EXPECT_TRUE(CallAs(Callers::All().trainer.text, *ConnectWith(robot), &Stub::CreateStudy,
                     CreateRequest(ExampleStudy(), "s"))
                  .ok())
      << "a token says more than the certificate";
  const CertificateAndKey stranger = authority_.Issue("stranger");
  EXPECT_EQ(List(*ConnectWith(stranger)), Code::UNAUTHENTICATED);
  const CertificateAndKey forged = CertificateAuthority("Another").Issue("robot");
  EXPECT_EQ(List(*ConnectWith(forged)), Code::UNAVAILABLE);
}

TEST_F(Tls, TheAuthoritiesOfCallersAreReadAgainWhenTheyChange) {
  CertificateAuthority next("Next Authority of Callers");
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("callers")});
  WriteWhole(Path("callers"), authority_.certificate());
  server_.emplace(data_.path(), flags);
  const auto list_with = [&](CertificateAuthority& issuer) {
    grpc::SslCredentialsOptions options = Trusting(authority_);
    const CertificateAndKey robot = issuer.Issue("robot");
    options.pem_cert_chain = robot.certificate;
    options.pem_private_key = robot.key;
    return List(*Connect(options));
  };
  EXPECT_EQ(list_with(authority_), Code::OK);
  EXPECT_EQ(list_with(next), Code::UNAVAILABLE);
  WriteWhole(Path("callers"), next.certificate());
  EXPECT_TRUE(Eventually([&] { return list_with(next) == Code::OK; }));
  EXPECT_EQ(list_with(authority_), Code::UNAVAILABLE);
}

TEST_F(Tls, TheClientLibrarySpeaksIt) {
  Start(Flags());
  ClientOptions options;
  options.address = server_->address();
  options.retry.max_attempts = 1;
  options.ca = Path("ca");
  options.token = Callers::All().trainer.text;
  const auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->CreateStudy(ExampleStudy(), "s").ok());
  options.token = "trainer.wrong";
  EXPECT_TRUE(absl::IsUnauthenticated((*Client::Connect(options))->GetStudy("studies/s").status()));
  options.token.clear();
  setenv("SLIPSTREAM_TOKEN", Callers::All().trainer.text.c_str(), 1);
  EXPECT_TRUE((*Client::Connect(options))->GetStudy("studies/s").ok());
  unsetenv("SLIPSTREAM_TOKEN");
  options.ca = Path("nowhere");
  EXPECT_TRUE(absl::IsInvalidArgument(Client::Connect(options).status()));
}

TEST_F(Tls, TheClientLibraryReadsItsFilesAgainWhenItReconnects) {
  CertificateAuthority next("Next Authority of Callers");
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("callers")});
  const auto trust = [&](CertificateAuthority& issuer) {
    const CertificateAndKey robot = issuer.Issue("robot");
    WriteWhole(Path("own-key"), robot.key);
    WriteWhole(Path("own"), robot.certificate);
    WriteWhole(Path("callers"), issuer.certificate());
  };
  trust(authority_);
  server_.emplace(data_.path(), flags);
  ClientOptions options;
  options.address = server_->address();
  options.retry.max_attempts = 1;
  options.ca = Path("ca");
  options.certificate = Path("own");
  options.key = Path("own-key");
  const auto client = *Client::Connect(options);
  EXPECT_TRUE(client->ListStudies({}).ok());
  trust(next);
  // The server takes the first certificate no longer, over connections that are open either.
  EXPECT_TRUE(Eventually([&] { return !client->ListStudies({}).ok(); }));
  EXPECT_TRUE(Eventually([&] { return client->ListStudies({}).ok(); }));
}

TEST_F(Tls, UnfitFilesAreRefusedAtTheStartByName) {
  const auto refusal = [&](int exit_code, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--data", data_.path(), "--create", "--listen", "127.0.0.1:0"});
    const EndedProcess ended = ServerProcess::Run(flags);
    EXPECT_EQ(ended.exit_code, exit_code);
    return ended.output;
  };
  EXPECT_THAT(refusal(2, {"--tls-certificate", Path("certificate")}), HasSubstr("--tls-key"));
  EXPECT_THAT(refusal(2, {"--tls-certificate", Path("none"), "--tls-key", Path("key")}),
              HasSubstr(Path("none")));
  WriteWhole(Path("key"), authority_.Issue("other").key);
  EXPECT_THAT(refusal(2, Flags()), HasSubstr(Path("key")));
}

TEST_F(Tls, AnAddressThatOthersReachNeedsItOrAWord) {
  const EndedProcess ended = ServerProcess::Run({"--data", data_.path(), "--listen", "0.0.0.0:0"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("--tls-certificate"), HasSubstr("--allow-plaintext")));
}

}  // namespace
}  // namespace slipstream
