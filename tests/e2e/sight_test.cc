// What operators see of the real program: its log, its metrics, its status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/http.h"
#include "tests/e2e/raw_connection.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/eventually.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Stub = v1::OptimizationService::Stub;

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

// The lines of a log in JSON that tell of an event.
std::vector<nlohmann::json> Events(const ServerProcess& server, const std::string& event) {
  std::vector<nlohmann::json> events;
  for (const std::string& line : LinesOf(server.Output())) {
    nlohmann::json parsed = nlohmann::json::parse(line);
    if (parsed["event"] == event) events.push_back(std::move(parsed));
  }
  return events;
}

// What is answered at the address for metrics, which the server logs when it is ready.
std::string AnswerOf(const ServerProcess& server, const std::string& path) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < patience) {
    std::smatch found;
    const std::string output = server.Output();
    if (std::regex_search(output, found, std::regex("metrics=([^ ]+:[0-9]+)"))) {
      return AskOverHttp(found[1], "GET " + path);
    }
  }
  return "no address";
}

// The same from the body on.
std::string PageOf(const ServerProcess& server, const std::string& path) {
  const std::string answer = AnswerOf(server, path);
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

// The values of metrics by name and labels.
std::map<std::string, double> Metrics(const ServerProcess& server) {
  std::map<std::string, double> values;
  for (const std::string& line : LinesOf(PageOf(server, "/metrics"))) {
    if (line.starts_with('#')) continue;
    const size_t space = line.rfind(' ');
    values[line.substr(0, space)] = std::stod(line.substr(space + 1));
  }
  return values;
}

const std::string kService = "/slipstream.v1.OptimizationService/";

// A study with one trial that has its result, the second of which is refused.
void WorkALittle(Stub& stub) {
  ASSERT_TRUE(Call(stub, &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  v1::SuggestResponse suggestion;
  ASSERT_TRUE(Call(stub, &Stub::Suggest, AskRequest("studies/s", "w"), &suggestion).ok());
  v1::ObserveRequest tell = TellRequest(suggestion.trials(0).name(), LossOutcome(1));
  tell.set_request_id("the-request");
  ASSERT_TRUE(Call(stub, &Stub::Observe, tell).ok());
  ASSERT_FALSE(
      Call(stub, &Stub::Observe, TellRequest(suggestion.trials(0).name(), LossOutcome(2))).ok());
}

TEST(Sight, AtDebugEachChangeIsOneJsonLine) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-level", "debug", "--log-format", "json"});
  WorkALittle(server.stub());
  std::vector<std::string> methods;
  for (const nlohmann::json& line : Events(server, "changed")) methods.push_back(line["method"]);
  EXPECT_THAT(methods, IsSupersetOf({"CreateStudy", "Suggest", "Observe"}));
  const nlohmann::json observed = Events(server, "changed").back();
  EXPECT_EQ(observed["level"], "debug");
  EXPECT_EQ(observed["resource"], "studies/s/trials/1");
  EXPECT_EQ(observed["request_id"], "the-request");
  EXPECT_THAT(std::string(observed["peer"]), HasSubstr("127.0.0.1"));
  EXPECT_THAT(std::string(observed["time"]),
              testing::ContainsRegex("T.*[+-][0-9][0-9]:[0-9][0-9]$"));
}

TEST(Sight, ARefusedCallIsLoggedAtTheDefaultLevelAndASuccessIsNot) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  WorkALittle(server.stub());
  const std::string log = server.Output();
  EXPECT_THAT(log, HasSubstr("info call refused method=Observe code=FAILED_PRECONDITION "
                             "resource=studies/s/trials/1"));
  EXPECT_THAT(log, Not(HasSubstr("method=CreateStudy")));
  EXPECT_THAT(log, HasSubstr("info starting listen=127.0.0.1:0"));
  EXPECT_THAT(log, testing::ContainsRegex(" most_memory_mib=[1-9][0-9]+ "));
  EXPECT_THAT(log, HasSubstr(" delete_completed_after=never "));
  EXPECT_THAT(log, HasSubstr("info serving version="));
  EXPECT_THAT(server.Terminate().output, HasSubstr("info drained suggested_by_recipe=1"));
}

TEST(Sight, BytesThatAreNoMessageAreRefusedWithTextAndLoggedAFewTimes) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-format", "json"});
  for (int i = 0; i < 100; ++i) {
    const grpc::Status status =
        CallWithBytes(server.channel(), kService + "CreateStudy", "\x0a\xff\xff");
    ASSERT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    ASSERT_THAT(status.error_message(), HasSubstr("slipstream.v1.CreateStudyRequest"));
  }
  EXPECT_EQ(Events(server, "call refused").size(), 10u);
  v1::WatchResponse event;
  grpc::ClientContext context;
  EXPECT_EQ(CallWithBytes(server.channel(), kService + "WatchStudy", "\x0a\xff").error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(Sight, CallsOfUnknownMethodsAreAnsweredWithTextCountedAndLoggedAFewTimes) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0"});
  for (int i = 0; i < 100; ++i) {
    const std::string method = kService + "Frobnicate" + std::to_string(i);
    const grpc::Status status = CallWithBytes(server.channel(), method, "");
    ASSERT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    ASSERT_THAT(status.error_message(), HasSubstr(method));
    ASSERT_THAT(status.error_message(), HasSubstr("CreateStudy"));
  }
  EXPECT_THAT(CallWithBytes(server.channel(), "/other.Service/Method", "x").error_message(),
              HasSubstr("slipstream.v1.OptimizationService"));
  const std::map<std::string, double> metrics = Metrics(server);
  const std::string calls = "slipstream_rpc_duration_seconds_count";
  EXPECT_EQ(metrics.at(calls + "{method=\"unknown\",code=\"UNIMPLEMENTED\"}"), 101);
  for (const auto& [metric, value] : metrics) EXPECT_THAT(metric, Not(HasSubstr("Frobnicate")));
  EXPECT_EQ(metrics.at("slipstream_open_calls"), 0);
  int lines = 0;
  for (const std::string& line : LinesOf(server.Output())) {
    lines += absl::StrContains(line, "call refused method=unknown code=UNIMPLEMENTED") ? 1 : 0;
  }
  EXPECT_EQ(lines, 10);
}

TEST(Sight, MessagesAboveTheLimitAreRefusedWithItsFlagCountedAndLogged) {
  TemporaryFolder data;
  ServerProcess server(data.path(),
                       {"--metrics-address", "127.0.0.1:0", "--max-message-bytes", "65536"});
  const auto with_bytes = [&](const std::string& method, size_t size) {
    return CallWithBytes(server.channel(), kService + method, std::string(size, 'x'));
  };
  EXPECT_EQ(with_bytes("CreateStudy", 65536).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  for (const char* method : {"CreateStudy", "WatchStudy", "ExportStudy"}) {
    const grpc::Status refused = with_bytes(method, 65537);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << method;
    EXPECT_THAT(refused.error_message(), HasSubstr("65537 bytes")) << method;
    EXPECT_THAT(refused.error_message(), HasSubstr("--max-message-bytes 65536")) << method;
  }
  grpc::ClientContext context;
  v1::RegisterSourceTaskResponse response;
  const auto writer = server.stub().RegisterSourceTask(&context, &response);
  v1::RegisterSourceTaskRequest large;
  large.mutable_header()->mutable_source_task()->set_display_name(std::string(65536, 'x'));
  writer->Write(large);
  const grpc::Status refused = writer->Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("--max-message-bytes 65536: send less in one message"));
  // gRPC's own limit is the second one.
  EXPECT_EQ(with_bytes("CreateStudy", 1 << 20).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const std::map<std::string, double> metrics = Metrics(server);
  for (const char* method : {"CreateStudy", "WatchStudy", "ExportStudy", "RegisterSourceTask"}) {
    EXPECT_EQ(metrics.at(std::string("slipstream_rpc_duration_seconds_count{method=\"") + method +
                         "\",code=\"RESOURCE_EXHAUSTED\"}"),
              1);
    EXPECT_THAT(server.Output(),
                HasSubstr(std::string("warning call refused method=") + method +
                          " code=RESOURCE_EXHAUSTED"));
  }
}

TEST(Sight, AnswersAboveTheLimitAreRefusedWithItsFlagCountedAndLogged) {
  TemporaryFolder data;
  {
    ServerProcess server(data.path());
    const v1::CreateStudyRequest create = CreateRequest(CandidateStudy(20000), "s");
    ASSERT_GT(create.ByteSizeLong(), 65536u);
    ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, create).ok());
    server.Terminate();
  }
  ServerProcess server(data.path(),
                       {"--metrics-address", "127.0.0.1:0", "--max-message-bytes", "65536"});
  v1::GetStudyRequest get;
  get.set_name("studies/s");
  const grpc::Status refused = Call(server.stub(), &Stub::GetStudy, get);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("the answer has "));
  EXPECT_THAT(refused.error_message(),
              HasSubstr("--max-message-bytes 65536: ask for less in one call"));
  EXPECT_EQ(Metrics(server).at("slipstream_rpc_duration_seconds_count{method=\"GetStudy\","
                               "code=\"RESOURCE_EXHAUSTED\"}"),
            1);
  EXPECT_THAT(server.Output(),
              HasSubstr("warning call refused method=GetStudy code=RESOURCE_EXHAUSTED"));
}

