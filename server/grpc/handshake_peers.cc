#include "server/grpc/handshake_peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

// Several threads may work on it, one after the other.
struct Handshake {
  explicit Handshake(const Peer& of) : peer(of) {}

  const Peer peer;
  std::atomic<const void*> last_thread{nullptr};  // Null until the peer has sent something.
  std::atomic<bool> is_over{false};               // It succeeded, or its failure is known.
};

// The peer of what this thread makes to encrypt connections.
thread_local Peer expected;
// The handshake that this thread has worked on last, unless it is over. Its address stands for the
// thread.
thread_local std::shared_ptr<Handshake> in_progress;
std::atomic<UnfinishedHandshake> on_unfinished{nullptr};

std::string TextOfPeer(const Peer& peer) {
  const bool is_ip6 = peer.ip.size() == sizeof(in6_addr);
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(is_ip6 ? AF_INET6 : AF_INET, peer.ip.data(), text, sizeof(text));
  return absl::StrCat(is_ip6 ? "[" : "", text, is_ip6 ? "]:" : ":", peer.port);
}

void NoteNothing(int, int, int, const void*, size_t, SSL*, void*) {}

// OpenSSL may call it twice in a row without looking again whether there is one.
void NoteMessage(int /*is_written*/, int /*version*/, int /*type*/, const void* /*message*/,
                 size_t /*size*/, SSL* ssl, void* handshake) {
  in_progress = *static_cast<const std::shared_ptr<Handshake>*>(handshake);
  in_progress->last_thread = &in_progress;
  if (SSL_is_init_finished(ssl) == 0) return;
  in_progress->is_over = true;
  in_progress.reset();
  SSL_set_msg_callback(ssl, &NoteNothing);
}

void NoteMade(void* ssl, void* /*value*/, CRYPTO_EX_DATA* data, int index, long /*argument*/,
              void* /*pointer*/) {
  if (expected.port == 0) return;
  auto* const handshake =
      new std::shared_ptr<Handshake>(std::make_shared<Handshake>(expected));
  CRYPTO_set_ex_data(data, index, handshake);
  SSL_set_msg_callback(static_cast<SSL*>(ssl), &NoteMessage);
  SSL_set_msg_callback_arg(static_cast<SSL*>(ssl), handshake);
}

void NoteFreed(void* ssl, void* value, CRYPTO_EX_DATA* /*data*/, int /*index*/, long /*argument*/,
               void* /*pointer*/) {
  const std::unique_ptr<std::shared_ptr<Handshake>> owner(
      static_cast<std::shared_ptr<Handshake>*>(value));
  if (owner == nullptr) return;
  const Handshake& handshake = **owner;
  if (handshake.last_thread == nullptr || handshake.is_over) return;
  if (SSL_is_init_finished(static_cast<const SSL*>(ssl)) != 0) return;
  if (const UnfinishedHandshake tell = on_unfinished) tell(TextOfPeer(handshake.peer));
}

}  // namespace

void ExpectHandshakeWith(const Peer& peer) {
  [[maybe_unused]] static const int index = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL, 0, nullptr, &NoteMade, /*dup_func=*/nullptr, &NoteFreed);
  expected = peer;
}

std::string PeerOfFailedHandshake() {
  const std::shared_ptr<Handshake> failed = std::exchange(in_progress, nullptr);
  // Another thread may have taken it over.
  if (failed == nullptr || failed->last_thread != &in_progress) return {};
  failed->is_over = true;
  return TextOfPeer(failed->peer);
}

void OnUnfinishedHandshake(UnfinishedHandshake tell) { on_unfinished = tell; }

}  // namespace slipstream
