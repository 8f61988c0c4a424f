#include "server/access/token_verifier.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/access/token_hash.h"

namespace slipstream {
namespace {

absl::Status NobodysToken() {
  return absl::UnauthenticatedError(
      "the token is not valid: it is mistyped, or its line was taken from the server's token file; "
      "ask the server's operator for a new one");
}

absl::Status TooMany(size_t limit, absl::string_view tokens) {
  return OverloadError(
      absl::StrCat("the server is busy: the limit of ", limit, " ", tokens,
                   " that wait to be verified is reached; repeat the call later"));
}

constexpr size_t kKeyBytes = 32;  // SHA-256's.

// An HMAC with a random key.
EVP_MAC_CTX* NewHash() {
  std::array<unsigned char, kKeyBytes> key;
  if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
    throw std::runtime_error("the operating system provides no random bytes");
  }
  const std::unique_ptr<EVP_MAC, void (*)(EVP_MAC*)> hmac(EVP_MAC_fetch(nullptr, "HMAC", nullptr),
                                                          EVP_MAC_free);
  EVP_MAC_CTX* const hash = hmac == nullptr ? nullptr : EVP_MAC_CTX_new(hmac.get());
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  if (hash != nullptr && EVP_MAC_init(hash, key.data(), key.size(), parameters) == 1) return hash;
  EVP_MAC_CTX_free(hash);
  throw std::runtime_error("OpenSSL cannot compute an HMAC with SHA-256");
}

}  // namespace

void TokenVerifier::FreeHash::operator()(EVP_MAC_CTX* hash) const { EVP_MAC_CTX_free(hash); }

TokenVerifier::TokenVerifier(TokenVerifierOptions options)
    : options_(std::move(options)), hash_(NewHash()) {
  thread_ = std::thread([this] {
    options_.on_thread();
    VerifyUntilClosed();
  });
}

TokenVerifier::~TokenVerifier() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void TokenVerifier::Replace(TokenTable table) {
  const std::lock_guard lock(mutex_);
  decltype(remembered_) kept;
  for (const auto& [key, identity] : remembered_) {
    const auto now = table.find(identity->name);
    if (now == table.end() || now->second.hash != table_.at(identity->name).hash) continue;
    kept.emplace(key, now->second.identity);
  }
  remembered_ = std::move(kept);
  table_ = std::move(table);
  ++generation_;
}

absl::StatusOr<TokenVerifier::Key> TokenVerifier::KeyOf(absl::string_view token) {
  Key key(kKeyBytes, '\0');
  size_t size = 0;
  const bool is_hashed =
      EVP_MAC_init(hash_.get(), nullptr, 0, nullptr) == 1 &&
      EVP_MAC_update(hash_.get(), reinterpret_cast<const unsigned char*>(token.data()),
                     token.size()) == 1 &&
      EVP_MAC_final(hash_.get(), reinterpret_cast<unsigned char*>(key.data()), &size, key.size()) ==
          1;
  // Keys that are alike would take one caller for another.
  if (!is_hashed || size != key.size()) {
    return absl::UnavailableError("memory ran out while the token was hashed; repeat the call");
  }
  return key;
}

const TokenEntry* TokenVerifier::EntryOf(absl::string_view token) const {
  const auto found = table_.find(NameInToken(token));
  return found == table_.end() || found->second.hash.empty() ? nullptr : &found->second;
}

std::optional<TokenVerifier::Answer> TokenVerifier::Find(absl::string_view token) {
  const std::lock_guard lock(mutex_);
  const absl::StatusOr<Key> key = KeyOf(token.substr(0, kMostTokenBytes + 1));
  if (!key.ok()) return key.status();
  const auto known = remembered_.find(*key);
  if (known != remembered_.end()) return known->second;
  if (EntryOf(token) == nullptr) return NobodysToken();
  return std::nullopt;
}