TEST(Sight, GrpcsOwnLinesAreLinesOfTheLog) {
  TemporaryFolder data;
  setenv("GRPC_VERBOSITY", "DEBUG", 1);
  ServerProcess server(data.path(), {"--log-level", "debug", "--log-format", "json"});
  unsetenv("GRPC_VERBOSITY");
  WorkALittle(server.stub());
  const std::vector<nlohmann::json> lines = Events(server, "grpc");
  ASSERT_FALSE(lines.empty()) << server.Output();
  EXPECT_THAT(std::string(lines[0]["at"]), testing::ContainsRegex("^[a-z_]+\\.cc:[0-9]+$"));
}

TEST(Sight, ProtobufsOwnLinesAreAFewLinesOfTheLog) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-format", "json"});
  for (int i = 0; i < 100; ++i) {
    // A name that is not UTF-8.
    const grpc::Status status =
        CallWithBytes(server.channel(), kService + "GetStudy", "\x0a\x02\xff\xfe");
    ASSERT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_EQ(Events(server, "protobuf").size(), 10u);
  EXPECT_THAT(server.Output(), Not(HasSubstr("libprotobuf ERROR")));
}

TEST(Sight, LeasesThatRunOutAreLogged) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-format", "json"});
  v1::CreateStudyRequest create = CreateRequest(ExampleStudy(), "s");
  create.mutable_study()->mutable_lease_policy()->mutable_duration()->set_seconds(1);
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, create).ok());
  ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "w")).ok());
  ASSERT_TRUE(server.Writes("leases ran out")) << server.Output();
  const nlohmann::json line = Events(server, "leases ran out")[0];
  EXPECT_EQ(line["leases"], 1);
  EXPECT_EQ(line["trials"], "studies/s/trials/1");
  EXPECT_FALSE(line.contains("further_trials"));
}

