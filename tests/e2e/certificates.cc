#include "tests/e2e/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace slipstream {
namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

Key MakeKey() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void Name(X509_NAME* name, const std::string& common_name) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
}

constexpr long kSecondsOfDay = 86400;

// Without a signature.
Certificate MakeCertificate(const std::string& common_name, EVP_PKEY* key, int days,
                            int days_before = 0) {
  static long serial = 1000;
  Certificate certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()),
                  days_before * kSecondsOfDay - 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days * kSecondsOfDay);
  X509_set_pubkey(certificate.get(), key);
  Name(X509_get_subject_name(certificate.get()), common_name);
  return certificate;
}

void Extend(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  if (extension == nullptr) throw std::runtime_error("a certificate's extension is not sound");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// What `write`, a function of (BIO*), writes.
template <typename Write>
std::string Pem(const Write& write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(BIO_new(BIO_s_mem()), BIO_free);
  write(memory.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<size_t>(size)};
}

std::string PemOf(X509* certificate) {
  return Pem([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
}

}  // namespace

struct CertificateAuthority::Parts {
  Key key;
  Certificate certificate;
};

CertificateAuthority::CertificateAuthority(const std::string& name, int days, int days_before)
    : parts_(new Parts{MakeKey(), Certificate(nullptr, X509_free)}) {
  parts_->certificate = MakeCertificate(name, parts_->key.get(), days, days_before);
  X509* const own = parts_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  Extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
  Extend(own, own, NID_key_usage, "critical,keyCertSign");
  X509_sign(own, parts_->key.get(), EVP_sha256());
}

CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;
CertificateAuthority::~CertificateAuthority() = default;

std::string CertificateAuthority::certificate() const { return PemOf(parts_->certificate.get()); }

CertificateAndKey CertificateAuthority::Issue(const std::string& common_name, int days,
                                              const std::string& hosts, int days_before) {
  const Key key = MakeKey();
  const Certificate certificate = MakeCertificate(common_name, key.get(), days, days_before);
  X509* const issuer = parts_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  Extend(certificate.get(), issuer, NID_subject_alt_name, hosts.c_str());
  X509_sign(certificate.get(), parts_->key.get(), EVP_sha256());
  return {PemOf(certificate.get()), Pem([&](BIO* out) {
            PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

void WriteWhole(const std::string& path, const std::string& text) {
  std::ofstream(path + ".partial", std::ios::binary | std::ios::trunc) << text;
  using Rights = std::filesystem::perms;
  std::filesystem::permissions(path + ".partial", Rights::owner_read | Rights::owner_write);
  std::filesystem::rename(path + ".partial", path);
}

}  // namespace slipstream
