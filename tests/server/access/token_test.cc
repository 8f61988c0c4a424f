// token_hash.cc and token_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/access/token_file.h"
#include "server/access/token_hash.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(TokenHash, ATokenIsTheOneOfItsHashAlone) {
  const absl::StatusOr<Token> token = MakeToken("ann");
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_THAT(token->text, StartsWith("ann."));
  EXPECT_EQ(NameInToken(token->text), "ann");
  EXPECT_TRUE(IsTokenHash(token->hash)) << token->hash;
  EXPECT_TRUE(*IsTokenOfHash(token->text, token->hash));
  EXPECT_FALSE(*IsTokenOfHash(token->text + "x", token->hash));
  EXPECT_FALSE(*IsTokenOfHash("ann.", token->hash));
  const absl::StatusOr<Token> other = MakeToken("ann");
  EXPECT_NE(other->text, token->text);
  EXPECT_FALSE(*IsTokenOfHash(other->text, token->hash));
}

TEST(TokenHash, HashesOfOtherKindsOrOfUnbearableCostAreNone) {
  const std::string end = "$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
  EXPECT_TRUE(IsTokenHash("$argon2id$v=19$m=19456,t=2,p=1" + end));
  for (const char* begin :
       {"$argon2i$v=19$m=19456,t=2,p=1", "$argon2id$v=16$m=19456,t=2,p=1",
        "$argon2id$v=19$m=99999999,t=2,p=1", "$argon2id$v=19$m=19456,t=1000,p=1",
        "$argon2id$v=19$m=0,t=2,p=1", "$argon2id$v=19$t=2,m=19456,p=1", "plain", ""}) {
    EXPECT_FALSE(IsTokenHash(begin + end)) << begin;
  }
  EXPECT_FALSE(IsTokenHash("$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0"));
}

TEST(TokenHash, AHashThatIsCutOffIsNone) {
  const std::string whole = MakeToken("ann")->hash;
  for (size_t cut = 1; cut < whole.size(); ++cut) {
    EXPECT_FALSE(IsTokenHash(whole.substr(0, whole.size() - cut))) << cut;
  }
}

TEST(TokenHash, TheNameIsWhatIsBeforeTheFirstPoint) {
  EXPECT_EQ(NameInToken("a-b.c.d"), "a-b");
  EXPECT_EQ(NameInToken("secret"), "");
  EXPECT_EQ(NameInToken("a." + std::string(kMostTokenBytes, 'x')), "") << "too long for a token";
}

constexpr char kHash[] =
    "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";

TEST(TokenFile, LinesSayWhoMayDoWhatWhere) {
  const auto table = ParseTokenFile(absl::StrCat("# who\n\n  ann\ttrainer  vision,nlp ", kHash,
                                                 "\r\nops operator * ", kHash,
                                                 "\nnightly ci default certificate\n"));
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), 3u);
  const Identity& ann = *table->at("ann").identity;
  EXPECT_EQ(ann.name, "ann");
  EXPECT_EQ(ann.role, Role::kTrainer);
  EXPECT_THAT(ann.projects, ElementsAre("vision", "nlp"));
  EXPECT_TRUE(ann.MayUse("nlp"));
  EXPECT_FALSE(ann.MayUse("default"));
  EXPECT_EQ(table->at("ann").hash, kHash);
  EXPECT_TRUE(table->at("ops").identity->MayUse("anything"));
  EXPECT_EQ(table->at("nightly").hash, "");
  EXPECT_TRUE(ParseTokenFile("")->empty());
}