TEST(Sight, OfManyLeasesThatRunOutTheLogNamesAFewTrialsAndCountsTheOthers) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-format", "json"});
  v1::CreateStudyRequest create = CreateRequest(ExampleStudy("quasi_random"), "s");
  create.mutable_study()->mutable_lease_policy()->mutable_duration()->set_seconds(1);
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, create).ok());
  ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "w", 40)).ok());
  ASSERT_TRUE(server.Writes("leases ran out")) << server.Output();
  const nlohmann::json line = Events(server, "leases ran out")[0];
  EXPECT_EQ(line["leases"], 40);
  const std::vector<std::string> named = absl::StrSplit(std::string(line["trials"]), ", ");
  EXPECT_EQ(named.size(), 3u);
  for (const std::string& trial : named) EXPECT_THAT(trial, HasSubstr("studies/s/trials/"));
  EXPECT_EQ(line["further_trials"], 37);
}

TEST(Sight, AWarningTellsOfConfigurationsThatAreNotQueuedAgainInAFullStudy) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--log-format", "json", "--max-trials-per-study", "1"});
  v1::CreateStudyRequest create = CreateRequest(ExampleStudy(), "s");
  create.mutable_study()->mutable_lease_policy()->mutable_duration()->set_seconds(1);
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, create).ok());
  ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "w")).ok());
  ASSERT_TRUE(server.Writes("configurations were not queued again")) << server.Output();
  const nlohmann::json line = Events(server, "configurations were not queued again")[0];
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["configurations"], 1);
  EXPECT_EQ(line["trials"], "studies/s/trials/1");
  EXPECT_THAT(std::string(line["message"]), HasSubstr("--max-trials-per-study"));
}

