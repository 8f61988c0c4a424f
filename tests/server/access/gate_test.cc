// gate.cc and token_verifier.cc.
#include "server/access/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/access/token_hash.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// One token for all tests, as making one takes long.
const Token& AnnsToken() {
  static const auto& token = *new Token(MakeToken("ann").value());
  return token;
}

TokenTable TableOf(const std::string& role, const std::string& hash = AnnsToken().hash) {
  return ParseTokenFile(absl::StrCat("ann ", role, " vision ", hash, "\nrobot ci * certificate\n"))
      .value();
}

std::string Bearer(const std::string& token) { return "Bearer " + token; }

class GateTest : public testing::Test {
 protected:
  GateTest() { verifier_.Replace(TableOf("trainer")); }

  Gate::Answer Ask(Rpc rpc, const std::string& authorization, const std::string& name = "") {
    std::promise<Gate::Answer> answer;
    gate_.Verify({authorization, name}, [&](Gate::Answer who) { answer.set_value(who); });
    const Gate::Answer who = answer.get_future().get();
    if (!who.ok()) return who;
    const absl::Status role = Gate::CheckRole(rpc, **who);
    return role.ok() ? who : role;
  }

  TokenVerifier verifier_{{.most_waiting = 4, .most_waiting_of_a_name = 2}};
  Gate gate_{&verifier_};
};

TEST_F(GateTest, ATokenTellsWhoCalls) {
  const Gate::Answer who = Ask(Rpc::kObserve, Bearer(AnnsToken().text));
  ASSERT_TRUE(who.ok()) << who.status();
  EXPECT_EQ((*who)->name, "ann");
  EXPECT_EQ((*who)->role, Role::kTrainer);
  EXPECT_TRUE(Ask(Rpc::kObserve, "bearer " + AnnsToken().text).ok()) << "as HTTP has it";
}

TEST_F(GateTest, ATokenIsVerifiedOnceAndThenKnown) {
  const std::string authorization = Bearer(AnnsToken().text);
  EXPECT_FALSE(gate_.Find({authorization}).has_value());
  ASSERT_TRUE(Ask(Rpc::kObserve, authorization).ok());
  ASSERT_TRUE(gate_.Find({authorization}).has_value());
  EXPECT_TRUE(gate_.Find({authorization})->ok());
}

thread_local std::optional<AllocationLimit> thread_limit;

TEST_F(GateTest, ATokenIsRefusedIfVerifyingItRunsOutOfMemory) {
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    TokenVerifier verifier({.on_thread = [allocations] { thread_limit.emplace(allocations); }});
    verifier.Replace(TableOf("trainer"));
    std::promise<Gate::Answer> answer;
    verifier.Verify(AnnsToken().text, [&](Gate::Answer who) {
      was_reached = thread_limit->was_reached();
      answer.set_value(std::move(who));
    });
    const Gate::Answer who = answer.get_future().get();
    EXPECT_TRUE(who.ok() || IsOverload(who.status())) << who.status();
  }
}

TEST_F(GateTest, ATokenDoesNotWaitIfQueueingItRunsOutOfMemory) {
  bool was_reached = true;
  for (int allocations = 0; was_reached; ++allocations) {
    std::promise<void> begin;
    absl::Status refused;
    absl::Status second;
    TokenVerifier verifier({.most_waiting = 1, .on_thread = [&] { begin.get_future().wait(); }});
    verifier.Replace(TableOf("trainer"));
    {
      TokenVerifier::Done note = [&](const Gate::Answer& who) { refused = who.status(); };
      const AllocationLimit limit(allocations);
      verifier.Verify(AnnsToken().text, std::move(note));
      was_reached = limit.was_reached();
    }
    verifier.Verify("ann.x", [&](const Gate::Answer& who) { second = who.status(); });
    EXPECT_EQ(refused.ok(), IsOverload(second)) << allocations;
    begin.set_value();
  }
}

