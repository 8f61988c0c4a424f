// Tells whose TLS handshake it was that failed, which gRPC logs without the caller's address.
//
//   ExpectHandshakeWith(PeerOf(connection));  // Then gRPC is given the connection, on this thread.
//   ...
//   PeerInHandshake();                        // On the thread of gRPC that logs the failure.
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

// The peer of the handshake of which this thread has handled a message last, as in
// 192.0.2.1:7 or [2001:db8::1]:7; empty if there is none.
std::string PeerInHandshake();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_HANDSHAKE_PEERS_H_
