// Tokens and their hashes. A token is "NAME.SECRET": the name tells which hash to compare it
// with, the secret is random.
//
//   const Token token = *MakeToken("ann");
//   token.text;                                  // For ann alone.
//   token.hash;                                  // For the server's file.
//   *IsTokenOfHash(token.text, token.hash);      // True; takes some ten milliseconds and 19 MiB.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_ACCESS_TOKEN_HASH_H_
#define SLIPSTREAM_SERVER_ACCESS_TOKEN_HASH_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// Longer texts are not tokens.
inline constexpr size_t kMostTokenBytes = 256;
// What verifying a token by a hash that others have made may cost.
inline constexpr uint32_t kMostHashPasses = 16;
inline constexpr uint32_t kMostHashKibibytes = 262144;
inline constexpr uint32_t kMostHashLanes = 16;

struct Token {
  std::string text;
  std::string hash;  // Argon2id, in the form of the PHC string format.
};

// INTERNAL if the system gives no random bytes or no memory. `name` has passed CheckShortName
// (column_file.h).
absl::StatusOr<Token> MakeToken(absl::string_view name);

// Whether the token was made with this hash. Slow by design. UNAVAILABLE: there is no memory to
// find out.
absl::StatusOr<bool> IsTokenOfHash(const std::string& token, const std::string& hash);

// Whether `hash` has the form of a hash that can be verified at an acceptable cost.
bool IsTokenHash(const std::string& hash);

// The part of a token before its secret; empty if it has no such form.
absl::string_view NameInToken(absl::string_view token);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_TOKEN_HASH_H_