TEST_F(GateTest, ATokenStaysKnownAsLongAsItsLineHasItsHash) {
  const std::string authorization = Bearer(AnnsToken().text);
  ASSERT_TRUE(Ask(Rpc::kObserve, authorization).ok());
  TokenTable table = TableOf("trainer");
  table.erase("robot");
  verifier_.Replace(std::move(table));
  ASSERT_TRUE(gate_.Find({authorization}).has_value()) << "another line changed";
  EXPECT_TRUE(gate_.Find({authorization})->ok());
  verifier_.Replace(TableOf("operator"));
  ASSERT_TRUE(gate_.Find({authorization}).has_value());
  EXPECT_EQ((**gate_.Find({authorization}))->role, Role::kOperator) << "by its new line";
  verifier_.Replace(TableOf("operator", MakeToken("ann")->hash));
  EXPECT_FALSE(gate_.Find({authorization}).has_value()) << "it has another token";
  verifier_.Replace(TableOf("operator"));
  EXPECT_FALSE(gate_.Find({authorization}).has_value()) << "it was forgotten";
}

TEST_F(GateTest, ACallGoesOnAsLongAsItsOwnProjectsAreTheCallers) {
  const std::string authorization = Bearer(AnnsToken().text);
  ASSERT_TRUE(Ask(Rpc::kWatchStudy, authorization).ok());
  const auto check = [&](const std::set<std::string>& projects) {
    return gate_.CheckAgain(Rpc::kWatchStudy, {authorization}, projects);
  };
  EXPECT_TRUE(check({"vision"}).ok());
  EXPECT_TRUE(check({}).ok()) << "it has not named any yet";
  EXPECT_TRUE(absl::IsPermissionDenied(check({"nlp", "vision"})));
  EXPECT_TRUE(absl::IsPermissionDenied(check({kEveryProject})));
}

TEST_F(GateTest, AWithdrawnTokenOpensNothing) {
  ASSERT_TRUE(Ask(Rpc::kObserve, Bearer(AnnsToken().text)).ok());
  verifier_.Replace({});
  EXPECT_TRUE(absl::IsUnauthenticated(Ask(Rpc::kObserve, Bearer(AnnsToken().text)).status()));
  verifier_.Replace(TableOf("trainer", MakeToken("ann")->hash));
  EXPECT_TRUE(absl::IsUnauthenticated(Ask(Rpc::kObserve, Bearer(AnnsToken().text)).status()));
}