TEST(TokenFile, AMistakeIsNamedWithItsLineAndWithoutTheHash) {
  const auto complaint = [](const std::string& line) {
    return std::string(ParseTokenFile("# first\n" + line).status().message());
  };
  EXPECT_THAT(complaint("ann trainer default"), HasSubstr("line 2: there are 3 columns"));
  EXPECT_THAT(complaint(absl::StrCat("ann boss default ", kHash)),
              HasSubstr("trainer, operator, ci or admin"));
  EXPECT_THAT(complaint(absl::StrCat("Ann trainer default ", kHash)), HasSubstr("the name is Ann"));
  EXPECT_THAT(complaint(absl::StrCat("ann trainer a,,b ", kHash)), HasSubstr("the project"));
  EXPECT_THAT(complaint("ann trainer default s3cret"), Not(HasSubstr("s3cret")));
  EXPECT_THAT(complaint("ann trainer default s3cret"), HasSubstr("line 2"));
  const std::string line = absl::StrCat("ann trainer default ", kHash, "\n");
  EXPECT_THAT(complaint(line + line), HasSubstr("line 3: ann has a line already"));
}

TEST(TokenFile, ACommonNameIsAnythingThatFitsIntoAColumn) {
  for (const std::string& name :
       {std::string("trainer-7.gpu.eu-central-1.compute.internal.cluster.example.com"),
        std::string("Ann_B@example.com"), std::string("J\xc3\xb6rg"), std::string(256, 'x')}) {
    const auto table = ParseTokenFile(absl::StrCat(name, " trainer * certificate"));
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(table->at(name).identity->name, name);
  }
  for (const std::string& name : {std::string(257, 'x'), std::string("a\x1b[31m")}) {
    const auto table = ParseTokenFile(absl::StrCat(name, " trainer * certificate"));
    EXPECT_THAT(std::string(table.status().message()), HasSubstr("at most 256 bytes"));
  }
  EXPECT_FALSE(ParseTokenFile(absl::StrCat("a.example.com trainer * ", kHash)).ok())
      << "a token's name ends at its first point";
}

TEST(TokenFile, ASecretInTheWrongColumnIsNotShown) {
  const std::string token = MakeToken("ann")->text;
  const std::string secret = token.substr(token.find('.') + 1);
  for (const std::string& line : {absl::StrCat("bob ", token, " * certificate"),
                                  absl::StrCat("bob ci ", token, " certificate"),
                                  absl::StrCat("bob ci a,", token, " certificate"),
                                  absl::StrCat("bob ci x.", token, " certificate"),
                                  absl::StrCat(token, " ci * certificate")}) {
    const std::string message(ParseTokenFile(line).status().message());
    EXPECT_THAT(message, HasSubstr("looks like a token or hash"));
    EXPECT_THAT(message, HasSubstr("line 1"));
    EXPECT_THAT(message, Not(HasSubstr(secret)));
  }
  const std::string hash(kHash);
  EXPECT_THAT(std::string(ParseIdentity("bob", hash, "*").status().message()),
              Not(HasSubstr(hash)));
}

TEST(TokenFile, ALineThatIsWrittenIsReadBack) {
  for (const char* projects : {"*", "default", "a,b"}) {
    const Identity identity = *ParseIdentity("ann", "ci", projects);
    const auto table = ParseTokenFile(TokenLine(identity, kHash));
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(table->at("ann").identity->projects, identity.projects);
    EXPECT_EQ(table->at("ann").identity->all_projects, identity.all_projects);
    EXPECT_EQ(table->at("ann").identity->role, Role::kCi);
  }
}

TEST(TokenFile, AFileThatIsMissingOrThatOthersCanWriteIsRefused) {
  char name[] = "/tmp/slipstream-tokens-XXXXXX";
  const int descriptor = mkstemp(name);
  ASSERT_GE(descriptor, 0);
  close(descriptor);
  std::ofstream(name) << "ann trainer * " << kHash << "\n";
  EXPECT_TRUE(ReadTokenFile(name).ok());
  chmod(name, 0666);
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadTokenFile(name).status()));
  EXPECT_THAT(std::string(ReadTokenFile(name).status().message()), HasSubstr("chmod go-w"));
  unlink(name);
  EXPECT_TRUE(absl::IsNotFound(ReadTokenFile(name).status()));
  EXPECT_THAT(std::string(ReadTokenFile(name).status().message()), HasSubstr(name));
}

}  // namespace
}  // namespace slipstream
