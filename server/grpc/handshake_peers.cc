#include "server/grpc/handshake_peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

thread_local Peer expected;      // Of what this thread makes.
thread_local Peer in_handshake;  // Of the latest message that this thread has handled.

void NoteNothing(int, int, int, const void*, size_t, SSL*, void*) {}

// OpenSSL may call it twice in a row without looking again whether there is one.
void NoteMessage(int /*is_written*/, int /*version*/, int /*type*/, const void* /*message*/,
                 size_t /*size*/, SSL* ssl, void* peer) {
  if (SSL_is_init_finished(ssl) != 0) return SSL_set_msg_callback(ssl, &NoteNothing);
  in_handshake = *static_cast<const Peer*>(peer);
}

void NoteMade(void* ssl, void* /*value*/, CRYPTO_EX_DATA* data, int index, long /*argument*/,
              void* /*pointer*/) {
  if (expected.port == 0) return;
  auto* const peer = new Peer(expected);
  CRYPTO_set_ex_data(data, index, peer);
  SSL_set_msg_callback(static_cast<SSL*>(ssl), &NoteMessage);
  SSL_set_msg_callback_arg(static_cast<SSL*>(ssl), peer);
}

void NoteFreed(void* /*ssl*/, void* peer, CRYPTO_EX_DATA* /*data*/, int /*index*/,
               long /*argument*/, void* /*pointer*/) {
  delete static_cast<Peer*>(peer);
}

}  // namespace

void ExpectHandshakeWith(const Peer& peer) {
  [[maybe_unused]] static const int index = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL, 0, nullptr, &NoteMade, /*dup_func=*/nullptr, &NoteFreed);
  expected = peer;
}

std::string PeerInHandshake() {
  const Peer& peer = in_handshake;
  if (peer.port == 0) return {};
  const bool is_ip6 = peer.ip.size() == sizeof(in6_addr);
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(is_ip6 ? AF_INET6 : AF_INET, peer.ip.data(), text, sizeof(text));
  return absl::StrCat(is_ip6 ? "[" : "", text, is_ip6 ? "]:" : ":", peer.port);
}

}  // namespace slipstream
