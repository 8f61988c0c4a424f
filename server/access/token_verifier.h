// Finds out who owns a token. As verifying one is slow by design, verified ones are
// remembered, by a hash with a key that is this process's own, until their lines in the table are
// removed or have another hash; and few are verified at once, on a thread of their own.
//
//   TokenVerifier verifier({});
//   verifier.Replace(table);
//   if (auto known = verifier.Find(token)) return *known;
//   verifier.Verify(token, [](absl::StatusOr<std::shared_ptr<const Identity>> who) { ... });
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_ACCESS_TOKEN_VERIFIER_H_
#define SLIPSTREAM_SERVER_ACCESS_TOKEN_VERIFIER_H_

#include <openssl/types.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/access/token_file.h"

namespace slipstream {

struct TokenVerifierOptions {
  // Verified tokens that are remembered.
  size_t most_remembered = 10000;
  // Tokens that may wait to be verified, in all, with one name, and with one name from one address;
  // more are refused. So guessing tokens of one name holds up that name alone and, if all guesses
  // come from one address, nobody elsewhere.
  size_t most_waiting = 256;
  size_t most_waiting_of_a_name = 8;
  size_t most_waiting_of_a_name_and_address = 4;
  // Called first of all on the thread that verifies, for example to lower its priority.
  std::function<void()> on_thread = [] {};
};

class TokenVerifier {
 public:
  // UNAUTHENTICATED: nobody has this token. RESOURCE_EXHAUSTED: too many wait, or memory ran out.
  // UNAVAILABLE: the verifier is being destroyed, or there is no memory to hash the token.
  using Answer = absl::StatusOr<std::shared_ptr<const Identity>>;
  using Done = std::function<void(Answer)>;

  explicit TokenVerifier(TokenVerifierOptions options);
  // Those who wait are answered UNAVAILABLE.
  ~TokenVerifier();

  // Forgets the tokens whose lines are removed or have another hash; the others get what their
  // lines now say.
  void Replace(TokenTable table);

  // The answer, if it needs no verification.
  std::optional<Answer> Find(absl::string_view token);
  // Calls `done`, which must not throw, once, at once or on the verifier's thread. `address` is the
  // caller's.
  void Verify(absl::string_view token, Done done, absl::string_view address = {});

  // Who has a certificate of that common name. UNAUTHENTICATED.
  Answer OfCertificate(absl::string_view common_name);

  // Counts the tables: as long as it stays the same, so does every answer.
  uint64_t generation() const { return generation_; }

 private:
  using Key = std::string;
  struct Pending {
    Key key;
    std::string name;
    std::string token;
    std::string hash;
    std::string address;          // The first caller with this token calls from it.
    std::vector<Done> done = {};  // All who wait for this token.
  };

  // With the lock.
  absl::StatusOr<Key> KeyOf(absl::string_view token);
  const TokenEntry* EntryOf(absl::string_view token) const;
  absl::Status CheckRoom(const std::string& name, absl::string_view address) const;
  void Remember(const Key& key, const std::shared_ptr<const Identity>& identity);

  absl::Status Enqueue(absl::string_view token, absl::string_view address, Done* done);
  void VerifyUntilClosed();

  struct FreeHash {
    void operator()(EVP_MAC_CTX* hash) const;
  };

  const TokenVerifierOptions options_;

  std::mutex mutex_;
  std::unique_ptr<EVP_MAC_CTX, FreeHash> hash_;  // Keyed at random.
  std::condition_variable work_;
  TokenTable table_;
  std::atomic<uint64_t> generation_{0};
  std::unordered_map<Key, std::shared_ptr<const Identity>> remembered_;
  std::deque<std::shared_ptr<Pending>> waiting_;  // The first one is being verified.
  bool closing_ = false;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_TOKEN_VERIFIER_H_
