#include "server/grpc/tls_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/certificates.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class TlsWatchTest : public testing::Test {
 protected:
  TlsWatchTest() { Install(authority_.Issue("server", /*days=*/100)); }

  void Install(const CertificateAndKey& certificate) {
    WriteWhole(files_.certificate, certificate.certificate);
    WriteWhole(files_.key, certificate.key);
    WriteWhole(files_.client_ca, authority_.certificate());
  }
  TlsWatch Watch() {
    absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
    EXPECT_TRUE(texts.ok()) << texts.status();
    served_ = std::make_shared<ServedTls>(*std::move(texts));
    return TlsWatch(
        files_, served_, [this] { return ++disconnections_; }, &log_,
        [this] { return clock_.Now(); });
  }
  // The lines that a change leads to.
  std::vector<std::string> LinesAfter(TlsWatch& watch) {
    lines_.clear();
    for (int i = 0; i < 5; ++i) watch.Look();
    return lines_;
  }

  const TemporaryFile scratch_;  // For its folder.
  const TlsFiles files_ = {.certificate = scratch_.path() + ".certificate",
                           .key = scratch_.path() + ".key",
                           .client_ca = scratch_.path() + ".ca"};
  CertificateAuthority authority_{"Test Authority"};
  FakeClock clock_{absl::ToUnixMillis(absl::Now())};
  std::shared_ptr<ServedTls> served_;
  int disconnections_ = 0;
  std::vector<std::string> lines_;
  Log log_{{.sink = [this](absl::string_view line) { lines_.emplace_back(line); }}};
};

TEST_F(TlsWatchTest, FilesThatStayAreNotToldOf) {
  TlsWatch watch = Watch();
  EXPECT_THAT(LinesAfter(watch), IsEmpty());
}

TEST_F(TlsWatchTest, FilesThatChangedAfterTheyWereReadForTheServerAreReadAgain) {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  ASSERT_TRUE(texts.ok()) << texts.status();
  served_ = std::make_shared<ServedTls>(*std::move(texts));
  const CertificateAndKey next = authority_.Issue("server", /*days=*/200);
  Install(next);
  TlsWatch watch(
      files_, served_, [] { return 0; }, &log_, [this] { return clock_.Now(); });
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("read the TLS files again")));
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
}

TEST_F(TlsWatchTest, FilesAreReadAgainWhereverMemoryRanOut) {
  const std::vector<CertificateAndKey> certificates = {authority_.Issue("server", /*days=*/200),
                                                       authority_.Issue("server", /*days=*/300)};
  TlsWatch watch = Watch();
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    const CertificateAndKey& next = certificates[static_cast<size_t>(allocations % 2)];
    Install(next);
    watch.Look();
    try {
      const AllocationLimit limit(allocations);
      watch.Look();
      was_reached = limit.was_reached();
    } catch (const std::bad_alloc&) {
    }
    watch.Look();
    ASSERT_EQ(served_->texts()->certificate, next.certificate) << allocations;
  }
}

TEST_F(TlsWatchTest, AKeyThatOthersCanReadIsWarnedOf) {
  const auto warning = AllOf(HasSubstr("warning other users can read or write the TLS key"),
                             HasSubstr(files_.key));
  ASSERT_EQ(chmod(files_.key.c_str(), 0640), 0);
  TlsWatch watch = Watch();
  EXPECT_THAT(lines_, IsEmpty()) << "a group of services may share it";
  ASSERT_EQ(chmod(files_.key.c_str(), 0644), 0);
  Watch();
  EXPECT_THAT(lines_, ElementsAre(warning));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("read the TLS files again"), warning));
}

TEST_F(TlsWatchTest, TellsWhetherTheFilesAreInForce) {
  TlsWatch watch = Watch();
  EXPECT_EQ(watch.is_in_force(), true);
  WriteWhole(files_.key, authority_.Issue("other", /*days=*/100).key);
  LinesAfter(watch);
  EXPECT_EQ(watch.is_in_force(), false);
  Install(authority_.Issue("server", /*days=*/100));
  LinesAfter(watch);
  EXPECT_EQ(watch.is_in_force(), true);
  EXPECT_EQ(TlsWatch({}, nullptr, {}, &log_).is_in_force(), std::nullopt);
}

TEST_F(TlsWatchTest, FilesThatHaveChangedAndFitAreToldOfOnce) {
  TlsWatch watch = Watch();
  const CertificateAndKey next = authority_.Issue("server", /*days=*/200);
  Install(next);
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("info read the TLS files again")));
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
  EXPECT_EQ(served_->texts()->key, next.key);
}

