// The connection to the server, which is replaced when it seems dead.
#ifndef SLIPSTREAM_CLIENT_CPP_CONNECTION_H_
#define SLIPSTREAM_CLIENT_CPP_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream::client_internal {

// A channel with its stub. Callers keep it alive while they use it.
struct Link {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::OptimizationService::Stub> stub;

  // Whether the channel is connected at this moment. Never blocks.
  bool IsConnected() const;
};

// Makes a channel's credentials. Null: those of before, if there are any, or plaintext.
using MakeCredentials = std::function<std::shared_ptr<grpc::ChannelCredentials>()>;

// Thread-safe. Connects at the first call, not before.
class Connection {
 public:
  // Each link has credentials of its own, as certificates are replaced while programs run.
  Connection(std::string address, MakeCredentials make_credentials);

  std::shared_ptr<const Link> Current();

  // Makes a new link unless another thread has replaced `failed` already.
  // Calls in progress on the old link are not disturbed. Without this, every
  // retry would wait on a connection whose peer has vanished silently.
  void Replace(const Link& failed);

 private:
  std::shared_ptr<const Link> Open();

  const std::string address_;
  const MakeCredentials make_credentials_;
  std::mutex mutex_;  // Guards what follows.
  std::shared_ptr<grpc::ChannelCredentials> credentials_ = grpc::InsecureChannelCredentials();
  std::shared_ptr<const Link> link_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_CONNECTION_H_
