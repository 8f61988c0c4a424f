// What the tool and the C++ client tell of mistakes about TLS, with the real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slipstream/messages/client.h"
#include "tests/client/cli/cli_process.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/temporary_folder.h"

namespace slipstream {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class TlsMistakes : public testing::Test {
 protected:
  TlsMistakes() {
    Write("ca", authority_.certificate());
    Write("other-ca", CertificateAuthority("Another Authority").certificate());
    const CertificateAndKey own = authority_.Issue("robot");
    Write("own", own.certificate);
    Write("own-key", own.key);
    Write("text", "precious\n");
    Write("empty", "");
  }

  std::string Path(const std::string& name) const { return scratch_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) { WriteWhole(Path(name), text); }

  // A server with this certificate.
  void Serve(const CertificateAndKey& certificate, std::vector<std::string> flags = {}) {
    Write("server", certificate.certificate);
    Write("server-key", certificate.key);
    flags.insert(flags.end(),
                 {"--tls-certificate", Path("server"), "--tls-key", Path("server-key")});
    server_.emplace(data_.path(), flags);
  }

  // Makes a call with these options and environment, which has to fail soon and with this exit
  // code, and returns what the tool says of it.
  std::string Told(int code, const std::vector<std::string>& options,
                   const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments = {"study", "list", "--timeout", "60"};
    if (server_) arguments.insert(arguments.end(), {"--address", server_->address()});
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto begin = std::chrono::steady_clock::now();
    const ProcessResult result = RunCli(arguments, "", environment);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40)) << result.err;
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.out, testing::IsEmpty());
    EXPECT_THAT(result.err, AllOf(StartsWith("slipstream: "), Not(HasSubstr("running there"))));
    return result.err;
  }

  // The C++ client's error of a call with these options.
  absl::Status ErrorOf(ClientOptions options) {
    options.address = server_->address();
    const auto client = Client::Connect(options);
    if (!client.ok()) return client.status();
    return (*client)->GetStudy("studies/s").status();
  }

  TemporaryFolder data_;
  TemporaryFolder scratch_;
  CertificateAuthority authority_{"Test Authority"};
  std::optional<ServerProcess> server_;
};

TEST_F(TlsMistakes, AFileOfRootsThatIsNoneIsNamedBeforeAnyCall) {
  const auto told = [&](const std::string& file) { return Told(2, {"--ca", Path(file)}); };
  const auto of_file = [&](const std::string& file, const std::string& reason) {
    return HasSubstr(absl::StrCat("the file ", Path(file), " cannot be used as ca (--ca, "
                                  "SLIPSTREAM_CA): ", reason, "; give a file in PEM form with the "
                                  "certificates that sign the server's"));
  };
  EXPECT_THAT(told("nowhere"), of_file("nowhere", "No such file or directory"));
  EXPECT_THAT(told("empty"), of_file("empty", "it is empty or a folder"));
  EXPECT_THAT(told("."), of_file(".", "it is empty or a folder"));
  EXPECT_THAT(told("text"), of_file("text", "it has no certificate in PEM form"));
  EXPECT_THAT(told("own-key"), of_file("own-key", "it has no certificate in PEM form"));
  EXPECT_THAT(Told(2, {}, {"SLIPSTREAM_CA=" + Path("nowhere")}),
              of_file("nowhere", "No such file or directory"));
  if (getuid() == 0) return;  // Who may read everything.
  std::filesystem::permissions(Path("ca"), std::filesystem::perms::none);
  EXPECT_THAT(told("ca"), of_file("ca", "Permission denied"));
}

TEST_F(TlsMistakes, ACertificateAndItsKeyNeedEachOther) {
  EXPECT_THAT(Told(2, {"--ca", Path("ca"), "--certificate", Path("own")}),
              AllOf(HasSubstr("certificate (--certificate, SLIPSTREAM_CERTIFICATE) is given "
                              "without key (--key, SLIPSTREAM_KEY)"),
                    HasSubstr("give the certificate's private key too")));
  EXPECT_THAT(Told(2, {"--ca", Path("ca"), "--key", Path("own-key")}),
              HasSubstr("key (--key, SLIPSTREAM_KEY) is given without certificate (--certificate, "
                        "SLIPSTREAM_CERTIFICATE)"));
  EXPECT_THAT(Told(2, {"--certificate", Path("own"), "--key", Path("own-key")}),
              HasSubstr("is given without ca (--ca, SLIPSTREAM_CA)"));
  Write("key", authority_.Issue("other").key);
  EXPECT_THAT(
      Told(2, {"--ca", Path("ca"), "--certificate", Path("own"), "--key", Path("key")}),
      AllOf(HasSubstr(absl::StrCat("the key in ", Path("key"),
                                   " does not belong to the certificate in ", Path("own"))),
            HasSubstr("that were made together")));
  EXPECT_THAT(Told(2, {"--ca", Path("ca"), "--certificate", Path("text"), "--key", Path("key")}),
              HasSubstr(Path("text") + " cannot be used as certificate (--certificate"));
  EXPECT_THAT(Told(2, {"--ca", Path("ca"), "--certificate", Path("own"), "--key", Path("own")}),
              HasSubstr("it has no private key in PEM form; give a file in PEM form with your "
                        "certificate's private key, unencrypted"));
}

