#include "client/cpp/tls_probe.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "client/cpp/probe_socket.h"
#include "client/cpp/security_names.h"

namespace slipstream::client_internal {
namespace {

using Speech = TlsFindings::Speech;
using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

// The beginning of HTTP/2 by a client, with settings that change nothing (RFC 9113, 3.4).
const std::string& Http2Beginning() {
  static const auto& bytes = *new std::string(
      std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string("\0\0\0\4\0\0\0\0\0", 9));
  return bytes;
}

// A record of TLS that a server answers with, a handshake or an alert (RFC 8446, 5.1).
bool IsTlsRecord(const std::string& bytes) {
  return bytes.size() >= 2 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 0x03;
}

// A frame of HTTP/2 with a server's settings, or an answer of HTTP/1.
bool IsPlaintext(const std::string& bytes) {
  const bool is_settings = bytes.size() >= 9 && bytes[0] == 0 && bytes[3] == 4;
  return is_settings || absl::StartsWith(bytes, "HTTP/");
}

struct Place {
  std::string host;  // Without brackets.
  std::string port;
};

Place PlaceOf(const std::string& address) {
  const size_t colon = address.rfind(':');
  absl::string_view host = absl::string_view(address).substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  return {std::string(host), address.substr(colon + 1)};
}

bool IsNumber(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  const std::string number = host.substr(0, host.find('%'));
  return inet_pton(AF_INET, number.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, number.c_str(), bytes) == 1;
}

std::string TimeText(const ASN1_TIME* time) {
  tm parts = {};
  char text[32];
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return {text, strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string HostText(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS) {
    const auto* const text = ASN1_STRING_get0_data(name.d.dNSName);
    return {reinterpret_cast<const char*>(text),
            static_cast<size_t>(ASN1_STRING_length(name.d.dNSName))};
  }
  if (name.type != GEN_IPADD) return {};
  const int size = ASN1_STRING_length(name.d.iPAddress);
  char text[INET6_ADDRSTRLEN];
  const char* const number =
      inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name.d.iPAddress), text,
                sizeof(text));
  return number == nullptr || (size != 4 && size != 16) ? "" : number;
}

// The hosts that the certificate is for.
std::vector<std::string> NamesIn(const X509& certificate) {
  std::vector<std::string> names;
  auto* const all = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
    std::string name = HostText(*sk_GENERAL_NAME_value(all, i));
    if (!name.empty()) names.push_back(std::move(name));
  }
  GENERAL_NAMES_free(all);
  return names;
}

// Takes note of why a certificate is not trusted. OpenSSL's callback.
int Judge(int is_trusted, X509_STORE_CTX* store) {
  if (is_trusted == 1) return 1;
  const auto* const connection = static_cast<SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const findings = static_cast<TlsFindings*>(SSL_get_app_data(connection));
  const X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  findings->distrust = X509_STORE_CTX_get_error(store);
  findings->is_own = X509_STORE_CTX_get_error_depth(store) == 0;
  if (certificate == nullptr) return 0;
  findings->begin = TimeText(X509_get0_notBefore(certificate));
  findings->end = TimeText(X509_get0_notAfter(certificate));
  findings->names = NamesIn(*certificate);
  return 0;
}

int NoteThatItIsAskedFor(SSL*, void* findings) {
  static_cast<TlsFindings*>(findings)->asks_for_certificate = true;
  return 1;
}

// A handshake with the settings of `options`.
class Handshake {
 public:
  Handshake(const ClientOptions& options, const std::string& host, ProbeSocket* socket,
            TlsFindings* findings)
      : socket_(*socket), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_cert_cb(context_.get(), NoteThatItIsAskedFor, findings);
    if (!options.ca.empty()) Trust(options);
    connection_.reset(SSL_new(context_.get()));
    SSL* const connection = connection_.get();
    SSL_set_app_data(connection, findings);
    SSL_set_bio(connection, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    constexpr unsigned char kHttp2[] = {2, 'h', '2'};
    SSL_set_alpn_protos(connection, kHttp2, sizeof(kHttp2));
    ExpectHost(host);
  }

