// What people call the options of TLS: in C++, on the command line, in the environment.
#ifndef SLIPSTREAM_CLIENT_CPP_SECURITY_NAMES_H_
#define SLIPSTREAM_CLIENT_CPP_SECURITY_NAMES_H_

namespace slipstream::client_internal {

// `ca` that stands for the certificates that the system trusts.
inline constexpr char kSystemRoots[] = "system";

inline constexpr char kCaName[] = "ca (--ca, SLIPSTREAM_CA)";
inline constexpr char kCertificateName[] = "certificate (--certificate, SLIPSTREAM_CERTIFICATE)";
inline constexpr char kKeyName[] = "key (--key, SLIPSTREAM_KEY)";

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_SECURITY_NAMES_H_
