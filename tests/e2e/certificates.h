// Certificates for tests: an authority, and what it signs.
#ifndef SLIPSTREAM_TESTS_E2E_CERTIFICATES_H_
#define SLIPSTREAM_TESTS_E2E_CERTIFICATES_H_

#include <memory>
#include <string>

namespace slipstream {

struct CertificateAndKey {
  std::string certificate;  // In PEM form.
  std::string key;
};

class CertificateAuthority {
 public:
  // Its certificate is valid from the one to the other day after today; below 0 it has ended.
  explicit CertificateAuthority(const std::string& name, int days = 1000, int days_before = 0);
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;
  ~CertificateAuthority();

  // In PEM form.
  std::string certificate() const;
  // A certificate with this common name, valid for these hosts, from the one to the other day after
  // today; below 0 it has ended.
  CertificateAndKey Issue(const std::string& common_name, int days = 1,
                          const std::string& hosts = "DNS:localhost,IP:127.0.0.1",
                          int days_before = 0);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Writes the file, which its owner alone may read, by renaming.
void WriteWhole(const std::string& path, const std::string& text);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_CERTIFICATES_H_