TEST(Sight, ASlowCallIsLogged) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--slow-call-seconds", "0", "--log-format", "json"});
  WorkALittle(server.stub());
  ASSERT_FALSE(Events(server, "slow call").empty());
  EXPECT_GT(Events(server, "slow call")[0]["ms"], 0.0);
}

TEST(Sight, MetricsCountWhatHappens) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0"});
  WorkALittle(server.stub());
  const std::map<std::string, double> metrics = Metrics(server);
  const std::string calls = "slipstream_rpc_duration_seconds_count";
  EXPECT_EQ(metrics.at(calls + "{method=\"Observe\",code=\"OK\"}"), 1);
  EXPECT_EQ(metrics.at(calls + "{method=\"Observe\",code=\"FAILED_PRECONDITION\"}"), 1);
  EXPECT_EQ(metrics.at("slipstream_suggestions_total{rung=\"recipe\"}"), 1);
  EXPECT_EQ(metrics.at("slipstream_studies"), 1);
  EXPECT_EQ(metrics.at("slipstream_trials"), 1);
  EXPECT_EQ(metrics.at("slipstream_store_takes_writes"), 1);
  EXPECT_EQ(metrics.at("slipstream_open_calls"), 0);
  EXPECT_GE(metrics.at("slipstream_store_commit_duration_seconds_count"), 3);
  EXPECT_GE(metrics.at("slipstream_store_sync_duration_seconds_count"), 3);
  EXPECT_GE(metrics.at("slipstream_store_writes_per_commit_sum"), 3);
  EXPECT_GT(metrics.at("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(metrics.at("process_open_fds"), 5);
  EXPECT_EQ(PageOf(server, "/healthz"), "ok\n");
}

TEST(Sight, RefusedConnectionsAreLoggedAndCounted) {
  TemporaryFolder data;
  ServerProcess server(
      data.path(), {"--metrics-address", "127.0.0.1:0", "--max-connections-per-address", "3"});
  std::vector<RawConnection> connections;
  for (int i = 0; i < 3; ++i) connections.emplace_back(server.address());
  RawConnection refused(server.address());
  EXPECT_TRUE(refused.IsClosedWithin(std::chrono::seconds(20)));
  EXPECT_EQ(Metrics(server).at("slipstream_refused_connections_total{limit=\"address\"}"), 1);
  EXPECT_EQ(Metrics(server).at("slipstream_refused_connections_total{limit=\"all\"}"), 0);
  EXPECT_THAT(server.Output(), HasSubstr("--max-connections-per-address 3"));
}

TEST(Sight, ChangesThatTheAuditLogMissesAreCountedAndLogged) {
  TemporaryFolder data;
  ServerProcess server(data.path(),
                       {"--metrics-address", "127.0.0.1:0", "--audit-log", "/dev/full"});
  EXPECT_EQ(Metrics(server).at("slipstream_audit_failures_total"), 0);
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  EXPECT_EQ(Metrics(server).at("slipstream_audit_failures_total"), 1);
  EXPECT_THAT(server.Output(), HasSubstr("error a change is missing from the audit log"));
}

// Calls stay on loopback.
TEST(Sight, AnotherMachineCanReadMetricsWithoutPlaintextForCalls) {
  for (const char* address : {"0.0.0.0:0", "[::]:0", "[::1]:0", "localhost:0"}) {
    TemporaryFolder data;
    const ServerProcess server(data.path(), {"--metrics-address", address});
    EXPECT_EQ(PageOf(server, "/healthz"), "ok\n") << address;
  }
}

TEST(Sight, HealthFollowsAStoreThatRefusesChanges) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0"});
  WorkALittle(server.stub());
  EXPECT_TRUE(IsServing(server.channel()));
  EXPECT_THAT(AnswerOf(server, "/healthz"), testing::StartsWith("HTTP/1.1 200 "));
  std::filesystem::rename(data.path() + "/slipstream.db", data.path() + "/moved.db");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (IsServing(server.channel())) ASSERT_LT(std::chrono::steady_clock::now(), patience);
  const std::string answer = AnswerOf(server, "/healthz");
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(answer, HasSubstr("slipstream.db"));
  EXPECT_EQ(Metrics(server).at("slipstream_store_takes_writes"), 0);
}

