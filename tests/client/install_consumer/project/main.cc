// A trainer that uses nothing but the installed package, with and without messages.
#include <slipstream/messages/client.h>
#include <slipstream/study.h>

#include <iostream>

int main() {
  const slipstream::ClientOptions nowhere = {.address = "unix:/nonexistent/slipstream.sock",
                                             .retry = {.max_attempts = 1}};
  const auto study = slipstream::client::Load("digits", nowhere);
  std::cout << study.status().message() << '\n';
  auto client = slipstream::Client::Connect(nowhere);
  if (!client.ok()) return 2;
  const auto trials = (*client)->Suggest("studies/digits", "gpu-3");
  return absl::IsUnavailable(study.status()) && absl::IsUnavailable(trials.status()) ? 0 : 1;
}