TEST_F(TlsWatchTest, AFileThatDoesNotFitIsNamedWithItsFlagAndTheReason) {
  TlsWatch watch = Watch();
  const auto error = [](const std::string& file, const char* flag, const char* reason) {
    return ElementsAre(AllOf(HasSubstr("error the previous TLS files stay in use"),
                             HasSubstr(file), HasSubstr(flag), HasSubstr(reason)));
  };
  const CertificateAndKey other = authority_.Issue("other", /*days=*/100);
  WriteWhole(files_.key, other.key);
  EXPECT_THAT(LinesAfter(watch), error(files_.key, "--tls-key", "it is not the key of"));
  WriteWhole(files_.certificate, other.certificate.substr(0, other.certificate.size() / 2));
  EXPECT_THAT(LinesAfter(watch), error(files_.certificate, "--tls-certificate", "end line"));
  std::filesystem::remove(files_.certificate);
  EXPECT_THAT(LinesAfter(watch), error(files_.certificate, "--tls-certificate", "No such file"));
  WriteWhole(files_.certificate, "");
  EXPECT_THAT(LinesAfter(watch), error(files_.certificate, "--tls-certificate", "empty"));
  std::filesystem::remove(files_.certificate);
  ASSERT_EQ(mkfifo(files_.certificate.c_str(), 0600), 0);  // Whose writer never comes.
  EXPECT_THAT(LinesAfter(watch), error(files_.certificate, "--tls-certificate", "a pipe"));
  Install(other);
  WriteWhole(files_.client_ca, "nothing of the kind");
  EXPECT_THAT(LinesAfter(watch), error(files_.client_ca, "--tls-client-ca", "no start line"));
  EXPECT_NE(served_->texts()->certificate, other.certificate);
  Install(other);
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("info the TLS files are valid again")));
  EXPECT_EQ(served_->texts()->certificate, other.certificate);
}

TEST_F(TlsWatchTest, FilesThatAreSaidToBeFinishedAreReadAtOnce) {
  TlsWatch watch = Watch();
  const CertificateAndKey next = authority_.Issue("server", /*days=*/200);
  Install(next);
  watch.Look();
  EXPECT_NE(served_->texts()->certificate, next.certificate);
  watch.LookAtFinishedFiles();
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
  const CertificateAndKey last = authority_.Issue("server", /*days=*/300);
  Install(last);
  watch.LookAtFinishedFiles();
  EXPECT_EQ(served_->texts()->certificate, last.certificate);
  EXPECT_TRUE(*watch.is_in_force());
}

TEST_F(TlsWatchTest, ConnectionsEndOnceAnAuthorityIsTakenAway) {
  TlsWatch watch = Watch();
  const std::string first = authority_.certificate();
  const std::string second = CertificateAuthority("Second Authority").certificate();
  WriteWhole(files_.client_ca, absl::StrCat(first, second));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("read the TLS files again")));
  WriteWhole(files_.client_ca, absl::StrCat("# In another order.\n", second, "\n", first));
  LinesAfter(watch);
  EXPECT_EQ(disconnections_, 0);
  WriteWhole(files_.client_ca, second);
  EXPECT_THAT(LinesAfter(watch),
              ElementsAre(HasSubstr("read the TLS files again"),
                          HasSubstr("warning closed all connections connections=1")));
  EXPECT_EQ(disconnections_, 1);
  // Neither a file that does not fit nor another certificate of the server takes anything away.
  WriteWhole(files_.client_ca, "nothing of the kind");
  LinesAfter(watch);
  WriteWhole(files_.client_ca, second);
  const CertificateAndKey next = authority_.Issue("server", /*days=*/200);
  WriteWhole(files_.certificate, next.certificate);
  WriteWhole(files_.key, next.key);
  LinesAfter(watch);
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
  EXPECT_EQ(disconnections_, 1);
}