TEST(Sight, HealthTellsThatTheServerDrains) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0", "--drain-seconds", "60"});
  grpc::ClientContext context;
  v1::RegisterSourceTaskResponse response;
  const auto upload = server.stub().RegisterSourceTask(&context, &response);
  ASSERT_TRUE(Eventually([&] { return Metrics(server).at("slipstream_open_calls") == 1; }));
  kill(server.pid(), SIGTERM);
  ASSERT_TRUE(server.Writes("draining"));
  const std::string answer = AnswerOf(server, "/healthz");
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(answer, HasSubstr("shutting down"));
  context.TryCancel();
  upload->Finish();
  EXPECT_EQ(server.Terminate().exit_code, 0);
}

TEST(Sight, WithoutTheFlagNothingIsServedOverHttp) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  EXPECT_THAT(server.Terminate().output, HasSubstr("metrics=off"));
}

TEST(Sight, AMetricsAddressThatIsTakenIsRefused) {
  TemporaryFolder data;
  TemporaryFolder other;
  ServerProcess first(data.path());
  const EndedProcess second =
      ServerProcess::Run({"--data", other.path(), "--create", "--listen", "127.0.0.1:0",
                          "--metrics-address", first.address()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr(first.address()));
}

TEST(Sight, AWatcherIsCountedWhileItWatches) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0"});
  {
    grpc::ClientContext context;
    const auto reader = server.stub().WatchStudies(&context, v1::WatchStudiesRequest());
    v1::WatchResponse begun;
    ASSERT_TRUE(reader->Read(&begun));
    EXPECT_EQ(Metrics(server).at("slipstream_watchers"), 1);
    EXPECT_EQ(Metrics(server).at("slipstream_watchers_limit"), 1000);
    EXPECT_EQ(Metrics(server).at("slipstream_open_calls"), 1);
    context.TryCancel();
    reader->Finish();
  }
  EXPECT_TRUE(Eventually([&] { return Metrics(server).at("slipstream_watchers") == 0; }));
  EXPECT_THAT(server.Output(), Not(HasSubstr("WatchStudies")));
}

TEST(Sight, TheStatusTellsWhatTheServerHolds) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  WorkALittle(server.stub());
  v1::ServerStatus status;
  ASSERT_TRUE(
      Call(server.stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest(), &status).ok());
  EXPECT_FALSE(status.version().empty());
  EXPECT_EQ(status.contents().studies(), 1);
  EXPECT_EQ(status.contents().trials(), 1);
  EXPECT_EQ(status.contents().source_tasks(), 0);
  EXPECT_TRUE(status.store().takes_writes());
  EXPECT_GE(status.store().writes(), 3);
  EXPECT_GT(status.store().file_bytes(), 0);
  EXPECT_GT(status.store().disk_free_bytes(), 0);
  EXPECT_EQ(status.suggestions().by_recipe(), 1);
  EXPECT_EQ(status.open_calls(), 1) << "this one";
  EXPECT_GT(status.resident_bytes(), 1'000'000);
  EXPECT_GT(status.uptime().seconds() * 1'000'000'000 + status.uptime().nanos(), 0);
  EXPECT_GE(status.queues_size(), 4);
  EXPECT_GE(status.caches_size(), 5);
  for (const v1::ServerStatus::Queue& queue : status.queues()) EXPECT_GT(queue.limit(), 0);
  for (const v1::ServerStatus::Limit& limit : status.limits()) EXPECT_GT(limit.value(), 0);
}