  // Whether it ended well.
  bool Shake() {
    return Drive([this] { return SSL_connect(connection_.get()); });
  }
  // Whether the server begins to speak HTTP/2. With TLS 1.3 it judges the caller's certificate
  // after the handshake.
  bool SpeakHttp2() {
    const std::string& bytes = Http2Beginning();
    char answer[64];
    return Drive([&] {
             return SSL_write(connection_.get(), bytes.data(), static_cast<int>(bytes.size()));
           }) &&
           Drive([&] { return SSL_read(connection_.get(), answer, sizeof(answer)); });
  }
  // What the server sent first.
  const std::string& first_bytes() const { return first_bytes_; }

 private:
  void Trust(const ClientOptions& options) {
    SSL_CTX* const context = context_.get();
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, Judge);
    if (options.ca == kSystemRoots) {
      SSL_CTX_set_default_verify_paths(context);
    } else {
      SSL_CTX_load_verify_locations(context, options.ca.c_str(), nullptr);
    }
    if (options.certificate.empty()) return;
    SSL_CTX_use_certificate_chain_file(context, options.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, options.key.c_str(), SSL_FILETYPE_PEM);
  }

  void ExpectHost(const std::string& host) {
    X509_VERIFY_PARAM* const expected = SSL_get0_param(connection_.get());
    if (IsNumber(host)) {
      X509_VERIFY_PARAM_set1_ip_asc(expected, host.substr(0, host.find('%')).c_str());
    } else {
      SSL_set_tlsext_host_name(connection_.get(), host.c_str());
      X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size());
    }
  }

  // Repeats OpenSSL's step until it is done, fails, or nothing comes from the server any more;
  // whether it is done.
  bool Drive(const std::function<int()>& step) {
    while (true) {
      ERR_clear_error();
      const int result = step();
      const bool wants_more = SSL_get_error(connection_.get(), result) == SSL_ERROR_WANT_READ;
      ERR_clear_error();
      if (!SendWhatIsDue() || result > 0 || !wants_more) return result > 0;
      const std::string bytes = socket_.Receive();
      if (bytes.empty()) return false;
      if (first_bytes_.empty()) first_bytes_ = bytes;
      BIO_write(SSL_get_rbio(connection_.get()), bytes.data(), static_cast<int>(bytes.size()));
    }
  }

  bool SendWhatIsDue() {
    char* bytes = nullptr;
    BIO* const due = SSL_get_wbio(connection_.get());
    const long size = BIO_get_mem_data(due, &bytes);
    const bool sent = size <= 0 || socket_.Send({bytes, static_cast<size_t>(size)});
    (void)BIO_reset(due);
    return sent;
  }

  ProbeSocket& socket_;
  const Context context_;
  std::unique_ptr<SSL, void (*)(SSL*)> connection_{nullptr, SSL_free};
  std::string first_bytes_;
};

bool SpeaksPlaintext(const Place& place, ProbeSocket::Deadline deadline) {
  ProbeSocket socket(place.host, place.port, deadline);
  return socket.is_connected() && socket.Send(Http2Beginning()) && IsPlaintext(socket.Receive());
}

}  // namespace

TlsFindings ProbeServer(const ClientOptions& options, std::chrono::nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience);
  const Place place = PlaceOf(options.address);
  TlsFindings findings;
  ProbeSocket socket(place.host, place.port, deadline);
  if (!socket.is_connected()) return findings;
  Handshake handshake(options, place.host, &socket, &findings);
  const bool is_secure = handshake.Shake();
  if (IsTlsRecord(handshake.first_bytes())) {
    findings.speech = Speech::kTls;
    const bool serves = is_secure && handshake.SpeakHttp2();
    findings.hangs_up = !serves && !socket.has_waited_in_vain();
  } else if (!handshake.first_bytes().empty() || SpeaksPlaintext(place, deadline)) {
    findings.speech = Speech::kPlaintext;
  }
  return findings;
}

}  // namespace slipstream::client_internal