TEST_F(TlsMistakes, PlaintextToAServerWithTlsIsToldSo) {
  Serve(authority_.Issue("server"));
  EXPECT_THAT(Told(1, {}),
              HasSubstr(absl::StrCat("on ", server_->address(),
                                     ": the server speaks TLS, and this caller plaintext; give ca "
                                     "(--ca, SLIPSTREAM_CA) the file with the certificate that "
                                     "signs the server's")));
  EXPECT_TRUE(absl::StrContains(ErrorOf({}).message(), "the server speaks TLS"));
}

TEST_F(TlsMistakes, TlsToAServerWithPlaintextIsToldSo) {
  server_.emplace(data_.path());
  EXPECT_THAT(Told(1, {"--ca", Path("ca")}),
              HasSubstr("the server speaks plaintext, and this caller TLS; leave ca (--ca, "
                        "SLIPSTREAM_CA) out, or have the server's operator give it "
                        "--tls-certificate and --tls-key"));
  EXPECT_THAT(Told(1, {}, {"SLIPSTREAM_CA=system"}), HasSubstr("the server speaks plaintext"));
  EXPECT_TRUE(absl::StrContains(ErrorOf({.ca = Path("ca")}).message(), "speaks plaintext"));
}

TEST_F(TlsMistakes, AServerThatIsNotTrustedIsToldWithTheReason) {
  Serve(authority_.Issue("server"));
  EXPECT_EQ(RunCli({"study", "list", "--address", server_->address(), "--ca", Path("ca")}).code, 0);
  EXPECT_THAT(Told(1, {"--ca", Path("other-ca")}),
              HasSubstr(absl::StrCat("the server's certificate is not signed by any in ",
                                     Path("other-ca"), "; give ca (--ca, SLIPSTREAM_CA) the file "
                                     "with the certificate that signs it")));
  EXPECT_THAT(Told(1, {"--ca", "system"}),
              HasSubstr("is not signed by any that the system trusts; give ca"));
  EXPECT_TRUE(absl::StrContains(ErrorOf({.ca = Path("other-ca")}).message(), "is not signed by"));
  EXPECT_TRUE(absl::IsUnavailable(ErrorOf({.ca = Path("other-ca")})));
}

TEST_F(TlsMistakes, AServersCertificateThatHasEndedIsToldWithItsEnd) {
  Serve(authority_.Issue("server", /*days=*/-1));
  EXPECT_THAT(
      Told(1, {"--ca", Path("ca")}),
      MatchesRegex(".*: the server's certificate expired on 20..-..-..T..:..:..Z; the server's "
                   "operator must renew it, unless this machine's clock is wrong\n"));
}

TEST_F(TlsMistakes, AServersCertificateForAnotherNameIsToldWithItsNames) {
  Serve(authority_.Issue("server", 1, "DNS:trains.example,IP:10.0.0.7"));
  EXPECT_THAT(Told(1, {"--ca", Path("ca")}),
              HasSubstr("the server's certificate is for trains.example, 10.0.0.7 and not for "
                        "127.0.0.1; use an address with a name that it is for"));
}

TEST_F(TlsMistakes, AServerThatWantsTheCallersCertificateSaysSo) {
  Serve(authority_.Issue("server"), {"--tls-client-ca", Path("ca")});
  EXPECT_THAT(Told(1, {"--ca", Path("ca")}),
              HasSubstr("the server requires a client certificate; give certificate "
                        "(--certificate, SLIPSTREAM_CERTIFICATE) and key (--key, SLIPSTREAM_KEY)"));
  const CertificateAndKey forged = CertificateAuthority("Another Authority").Issue("robot");
  Write("forged", forged.certificate);
  Write("forged-key", forged.key);
  EXPECT_THAT(Told(1, {"--ca", Path("ca"), "--certificate", Path("forged"), "--key",
                       Path("forged-key")}),
              HasSubstr("the server does not accept the certificate in " + Path("forged")));
  const ProcessResult served =
      RunCli({"study", "list", "--address", server_->address(), "--ca", Path("ca"),
              "--certificate", Path("own"), "--key", Path("own-key")});
  EXPECT_EQ(served.code, 0) << served.err;
}

// A trainer goes on through the renewal of a certificate, and so does not give up at once.
TEST_F(TlsMistakes, WhoWasConnectedBeforeTriesAgain) {
  Serve(authority_.Issue("server"));
  ClientOptions options = {.address = server_->address(), .ca = Path("ca")};
  options.retry.max_attempts = 3;
  const auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(absl::IsNotFound((*client)->GetStudy("studies/s").status()));
  server_->Kill();
  const absl::Status gone = (*client)->GetStudy("studies/s").status();
  EXPECT_TRUE(absl::StrContains(gone.message(), "is slipstream_server running there?")) << gone;
  EXPECT_TRUE(absl::StrContains(gone.message(), "3 attempts")) << gone;
}

}  // namespace
}  // namespace slipstream
