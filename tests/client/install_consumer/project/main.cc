// A trainer that uses nothing but the installed package.
#include <slipstream/client.h>
#include <slipstream/request_id.h>

#include <iostream>

int main() {
  auto client = slipstream::Client::Connect(
      {.address = "unix:/nonexistent/slipstream.sock", .retry = {.max_attempts = 1}});
  if (!client.ok()) return 2;
  const auto trials = (*client)->Suggest("studies/digits", slipstream::MakeRequestId());
  std::cout << trials.status().message() << '\n';
  return trials.status().code() == absl::StatusCode::kUnavailable ? 0 : 1;
}
