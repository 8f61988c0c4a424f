#include "server/grpc/handshake_peers.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/e2e/certificates.h"

namespace slipstream {
namespace {

std::string unfinished;  // The peers of unfinished handshakes.

void NoteUnfinished(const std::string& peer) { unfinished += peer + " "; }

using Ssl = std::unique_ptr<SSL, decltype(&SSL_free)>;

Ssl MakeSsl(SSL_CTX* context) {
  Ssl made(SSL_new(context), &SSL_free);
  SSL_set_bio(made.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  return made;
}

// Both ends of a handshake in this process.
class HandshakePeersTest : public testing::Test {
 protected:
  void SetUp() override {
    const CertificateAndKey issued = CertificateAuthority("Authority").Issue("server");
    BIO* const certificate = BIO_new_mem_buf(issued.certificate.data(), -1);
    BIO* const key = BIO_new_mem_buf(issued.key.data(), -1);
    X509* const x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
    EVP_PKEY* const private_key = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), x509), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), private_key), 1);
    EVP_PKEY_free(private_key);
    X509_free(x509);
    BIO_free(key);
    BIO_free(certificate);
    unfinished.clear();
    OnUnfinishedHandshake(&NoteUnfinished);
    ExpectHandshakeWith({std::string("\xc0\x00\x02\x01", 4), 7});
    server_ = MakeSsl(context_.get());
    ExpectHandshakeWith({});
    client_ = MakeSsl(context_.get());
    SSL_set_accept_state(server_.get());
    SSL_set_connect_state(client_.get());
  }
  void TearDown() override { OnUnfinishedHandshake(nullptr); }

  // One end works on what the other has sent; whether the handshake has succeeded.
  bool Work(SSL* end, SSL* other) {
    char bytes[4096];
    for (int size = 0; (size = BIO_read(SSL_get_wbio(other), bytes, sizeof(bytes))) > 0;) {
      BIO_write(SSL_get_rbio(end), bytes, size);
    }
    return SSL_do_handshake(end) == 1;
  }
  bool ClientWorks() { return Work(client_.get(), server_.get()); }
  bool ServerWorks() { return Work(server_.get(), client_.get()); }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_method()),
                                                             &SSL_CTX_free};
  Ssl server_{nullptr, &SSL_free};
  Ssl client_{nullptr, &SSL_free};
};

TEST_F(HandshakePeersTest, AFailureIsThatOfTheHandshakeThatThisThreadWorkedOn) {
  ClientWorks();
  ServerWorks();
  EXPECT_EQ(PeerOfFailedHandshake(), "192.0.2.1:7");
  EXPECT_EQ(PeerOfFailedHandshake(), "") << "told already";
  server_.reset();
  EXPECT_EQ(unfinished, "");
}

TEST_F(HandshakePeersTest, OneThatIsLeftIsTold) {
  ClientWorks();
  ServerWorks();
  server_.reset();
  EXPECT_EQ(unfinished, "192.0.2.1:7 ");
}

TEST_F(HandshakePeersTest, ASuccessIsNotTakenForALaterFailure) {
  ClientWorks();
  ServerWorks();
  EXPECT_TRUE(ClientWorks());
  EXPECT_TRUE(ServerWorks());
  EXPECT_EQ(SSL_write(server_.get(), "x", 1), 1);  // As HTTP/2 begins at once.
  EXPECT_EQ(PeerOfFailedHandshake(), "");
  server_.reset();
  EXPECT_EQ(unfinished, "");
}

TEST_F(HandshakePeersTest, OneThatAnotherThreadTookOverIsNotThisThreads) {
  SSL_set_verify(server_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  ClientWorks();
  ServerWorks();
  ClientWorks();
  std::thread([&] { EXPECT_FALSE(ServerWorks()); }).join();
  EXPECT_EQ(PeerOfFailedHandshake(), "");
  server_.reset();
  EXPECT_EQ(unfinished, "192.0.2.1:7 ");
}

}  // namespace
}  // namespace slipstream