TEST_F(TlsWatchTest, ACertificateThatIsNotValidYetIsUsedOnceItIs) {
  TlsWatch watch = Watch();
  const CertificateAndKey next =
      authority_.Issue("server", /*days=*/300, "DNS:localhost", /*days_before=*/2);
  Install(next);
  EXPECT_THAT(LinesAfter(watch),
              ElementsAre(AllOf(HasSubstr("error the previous TLS files stay in use"),
                                HasSubstr(files_.certificate), HasSubstr("is not valid before 20"),
                                HasSubstr("and is used from then on"))));
  EXPECT_NE(served_->texts()->certificate, next.certificate);
  EXPECT_EQ(watch.is_in_force(), false);
  clock_.Advance(absl::Hours(46));
  EXPECT_THAT(LinesAfter(watch), IsEmpty());
  clock_.Advance(absl::Hours(2));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("the TLS files are valid again")));
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
  EXPECT_EQ(watch.is_in_force(), true);
}

TEST_F(TlsWatchTest, ACertificateThatHasExpiredDoesNotReplaceOneThatIsValid) {
  TlsWatch watch = Watch();
  const std::string before = served_->texts()->certificate;
  Install(authority_.Issue("server", /*days=*/-1, "DNS:localhost", /*days_before=*/-3));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("has expired at 20")));
  EXPECT_EQ(served_->texts()->certificate, before);
}

TEST_F(TlsWatchTest, ACertificateIsUsedOnceTheClockNoLongerSaysThatItHasExpired) {
  TlsWatch watch = Watch();
  clock_.Advance(absl::Hours(48));
  const CertificateAndKey next = authority_.Issue("server", /*days=*/1);
  Install(next);
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("has expired at 20")));
  clock_.Advance(-absl::Hours(48));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("the TLS files are valid again"),
                                             HasSubstr("expires soon")));
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
}

TEST_F(TlsWatchTest, WhereNoCertificateIsValidTheNewOneIsUsed) {
  Install(authority_.Issue("server", /*days=*/1));
  TlsWatch watch = Watch();
  clock_.Advance(absl::Hours(48));
  const CertificateAndKey next = authority_.Issue("server", /*days=*/1);
  Install(next);
  LinesAfter(watch);
  EXPECT_EQ(served_->texts()->certificate, next.certificate);
}

TEST_F(TlsWatchTest, FilesThatAreWrittenOneAfterTheOtherAreJudgedTogether) {
  TlsWatch watch = Watch();
  const CertificateAndKey next = authority_.Issue("server", /*days=*/100);
  WriteWhole(files_.certificate, next.certificate);
  watch.Look();
  WriteWhole(files_.key, next.key);
  watch.Look();
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("info read the TLS files again")));
}

TEST_F(TlsWatchTest, ACertificateThatEndsSoonIsToldOfAtTheStartAndOnceADay) {
  Install(authority_.Issue("server", /*days=*/13));
  TlsWatch watch = Watch();
  const auto warning =
      ElementsAre(AllOf(HasSubstr("warning the TLS certificate expires soon"),
                        HasSubstr(files_.certificate), HasSubstr("--tls-certificate")));
  EXPECT_THAT(lines_, warning);
  EXPECT_THAT(LinesAfter(watch), IsEmpty());
  clock_.Advance(absl::Hours(25));
  EXPECT_THAT(LinesAfter(watch), warning);
  clock_.Advance(14 * absl::Hours(24));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("the TLS certificate has expired")));
  Install(authority_.Issue("server", /*days=*/100));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("read the TLS files again")));
}

TEST_F(TlsWatchTest, ACertificateIsToldOfAfterTheClockWasSetBack) {
  Install(authority_.Issue("server", /*days=*/13));
  clock_.Advance(1000 * absl::Hours(24));
  TlsWatch watch = Watch();
  EXPECT_THAT(lines_, Contains(HasSubstr("the TLS certificate has expired")));
  clock_.Advance(-1000 * absl::Hours(24));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("the TLS certificate expires soon")));
}

TEST_F(TlsWatchTest, ACertificateIsToldOfFourteenDaysBeforeItsEnd) {
  Install(authority_.Issue("server", /*days=*/15));
  TlsWatch watch = Watch();
  EXPECT_THAT(lines_, IsEmpty());
  clock_.Advance(absl::Hours(36));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(HasSubstr("days_left=13")));
}

TEST_F(TlsWatchTest, ACertificateThatIsNotValidYetIsToldOfAtTheStart) {
  Install(authority_.Issue("server", /*days=*/300, "DNS:localhost", /*days_before=*/2));
  TlsWatch watch = Watch();
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("warning the TLS certificate is not valid yet"),
                                        HasSubstr(files_.certificate), HasSubstr("begin=20"))));
}

