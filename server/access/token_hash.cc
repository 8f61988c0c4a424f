#include "server/access/token_hash.h"

#include <argon2.h>
#include <openssl/rand.h>

#include <cstdint>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// The costs that OWASP's Password Storage Cheat Sheet recommends for Argon2id.
constexpr uint32_t kPasses = 2;
constexpr uint32_t kKibibytes = 19456;
constexpr uint32_t kLanes = 1;

constexpr size_t kSecretBytes = 32;
constexpr size_t kSaltBytes = 16;
constexpr size_t kHashBytes = 32;
constexpr size_t kHashLetters = 43;  // In base 64 without padding. A shorter text has been cut off.

absl::StatusOr<std::string> RandomBytes(size_t size) {
  std::string bytes(size, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) == 1) {
    return bytes;
  }
  return absl::InternalError("the operating system provides no random bytes");
}

// Reads "m=19456,t=2,p=1".
bool AreCostsBearable(absl::string_view costs) {
  const std::vector<absl::string_view> parts = absl::StrSplit(costs, ',');
  if (parts.size() != 3) return false;
  constexpr const char* kNames[] = {"m=", "t=", "p="};
  constexpr uint32_t kBounds[] = {kMostHashKibibytes, kMostHashPasses, kMostHashLanes};
  for (size_t i = 0; i < parts.size(); ++i) {
    absl::string_view text = parts[i];
    uint32_t value = 0;
    if (!absl::ConsumePrefix(&text, kNames[i]) || !absl::SimpleAtoi(text, &value) || value == 0 ||
        value > kBounds[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<Token> MakeToken(absl::string_view name) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string secret, RandomBytes(kSecretBytes));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string salt, RandomBytes(kSaltBytes));
  Token token;
  token.text = absl::StrCat(name, ".", absl::WebSafeBase64Escape(secret));
  std::string encoded(
      argon2_encodedlen(kPasses, kKibibytes, kLanes, kSaltBytes, kHashBytes, Argon2_id), '\0');
  const int code =
      argon2id_hash_encoded(kPasses, kKibibytes, kLanes, token.text.data(), token.text.size(),
                            salt.data(), salt.size(), kHashBytes, encoded.data(), encoded.size());
  if (code != ARGON2_OK) return absl::InternalError(argon2_error_message(code));
  token.hash = encoded.c_str();  // Without the zeros at its end.
  return token;
}

absl::StatusOr<bool> IsTokenOfHash(const std::string& token, const std::string& hash) {
  const int code = argon2id_verify(hash.c_str(), token.data(), token.size());
  const bool is_told = code != ARGON2_MEMORY_ALLOCATION_ERROR && code != ARGON2_THREAD_FAIL;
  if (is_told) return code == ARGON2_OK;
  return absl::UnavailableError(
      absl::StrCat("memory ran out while the token was verified (", argon2_error_message(code),
                   "); repeat the call"));
}

bool IsTokenHash(const std::string& hash) {
  const std::vector<absl::string_view> parts = absl::StrSplit(hash, '$');
  return parts.size() == 6 && parts[0].empty() && parts[1] == "argon2id" && parts[2] == "v=19" &&
         AreCostsBearable(parts[3]) && parts[4].size() >= 11 && parts[5].size() == kHashLetters;
}

absl::string_view NameInToken(absl::string_view token) {
  const size_t point = token.find('.');
  if (point == absl::string_view::npos || token.size() > kMostTokenBytes) return {};
  return token.substr(0, point);
}

}  // namespace slipstream