// The flags with those of a certificate for 20 days, and of the authority that signed it and signs
// callers', which are written to the folder.
std::vector<std::string> WithTls(const TemporaryFolder& folder, std::vector<std::string> flags) {
  CertificateAuthority authority("Authority");
  const CertificateAndKey issued = authority.Issue("server", /*days=*/20);
  const std::string certificate = folder.path() + "/certificate";
  const std::string key = folder.path() + "/key";
  WriteWhole(certificate, issued.certificate);
  WriteWhole(key, issued.key);
  const std::string client_ca = folder.path() + "/client-ca";
  WriteWhole(client_ca, authority.certificate());
  flags.insert(flags.end(), {"--tls-certificate", certificate, "--tls-key", key,
                             "--tls-client-ca", client_ca});
  return flags;
}

// Of a caller who has no certificate.
std::unique_ptr<Stub> StubThatTrusts(const std::string& authority, const ServerProcess& server) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authority;
  return v1::OptimizationService::NewStub(
      grpc::CreateChannel(server.address(), grpc::SslCredentials(options)));
}

TEST(Sight, TheMetricsTellWhenTheCertificateEnds) {
  const std::string name = "slipstream_tls_certificate_expiry_timestamp_seconds";
  TemporaryFolder data;
  const ServerProcess server(data.path(), WithTls(data, {"--metrics-address", "127.0.0.1:0"}));
  const double end = Metrics(server).at(name);
  const double now = std::chrono::duration<double>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  EXPECT_GT(end, now + 19 * 86400);
  EXPECT_LT(end, now + 21 * 86400);
  EXPECT_THAT(server.Output(), Not(HasSubstr("the TLS certificate expires soon")));
  TemporaryFolder other;
  const ServerProcess plain(other.path(), {"--metrics-address", "127.0.0.1:0"});
  EXPECT_FALSE(Metrics(plain).contains(name));
}

TEST(Sight, TheMetricsCountHandshakesThatFail) {
  TemporaryFolder data;
  const ServerProcess server(data.path(), WithTls(data, {"--metrics-address", "127.0.0.1:0"}));
  const auto failed = [&] { return Metrics(server).at("slipstream_failed_handshakes_total"); };
  EXPECT_EQ(failed(), 0);
  RawConnection(server.address());  // As load balancers look whether a server is there.
  RawConnection plaintext(server.address());
  plaintext.Begin();
  EXPECT_TRUE(Eventually([&] { return failed() > 0; }));
  EXPECT_EQ(failed(), 1);
}

// A caller of TLS 1.3 that does not trust the server tells it nothing.
TEST(Sight, CallersWhoDoNotTrustTheServerAreCountedAndLogged) {
  TemporaryFolder data;
  const ServerProcess server(data.path(), WithTls(data, {"--metrics-address", "127.0.0.1:0"}));
  const std::unique_ptr<Stub> stub =
      StubThatTrusts(CertificateAuthority("Another").certificate(), server);
  EXPECT_FALSE(Call(*stub, &Stub::ListStudies, v1::ListStudiesRequest()).ok());
  EXPECT_TRUE(server.Writes("not finished peer=127.0.0.1:")) << server.Output();
  EXPECT_GT(Metrics(server).at("slipstream_failed_handshakes_total"), 0);
}

TEST(Sight, HandshakesThatADrainEndsAreNotLoggedAsFailed) {
  TemporaryFolder data;
  ServerProcess server(data.path(), WithTls(data, {"--drain-seconds", "1"}));
  RawConnection half(server.address());
  ASSERT_TRUE(half.Send(std::string("\x16\x03\x01\x02\x00\x01", 6)));
  RawConnection later(server.address(), "127.0.0.2");
  later.Begin();  // Its line in the log shows that the server has gone on to it.
  EXPECT_TRUE(server.Writes("peer=127.0.0.2:")) << server.Output();
  EXPECT_EQ(server.Terminate().exit_code, 0);
  EXPECT_THAT(server.Output(), Not(HasSubstr("not finished")));
}