// Leaves the process this many bytes beyond what it has, as long as it lives.
class SpareMemory {
 public:
  explicit SpareMemory(int64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const int64_t most = pages * sysconf(_SC_PAGESIZE) + bytes;
    const rlimit limit = {static_cast<rlim_t>(most), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~SpareMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(GateTest, ATokenIsNotTakenForAWrongOneIfItsHashDoesNotFitInMemory) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes all addresses that there are";
  verifier_.Replace(TableOf("trainer",
                            "$argon2id$v=19$m=262144,t=1,p=1$c2FsdHNhbHRzYWx0$"
                            "aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"));
  const SpareMemory spare(int64_t{64} << 20);
  const absl::Status refused = Ask(Rpc::kObserve, Bearer(AnnsToken().text)).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("repeat the call"));
}

TEST_F(GateTest, WhoeverShowsNothingIsToldWhatToShow) {
  for (const std::string authorization : {"", "Basic YW5uOmFubg==", "Bearer"}) {
    const Gate::Answer who = Ask(Rpc::kGetStudy, authorization);
    EXPECT_TRUE(absl::IsUnauthenticated(who.status())) << authorization;
    EXPECT_THAT(std::string(who.status().message()), HasSubstr("SLIPSTREAM_TOKEN"));
  }
}

TEST_F(GateTest, WrongTokensAreNobodysAndAreNotRepeated) {
  for (const std::string& token :
       {std::string("ann.wrong"), std::string("bob.x"), std::string("ann"), AnnsToken().text + "A",
        AnnsToken().hash, "robot.x" + std::string(1000, 'x')}) {
    const Gate::Answer who = Ask(Rpc::kGetStudy, Bearer(token));
    EXPECT_TRUE(absl::IsUnauthenticated(who.status())) << token;
    EXPECT_THAT(std::string(who.status().message()), testing::Not(HasSubstr(token)));
  }
  EXPECT_TRUE(absl::IsUnauthenticated(Ask(Rpc::kGetStudy, Bearer("robot.")).status()))
      << "who is known by a certificate has no token";
}

TEST_F(GateTest, ARoleThatDoesNotSufficeIsToldWhichOneWould) {
  const Gate::Answer who = Ask(Rpc::kDeleteStudy, Bearer(AnnsToken().text));
  EXPECT_TRUE(absl::IsPermissionDenied(who.status()));
  EXPECT_THAT(std::string(who.status().message()),
              HasSubstr("ann has the role trainer, and DeleteStudy needs operator or admin"));
}

TEST_F(GateTest, ACertificateTellsWhoCallsIfTheTableSaysSo) {
  EXPECT_EQ((*Ask(Rpc::kRegisterSourceTask, "", "robot"))->name, "robot");
  EXPECT_TRUE(absl::IsPermissionDenied(Ask(Rpc::kObserve, "", "robot").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(Ask(Rpc::kGetStudy, "", "ann").status()))
      << "ann is known by a token alone";
  EXPECT_TRUE(absl::IsUnauthenticated(Ask(Rpc::kGetStudy, "", "nobody").status()));
  EXPECT_EQ((*Ask(Rpc::kGetStudy, Bearer(AnnsToken().text), "robot"))->name, "ann")
      << "a token says more";
}

TEST_F(GateTest, CallsWithOneTokenThatComeAtOnceAreVerifiedTogether) {
  constexpr int kCalls = 50;
  std::vector<std::promise<Gate::Answer>> answers(kCalls);
  for (auto& answer : answers) {
    gate_.Verify({Bearer(AnnsToken().text)},
                 [&](Gate::Answer who) { answer.set_value(who); });
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get_future().get().ok());
}

TEST_F(GateTest, AFloodOfGuessesIsBoundedAndDoesNotHoldUpOthers) {
  const Token bob = MakeToken("bob").value();
  TokenTable table = TableOf("trainer");
  table.emplace("bob", ParseTokenFile("bob admin * " + bob.hash)->at("bob"));
  verifier_.Replace(std::move(table));
  std::vector<std::future<Gate::Answer>> guesses;
  for (int i = 0; i < 100; ++i) {
    auto answer = std::make_shared<std::promise<Gate::Answer>>();
    guesses.push_back(answer->get_future());
    gate_.Verify({Bearer(absl::StrCat("ann.guess", i))},
                 [answer](Gate::Answer who) { answer->set_value(who); });
  }
  EXPECT_TRUE(Ask(Rpc::kObserve, Bearer(bob.text)).ok());
  int refused = 0;
  for (auto& guess : guesses) {
    const Gate::Answer who = guess.get();
    EXPECT_FALSE(who.ok());
    if (!absl::IsResourceExhausted(who.status())) continue;
    ++refused;
    EXPECT_THAT(std::string(who.status().message()),
                testing::HasSubstr("the limit of 2 tokens of ann that wait to be verified"));
  }
  EXPECT_GT(refused, 90);
}

TEST(TokenVerifier, GuessesFromOneAddressDoNotKeepOutWhoHasTheTokenElsewhere) {
  std::atomic<int> refused{0};
  TokenVerifier verifier({.most_waiting_of_a_name = 4, .most_waiting_of_a_name_and_address = 3});
  verifier.Replace(TableOf("trainer"));
  const auto guess = [&](int i) {
    const auto count = [&refused](const TokenVerifier::Answer& who) {
      refused += absl::IsResourceExhausted(who.status()) ? 1 : 0;
    };
    verifier.Verify(absl::StrCat("ann.guess", i), count, "192.0.2.1");
  };
  for (int i = 0; i < 100; ++i) guess(i);
  EXPECT_GT(refused, 90);
  std::promise<TokenVerifier::Answer> answer;
  verifier.Verify(AnnsToken().text,
                  [&](TokenVerifier::Answer who) { answer.set_value(std::move(who)); },
                  "192.0.2.2");
  const TokenVerifier::Answer who = answer.get_future().get();
  EXPECT_TRUE(who.ok()) << who.status();
}

TEST_F(GateTest, ATableThatChangesWhileATokenIsVerifiedDecides) {
  std::vector<std::future<Gate::Answer>> answers;
  for (int i = 0; i < 20; ++i) {
    auto answer = std::make_shared<std::promise<Gate::Answer>>();
    answers.push_back(answer->get_future());
    gate_.Verify({Bearer(AnnsToken().text)},
                 [answer](Gate::Answer who) { answer->set_value(who); });
    verifier_.Replace(TableOf("trainer"));
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
}

TEST(TokenVerifier, TheThreadThatVerifiesIsPreparedFirst) {
  std::thread::id prepared;
  TokenVerifier verifier({.on_thread = [&] { prepared = std::this_thread::get_id(); }});
  verifier.Replace(TableOf("trainer"));
  std::promise<std::thread::id> verified;
  verifier.Verify(AnnsToken().text, [&](const TokenVerifier::Answer& who) {
    EXPECT_TRUE(who.ok()) << who.status();
    verified.set_value(std::this_thread::get_id());
  });
  const std::thread::id verifying = verified.get_future().get();
  EXPECT_EQ(verifying, prepared);
  EXPECT_NE(verifying, std::this_thread::get_id());
}

TEST(TokenVerifier, TokensFoundByManyThreadsAtOnceAreNotTakenForEachOther) {
  TokenVerifier verifier({});
  verifier.Replace(TableOf("trainer"));
  std::promise<TokenVerifier::Answer> verified;
  verifier.Verify(AnnsToken().text,
                  [&](TokenVerifier::Answer who) { verified.set_value(std::move(who)); });
  ASSERT_TRUE(verified.get_future().get().ok());
  std::vector<std::future<int>> mistaken;
  for (const bool is_known : {true, false, true, false}) {
    mistaken.push_back(std::async(std::launch::async, [&verifier, is_known] {
      const std::string token = is_known ? AnnsToken().text : "ann.guess";
      int count = 0;
      for (int i = 0; i < 10000; ++i) count += verifier.Find(token).has_value() == is_known ? 0 : 1;
      return count;
    }));
  }
  for (std::future<int>& each : mistaken) EXPECT_EQ(each.get(), 0);
}

TEST(TokenVerifier, WhoWaitsWhenItEndsIsAnswered) {
  std::future<TokenVerifier::Answer> last;
  {
    TokenVerifier verifier({});
    verifier.Replace(TableOf("trainer"));
    for (int i = 0; i < 4; ++i) {
      auto answer = std::make_shared<std::promise<TokenVerifier::Answer>>();
      last = answer->get_future();
      verifier.Verify(absl::StrCat("ann.", i),
                      [answer](TokenVerifier::Answer who) { answer->set_value(who); });
    }
  }
  ASSERT_EQ(last.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_FALSE(last.get().ok());
}

TEST(Projects, AnIdentityMayUseItsOwn) {
  const Identity ann = ParseIdentity("ann", "trainer", "vision,nlp").value();
  EXPECT_TRUE(CheckProject(ann, "nlp").ok());
  const absl::Status refused = CheckProject(ann, "default");
  EXPECT_TRUE(absl::IsPermissionDenied(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("vision, nlp and not default"));
}

}  // namespace
}  // namespace slipstream