TEST_F(TlsWatchTest, AnAuthorityThatIsNotValidIsToldOfAtTheStartAndWhenItIsRead) {
  const CertificateAuthority expired("Expired", /*days=*/-1, /*days_before=*/-3);
  const CertificateAuthority coming("Coming", /*days=*/100, /*days_before=*/2);
  const CertificateAuthority ending("Ending", /*days=*/3);
  const auto warning = [&](const char* what, const char* name, const char* date) {
    return AllOf(HasSubstr(absl::StrCat("warning a certificate that signs callers' ", what)),
                 HasSubstr(files_.client_ca), HasSubstr(name), HasSubstr(date));
  };
  WriteWhole(files_.client_ca, expired.certificate());
  TlsWatch watch = Watch();
  EXPECT_THAT(lines_, ElementsAre(warning("has expired", "/CN=Expired", "end=20")));
  EXPECT_THAT(LinesAfter(watch), IsEmpty());
  clock_.Advance(absl::Hours(25));
  EXPECT_THAT(LinesAfter(watch), ElementsAre(warning("has expired", "/CN=Expired", "end=20")));
  WriteWhole(files_.client_ca,
             absl::StrCat(expired.certificate(), authority_.certificate(), coming.certificate(),
                          ending.certificate()));
  EXPECT_THAT(LinesAfter(watch),
              UnorderedElementsAre(HasSubstr("read the TLS files again"),
                                   warning("has expired", "/CN=Expired", "end=20"),
                                   warning("is not valid yet", "/CN=Coming", "begin=20"),
                                   warning("expires soon", "/CN=Ending", "end=20")));
}

TEST_F(TlsWatchTest, AuthoritiesThatAreNotValidDoNotReplaceOneThatIs) {
  TlsWatch watch = Watch();
  const CertificateAuthority coming("Coming", /*days=*/100, /*days_before=*/2);
  WriteWhole(files_.client_ca, coming.certificate());
  EXPECT_THAT(LinesAfter(watch),
              ElementsAre(AllOf(HasSubstr("error the previous TLS files stay in use"),
                                HasSubstr(files_.client_ca), HasSubstr("--tls-client-ca"),
                                HasSubstr("/CN=Coming is not valid before 20"))));
  EXPECT_EQ(watch.is_in_force(), false);
  EXPECT_EQ(disconnections_, 0);
  clock_.Advance(absl::Hours(48));
  LinesAfter(watch);
  EXPECT_EQ(served_->texts()->client_ca, coming.certificate());
  EXPECT_EQ(watch.is_in_force(), true);
}

TEST_F(TlsWatchTest, TheFirstOfAChainsCertificatesToEndCounts) {
  CertificateAndKey chain = authority_.Issue("server", /*days=*/100);
  chain.certificate += authority_.Issue("intermediate", /*days=*/50).certificate;
  Install(chain);
  const TlsWatch watch = Watch();
  ASSERT_TRUE(watch.certificate_end().has_value());
  const absl::Duration left = *watch.certificate_end() - clock_.Now();
  EXPECT_GT(left, 49 * absl::Hours(24));
  EXPECT_LT(left, 51 * absl::Hours(24));
}

TEST_F(TlsWatchTest, TheFirstOfTheAuthoritiesToEndCounts) {
  WriteWhole(files_.client_ca, authority_.certificate() +
                                   CertificateAuthority("Ending", /*days=*/50).certificate() +
                                   CertificateAuthority("Other", /*days=*/70).certificate());
  const TlsWatch watch = Watch();
  ASSERT_TRUE(watch.authorities_end().has_value());
  const absl::Duration left = *watch.authorities_end() - clock_.Now();
  EXPECT_GT(left, 49 * absl::Hours(24));
  EXPECT_LT(left, 51 * absl::Hours(24));
}

TEST_F(TlsWatchTest, WhileTheFilesDoNotFitTheEndIsThatOfTheCertificateOfBefore) {
  TlsWatch watch = Watch();
  const std::optional<absl::Time> end = watch.certificate_end();
  Install(authority_.Issue("server", /*days=*/300));
  std::filesystem::remove(files_.key);
  LinesAfter(watch);
  EXPECT_EQ(watch.certificate_end(), end);
}

TEST_F(TlsWatchTest, WithoutTlsThereIsNothingToTell) {
  TlsWatch watch({}, nullptr, {}, &log_);
  EXPECT_THAT(LinesAfter(watch), IsEmpty());
  EXPECT_EQ(watch.certificate_end(), std::nullopt);
  EXPECT_EQ(watch.authorities_end(), std::nullopt);
}

}  // namespace
}  // namespace slipstream