TEST(Sight, TheLogSaysWhoseHandshakesFail) {
  TemporaryFolder data;
  const ServerProcess server(data.path(), WithTls(data, {}));
  for (const char* const address : {"127.0.0.2", "127.0.0.3"}) {
    RawConnection plaintext(server.address(), address);
    plaintext.Begin();
    EXPECT_TRUE(server.Writes(absl::StrCat("peer=", address, ":"))) << server.Output();
  }
  std::ifstream authority(data.path() + "/client-ca");
  const std::unique_ptr<Stub> stub = StubThatTrusts(
      {std::istreambuf_iterator<char>(authority), std::istreambuf_iterator<char>()}, server);
  EXPECT_FALSE(Call(*stub, &Stub::ListStudies, v1::ListStudiesRequest()).ok());
  EXPECT_TRUE(server.Writes("peer=127.0.0.1:")) << server.Output();
}

// The names of our metrics in a file, without what PromQL adds.
std::set<std::string> MetricsNamedIn(const std::string& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::regex name("(slipstream|process)_[a-z_]+[a-z]");
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found) {
    names.insert(found->str());
  }
  return names;
}

TEST(Sight, MetricsTellThatAMistakeKeepsATokenFileOutOfForce) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string tokens = scratch.path() + "/tokens";
  const std::string line = TokenLine(ParseIdentity("ann", "admin", "*").value(),
                                     MakeToken("ann").value().hash);
  WriteWhole(tokens, line);
  ServerProcess server(data.path(),
                       {"--metrics-address", "127.0.0.1:0", "--token-file", tokens});
  const auto in_force = [&] {
    return Metrics(server).at("slipstream_file_in_force{file=\"tokens\"}");
  };
  EXPECT_EQ(in_force(), 1);
  // As an editor leaves it that truncates first; a server is not started with it either.
  WriteWhole(tokens, "");
  EXPECT_TRUE(server.Writes("has no lines but empty ones and comments"));
  EXPECT_EQ(in_force(), 0);
  WriteWhole(tokens, line);
  EXPECT_TRUE(server.Writes("read the token file again tokens=1"));
  EXPECT_EQ(in_force(), 1);
}

v1::ServerStatus StatusOf(ServerProcess& server) {
  v1::ServerStatus status;
  EXPECT_TRUE(
      Call(server.stub(), &Stub::GetServerStatus, v1::GetServerStatusRequest(), &status).ok());
  return status;
}

TEST(Sight, TheStatusTellsThatAMistakeKeepsAQuotaFileOutOfForce) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string quotas = scratch.path() + "/quotas";
  WriteWhole(quotas, "vision 1 - - - -\n");
  ServerProcess server(data.path(), {"--quota-file", quotas});
  ASSERT_EQ(StatusOf(server).files_size(), 1);
  EXPECT_EQ(StatusOf(server).files(0).name(), "quotas");
  EXPECT_TRUE(StatusOf(server).files(0).is_in_force());
  EXPECT_FALSE(StatusOf(server).has_certificate_end_time());
  WriteWhole(quotas, "vision many\n");
  EXPECT_TRUE(server.Writes("there are 2 columns"));
  EXPECT_FALSE(StatusOf(server).files(0).is_in_force());
}

TEST(Sight, ABackupFromTheFutureCountsAsMadeWhenTheServerBegan) {
  TemporaryFolder data;
  TemporaryFolder backups;
  const std::string file = backups.path() + "/b.db";
  WriteWhole(file, "made while the clock was ahead");
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(24 * 1000));
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0", "--backup-folder",
                                     backups.path()});
  EXPECT_NEAR(Metrics(server).at("slipstream_backup_timestamp_seconds"),
              absl::ToUnixSeconds(absl::Now()), 60);
}

TEST(Sight, MetricsTellWhenABackupWasMade) {
  TemporaryFolder data;
  TemporaryFolder backups;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0", "--backup-folder",
                                     backups.path()});
  const char* const kTime = "slipstream_backup_timestamp_seconds";
  const double begin = Metrics(server).at(kTime);
  EXPECT_NEAR(begin, absl::ToUnixSeconds(absl::Now()), 60);
  EXPECT_FALSE(StatusOf(server).has_last_backup_time());
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int i = 0; Metrics(server).at(kTime) == begin; ++i) {
    v1::BackupStoreRequest request;
    request.set_name(absl::StrCat("b", i, ".db"));
    ASSERT_TRUE(Call(server.stub(), &Stub::BackupStore, request).ok());
    ASSERT_LT(std::chrono::steady_clock::now(), patience) << "seconds pass";
  }
  EXPECT_EQ(StatusOf(server).last_backup_time().seconds(), Metrics(server).at(kTime));
  TemporaryFolder other;
  const ServerProcess without(other.path(), {"--metrics-address", "127.0.0.1:0"});
  EXPECT_EQ(Metrics(without).count(kTime), 0u);
}

