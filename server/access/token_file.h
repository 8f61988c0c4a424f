// The file that says who may call the server. A line has four columns:
//
//   # name          role      projects     hash of the token
//   ann             trainer   vision,nlp   $argon2id$v=19$m=19456,t=2,p=1$...
//   ops             operator  *            $argon2id$v=19$m=19456,t=2,p=1$...
//   ci.example.com  ci        default      certificate
//
// "*" stands for all projects. Instead of a hash, "certificate" stands for any caller with a client
// certificate of that common name, which may not contain spaces. Empty lines and those that begin
// with '#' are ignored.
// Pure functions, but for ReadTokenFile.
#ifndef SLIPSTREAM_SERVER_ACCESS_TOKEN_FILE_H_
#define SLIPSTREAM_SERVER_ACCESS_TOKEN_FILE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/access/identity.h"

namespace slipstream {

struct TokenEntry {
  std::shared_ptr<const Identity> identity;
  std::string hash;  // Empty: known by its certificate.
};
// Of a client certificate's common name: 64 characters (RFC 5280, appendix A.1) of UTF-8.
inline constexpr size_t kMostCommonNameBytes = 256;

using TokenTable = std::map<std::string, TokenEntry, std::less<>>;  // By name.

// INVALID_ARGUMENT naming the line and what is wrong with it, but no hash.
absl::StatusOr<TokenTable> ParseTokenFile(absl::string_view text);

// NOT_FOUND or PERMISSION_DENIED if it cannot be read, FAILED_PRECONDITION if anyone but its owner
// can write it, INVALID_ARGUMENT as ParseTokenFile; all name the file.
absl::StatusOr<TokenTable> ReadTokenFile(const std::string& path);

// A line of the file, with its end.
std::string TokenLine(const Identity& identity, absl::string_view hash);

// Reads the columns but the hash of a caller with a token: "ann", "trainer", "vision,nlp".
// INVALID_ARGUMENT.
absl::StatusOr<Identity> ParseIdentity(absl::string_view name, absl::string_view role,
                                       absl::string_view projects);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_TOKEN_FILE_H_
