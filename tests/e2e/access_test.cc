// Who may do what with the real program: tokens, roles, TLS, the audit log.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
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
  EXPECT_THAT(get("projects/nlp/studies/s").error_message(),
              HasSubstr("ann may use the projects vision and not nlp"));
  EXPECT_EQ(get("projects/nlp/studies/none").error_code(), Code::PERMISSION_DENIED)
      << "not even whether it exists";
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
}

TEST_F(Access, HealthIsToldToEverybody) {
  Start();
  grpc::GenericStub generic(server_->channel());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::Slice nothing;
  const auto call = generic.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                                             grpc::ByteBuffer(&nothing, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  EXPECT_TRUE(status.ok()) << status.error_message();
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
  EXPECT_TRUE(server_->Writes("the tokens of before still hold"));
  EXPECT_TRUE(Create(late.text, "d").ok());
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

TEST_F(Access, AnUnfitTokenFileIsRefusedAtTheStart) {
  const auto start = [&] {
    return ServerProcess::Run(
        {"--data", data_.path(), "--create", "--listen", "127.0.0.1:0", "--token-file", tokens_});
  };
  WriteWhole(tokens_, "ann boss * certificate\n");
  EXPECT_EQ(start().exit_code, 1);
  EXPECT_THAT(start().output, AllOf(HasSubstr(tokens_), HasSubstr("line 1")));
  std::filesystem::remove(tokens_);
  EXPECT_EQ(start().exit_code, 1);
}

TEST_F(Access, ANewTokenIsPrintedWithItsLine) {
  const EndedProcess made = ServerProcess::Run({"--new-token", "ann:operator:vision,nlp"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::vector<std::string> lines = absl::StrSplit(made.output, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 4u) << made.output;
  const auto table = ParseTokenFile(lines[3]);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->at("ann").identity->role, Role::kOperator);
  EXPECT_TRUE(IsTokenOfHash(lines[1], table->at("ann").hash));
  EXPECT_EQ(ServerProcess::Run({"--new-token", "ann:boss:*"}).exit_code, 1);
  EXPECT_EQ(ServerProcess::Run({"--new-token", "ann"}).exit_code, 1);
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

TEST_F(Tls, MutualTlsAsksForACertificateAndKnowsWhoseItIs) {
  std::vector<std::string> flags = Flags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca")});
  WriteWhole(tokens_, Callers::All().File() + "robot ci * certificate\n");
  Start(flags);
  grpc::SslCredentialsOptions options = Trusting(authority_);
  EXPECT_EQ(List(*Connect(options)), Code::UNAVAILABLE) << "no certificate";
  const CertificateAndKey robot = authority_.Issue("robot");
  options.pem_cert_chain = robot.certificate;
  options.pem_private_key = robot.key;
  EXPECT_EQ(List(*Connect(options)), Code::OK);
  EXPECT_EQ(CallAs("", *Connect(options), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s"))
                .error_code(),
            Code::PERMISSION_DENIED)
      << "robot has the role ci";
  EXPECT_TRUE(CallAs(Callers::All().trainer.text, *Connect(options), &Stub::CreateStudy,
                     CreateRequest(ExampleStudy(), "s"))
                  .ok())
      << "a token says more than the certificate";
  const CertificateAndKey stranger = authority_.Issue("stranger");
  options.pem_cert_chain = stranger.certificate;
  options.pem_private_key = stranger.key;
  EXPECT_EQ(List(*Connect(options)), Code::UNAUTHENTICATED);
  const CertificateAndKey forged = CertificateAuthority("Another").Issue("robot");
  options.pem_cert_chain = forged.certificate;
  options.pem_private_key = forged.key;
  EXPECT_EQ(List(*Connect(options)), Code::UNAVAILABLE);
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

TEST_F(Tls, UnfitFilesAreRefusedAtTheStartByName) {
  const auto refusal = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--data", data_.path(), "--create", "--listen", "127.0.0.1:0"});
    const EndedProcess ended = ServerProcess::Run(flags);
    EXPECT_EQ(ended.exit_code, 1);
    return ended.output;
  };
  EXPECT_THAT(refusal({"--tls-certificate", Path("certificate")}), HasSubstr("--tls-key"));
  EXPECT_THAT(refusal({"--tls-certificate", Path("none"), "--tls-key", Path("key")}),
              HasSubstr(Path("none")));
  WriteWhole(Path("key"), authority_.Issue("other").key);
  EXPECT_THAT(refusal(Flags()), HasSubstr(Path("key")));
}

TEST_F(Tls, AnAddressThatOthersReachNeedsItOrAWord) {
  const EndedProcess ended = ServerProcess::Run({"--data", data_.path(), "--listen", "0.0.0.0:0"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("--tls-certificate"), HasSubstr("--allow-plaintext")));
}

}  // namespace
}  // namespace slipstream