TEST(Sight, MetricsCountABackupThatFails) {
  TemporaryFolder data;
  TemporaryFolder backups;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0", "--backup-folder",
                                     backups.path()});
  v1::BackupStoreRequest named;
  named.set_name("b.db");
  EXPECT_TRUE(Call(server.stub(), &Stub::BackupStore, named).ok());
  EXPECT_EQ(Call(server.stub(), &Stub::BackupStore, named).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_TRUE(server.Writes("warning cannot back up")) << "which is not counted";
  std::filesystem::remove_all(backups.path());
  EXPECT_FALSE(Call(server.stub(), &Stub::BackupStore, v1::BackupStoreRequest()).ok());
  EXPECT_TRUE(server.Writes("error cannot back up"));
  const auto metrics = Metrics(server);
  const auto failures = [&](const std::string& task) {
    return metrics.at("slipstream_upkeep_failures_total{task=\"" + task + "\"}");
  };
  EXPECT_EQ(failures("backups"), 1);
  EXPECT_EQ(failures("leases"), 0);
  EXPECT_EQ(failures("expiry"), 0);
}

TEST(Sight, WithoutABackupTheOldestStudyTellsSinceWhenOneIsMissing) {
  TemporaryFolder data;
  TemporaryFolder backups;
  const std::vector<std::string> flags = {"--metrics-address", "127.0.0.1:0", "--backup-folder",
                                          backups.path()};
  int64_t created = 0;
  {
    ServerProcess server(data.path(), flags);
    v1::Study study;
    const v1::CreateStudyRequest request = CreateRequest(ExampleStudy(), "s");
    ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, request, &study).ok());
    created = study.create_time().seconds();
  }
  bool is_later = false;  // Than the second in which the study was made.
  while (!is_later) {
    is_later = absl::ToUnixSeconds(absl::Now()) > created;
    ServerProcess server(data.path(), flags);
    EXPECT_EQ(Metrics(server).at("slipstream_backup_timestamp_seconds"), created);
  }
}

TEST(Sight, DashboardsAndAlertsNameMetricsThatThereAre) {
  TemporaryFolder data;
  TemporaryFolder backups;
  ServerProcess server(data.path(), {"--metrics-address", "127.0.0.1:0", "--backup-folder",
                                     backups.path()});
  WorkALittle(server.stub());
  TemporaryFolder other;
  const ServerProcess encrypted(other.path(), WithTls(other, {"--metrics-address", "127.0.0.1:0"}));
  std::set<std::string> served;
  for (const ServerProcess* each : {&std::as_const(server), &encrypted}) {
    for (const auto& [metric, value] : Metrics(*each)) {
      served.insert(metric.substr(0, metric.find('{')));
    }
  }
  const std::string folder = RepositoryPath("deploy/monitoring");
  std::set<std::string> named;
  for (const char* file : {"/grafana_dashboard.json", "/prometheus_alerts.yml"}) {
    const std::set<std::string> in_file = MetricsNamedIn(folder + file);
    EXPECT_GT(in_file.size(), 5u) << file;
    named.insert(in_file.begin(), in_file.end());
  }
  for (const std::string& name : named) EXPECT_THAT(served, Contains(name));
}

TEST(Sight, TheDashboardIsJsonWithAQueryInEveryPanel) {
  std::ifstream in(RepositoryPath("deploy/monitoring/grafana_dashboard.json"));
  const nlohmann::json dashboard = nlohmann::json::parse(in);
  ASSERT_GT(dashboard["panels"].size(), 8u);
  for (const nlohmann::json& panel : dashboard["panels"]) {
    ASSERT_FALSE(panel["targets"].empty()) << panel["title"];
    for (const nlohmann::json& target : panel["targets"]) {
      EXPECT_THAT(std::string(target["expr"]), testing::ContainsRegex("(slipstream|process)_"));
    }
  }
}

}  // namespace
}  // namespace slipstream
