#include "client/cpp/tls_mistake.h"

#include <openssl/x509_vfy.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cpp/security_names.h"
#include "client/cpp/server_address.h"

namespace slipstream::client_internal {
namespace {

using Speech = TlsFindings::Speech;

std::string WhatSigns(const ClientOptions& options) {
  if (options.ca == kSystemRoots) return "any that the system trusts";
  return absl::StrCat("any in ", options.ca);
}

// The certificate that is not trusted.
std::string WhichOne(const TlsFindings& findings) {
  return findings.is_own ? "the server's certificate" : "a certificate that signs the server's";
}

std::string WrongName(const ClientOptions& options, const TlsFindings& findings) {
  const std::string host = options.address.substr(0, options.address.rfind(':'));
  if (findings.names.empty()) {
    return absl::StrCat("the server's certificate names no host; its operator must give it one "
                        "for ", host);
  }
  return absl::StrCat("the server's certificate is for ", absl::StrJoin(findings.names, ", "),
                      " and not for ", host,
                      "; use an address with a name that it is for, or have the server's operator "
                      "give it one for ", host);
}

std::string Distrust(const ClientOptions& options, const TlsFindings& findings) {
  switch (findings.distrust) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return absl::StrCat(WhichOne(findings), " expired on ", findings.end,
                          "; the server's operator must renew it, unless this machine's clock is "
                          "wrong");
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return absl::StrCat(WhichOne(findings), " begins on ", findings.begin,
                          "; set this machine's clock if it is wrong, or wait");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return WrongName(options, findings);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return absl::StrCat("the server's certificate is not signed by ", WhatSigns(options),
                          "; give ", kCaName, " the file with the certificate that signs it");
    default:
      return absl::StrCat(WhichOne(findings), " cannot be trusted (",
                          X509_verify_cert_error_string(findings.distrust), "); give ", kCaName,
                          " the file with the certificate that signs it, or have the server's "
                          "operator give it another one");
  }
}

}  // namespace

std::string TlsMistake(const ClientOptions& options, const TlsFindings& findings) {
  const bool wants_tls = !options.ca.empty();
  if (findings.speech == Speech::kUnknown) return {};
  if (findings.speech == Speech::kTls && !wants_tls) {
    return absl::StrCat("the server speaks TLS, and this caller plaintext; give ", kCaName,
                        " the file with the certificate that signs the server's, or \"system\" "
                        "for those that the system trusts");
  }
  if (findings.speech == Speech::kPlaintext) {
    if (!wants_tls) return {};
    return absl::StrCat("the server speaks plaintext, and this caller TLS; leave ", kCaName,
                        " out, or have the server's operator give it --tls-certificate and "
                        "--tls-key");
  }
  if (findings.distrust != X509_V_OK) return Distrust(options, findings);
  if (!findings.asks_for_certificate || !findings.hangs_up) return {};
  if (options.certificate.empty()) {
    return absl::StrCat("the server requires a client certificate; give ", kCertificateName,
                        " and ", kKeyName);
  }
  return absl::StrCat("the server does not accept the certificate in ", options.certificate,
                      "; give ", kCertificateName, " one that is valid and signed by one of the "
                      "server's --tls-client-ca");
}

std::string FindTlsMistake(const ClientOptions& options, std::chrono::nanoseconds patience) {
  if (!IsHostWithPort(options.address)) return {};
  return TlsMistake(options, ProbeServer(options, patience));
}

}  // namespace slipstream::client_internal