absl::Status TokenVerifier::CheckRoom(const std::string& name, absl::string_view address) const {
  size_t of_name = 0;
  size_t of_both = 0;
  for (const std::shared_ptr<Pending>& each : waiting_) {
    if (each->name != name) continue;
    ++of_name;
    if (each->address == address) ++of_both;
  }
  if (waiting_.size() >= options_.most_waiting) return TooMany(options_.most_waiting, "tokens");
  if (of_name >= options_.most_waiting_of_a_name) {
    return TooMany(options_.most_waiting_of_a_name, absl::StrCat("tokens of ", name));
  }
  if (of_both < options_.most_waiting_of_a_name_and_address) return absl::OkStatus();
  return TooMany(options_.most_waiting_of_a_name_and_address,
                 absl::StrCat("tokens of ", name, " from one address"));
}

void TokenVerifier::Verify(absl::string_view token, Done done, absl::string_view address) {
  const Answer answer = OrOutOfMemory([&]() -> Answer {
    if (const std::optional<Answer> known = Find(token)) return *known;
    SLIPSTREAM_RETURN_IF_ERROR(Enqueue(token, address, &done));
    return nullptr;
  });
  if (!answer.ok() || *answer != nullptr) done(answer);
}

// Takes `*done` unless it is refused, or throws.
absl::Status TokenVerifier::Enqueue(absl::string_view token, absl::string_view address,
                                    Done* done) {
  const std::lock_guard lock(mutex_);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Key key, KeyOf(token));
  if (closing_) return absl::UnavailableError("the server is shutting down");
  const TokenEntry* const entry = EntryOf(token);
  if (entry == nullptr) return NobodysToken();
  for (const std::shared_ptr<Pending>& each : waiting_) {
    if (each->key != key) continue;  // If the table has changed, it is verified once more.
    each->done.push_back(std::move(*done));
    return absl::OkStatus();
  }
  const std::string& name = entry->identity->name;
  SLIPSTREAM_RETURN_IF_ERROR(CheckRoom(name, address));
  const auto pending = std::make_shared<Pending>(
      Pending{key, name, std::string(token), entry->hash, std::string(address)});
  pending->done.reserve(1);  // Nothing may throw once it waits.
  waiting_.push_back(pending);
  pending->done.push_back(std::move(*done));
  work_.notify_one();
  return absl::OkStatus();
}

TokenVerifier::Answer TokenVerifier::OfCertificate(absl::string_view common_name) {
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(common_name);
  if (found != table_.end() && found->second.hash.empty()) return found->second.identity;
  return absl::UnauthenticatedError(
      absl::StrCat("the client certificate of ", common_name,
                   " has no line in the server's token file; ask the server's operator for one"));
}

void TokenVerifier::Remember(const Key& key, const std::shared_ptr<const Identity>& identity) {
  if (remembered_.size() >= options_.most_remembered) remembered_.clear();
  remembered_.insert_or_assign(key, identity);
}

void TokenVerifier::VerifyUntilClosed() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::shared_ptr<Pending> pending = waiting_.front();
    const bool is_needed = !closing_;
    lock.unlock();
    const absl::StatusOr<bool> is_sound = OrOutOfMemory([&]() -> absl::StatusOr<bool> {
      return is_needed ? IsTokenOfHash(pending->token, pending->hash) : false;
    });
    lock.lock();
    const TokenEntry* const entry = EntryOf(pending->token);
    const bool is_current = entry != nullptr && entry->hash == pending->hash;
    const Answer answer = OrOutOfMemory([&]() -> Answer {
      SLIPSTREAM_RETURN_IF_ERROR(is_sound.status());
      return *is_sound && is_current ? Answer(entry->identity) : NobodysToken();
    });
    if (answer.ok()) {
      // Without memory it is verified again when it comes again.
      OrOutOfMemory([&] {
        Remember(pending->key, *answer);
        return absl::OkStatus();
      }).IgnoreError();
    }
    waiting_.pop_front();
    std::vector<Done> waiters = std::exchange(pending->done, {});
    lock.unlock();
    for (Done& done : waiters) {
      if (!is_current || !is_needed) {
        // By the new table, or refused.
        Verify(pending->token, std::move(done), pending->address);
      } else {
        done(answer);
      }
    }
    lock.lock();
  }
}

}  // namespace slipstream
