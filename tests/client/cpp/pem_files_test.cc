#include "client/cpp/pem_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <string>

#include "tests/e2e/certificates.h"

namespace slipstream::pem {
namespace {

using testing::HasSubstr;

std::string Reason(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  return std::string(status.message());
}

// The key, encrypted by a password.
std::string Encrypted(const std::string& text) {
  const PrivateKey key = KeyIn(text).value();
  BIO* const memory = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(memory, key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr,
                                nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  const std::string encrypted(bytes, static_cast<size_t>(size));
  BIO_free(memory);
  return encrypted;
}

TEST(PemFiles, AFileThatCannotBeReadOrIsEmptyIsToldSo) {
  EXPECT_EQ(Reason(ReadText("/nowhere").status()), "No such file or directory");
  EXPECT_EQ(Reason(ReadText("/dev/null").status()), "it is empty or a folder");
  EXPECT_EQ(Reason(ReadText("/tmp").status()), "it is empty or a folder");
}

TEST(PemFiles, AllCertificatesOfATextAreRead) {
  CertificateAuthority authority("Test Authority");
  const CertificateAndKey issued = authority.Issue("server");
  EXPECT_EQ(CertificatesIn(issued.certificate + authority.certificate())->size(), 2u);
  EXPECT_EQ(Reason(CertificatesIn("precious").status()), "it has no certificate in PEM form");
  EXPECT_EQ(Reason(CertificatesIn(issued.key).status()), "it has no certificate in PEM form");
  EXPECT_THAT(Reason(CertificatesIn(issued.certificate.substr(0, 300)).status()),
              HasSubstr("bad end line"));
}

TEST(PemFiles, AKeyIsThatOfItsCertificate) {
  CertificateAuthority authority("Test Authority");
  const CertificateAndKey issued = authority.Issue("server");
  const auto certificates = CertificatesIn(issued.certificate);
  const auto check = [&](const std::string& key) {
    return CheckFit(certificates->front().get(), KeyIn(key)->get());
  };
  EXPECT_TRUE(check(issued.key).ok());
  EXPECT_TRUE(CheckUsable(certificates->front().get()).ok());
  EXPECT_THAT(Reason(check(authority.Issue("other").key)), HasSubstr("key values mismatch"));
}

TEST(PemFiles, WhatIsNoKeyIsToldSo) {
  const CertificateAndKey issued = CertificateAuthority("Test Authority").Issue("server");
  EXPECT_EQ(Reason(KeyIn(issued.certificate).status()), "it has no private key in PEM form");
  EXPECT_EQ(Reason(KeyIn("precious").status()), "it has no private key in PEM form");
  EXPECT_EQ(Reason(KeyIn(Encrypted(issued.key)).status()), "it is encrypted")
      << "nobody is asked for its password";
  EXPECT_FALSE(KeyIn(issued.key.substr(0, 60)).ok());
}

}  // namespace
}  // namespace slipstream::pem
