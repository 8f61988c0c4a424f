// Tells whose TLS handshake it was that failed, which gRPC logs without the caller's address, and
// of those that their callers leave, of which gRPC does not tell: a caller that speaks TLS 1.3 and
// does not trust the server's certificate may just close its connection.
//
//   ExpectHandshakeWith(PeerOf(connection));  // Then gRPC is given the connection, on this thread.
//   ...
//   PeerOfFailedHandshake();                  // On the thread of gRPC that logs the failure.
//
// OpenSSL's callbacks for messages carry the address from the one thread to the other; they do
// nothing once a handshake is over. Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_HANDSHAKE_PEERS_H_
#define SLIPSTREAM_SERVER_GRPC_HANDSHAKE_PEERS_H_

#include <string>

#include "server/grpc/open_connections.h"

namespace slipstream {

// What this thread makes to encrypt connections is for this peer from now on.
void ExpectHandshakeWith(const Peer& peer);

// The peer of the handshake that this thread has worked on last, as in 192.0.2.1:7 or
// [2001:db8::1]:7, whose failure is then known; empty if there is none, it has succeeded, or
// another thread works on it.
std::string PeerOfFailedHandshake();

// Called by any thread with the peer of a handshake that had begun and that ended without success
// or a known failure; null for none.
using UnfinishedHandshake = void (*)(const std::string& peer);
void OnUnfinishedHandshake(UnfinishedHandshake tell);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_HANDSHAKE_PEERS_H_
