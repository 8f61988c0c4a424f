#include "server/socket/listening_sockets.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

TEST(ListeningSockets, ATakenPortIsRefusedByName) {
  const auto first = ListeningSockets::At({"127.0.0.1"});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = ListeningSockets::At({"127.0.0.1", first->port()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(second.status().message().find(std::to_string(first->port())), std::string::npos);
}

TEST(ListeningSockets, TheirAddressIsFreeAgainAfterClosing) {
  auto first = ListeningSockets::At({"localhost"});
  ASSERT_TRUE(first.ok()) << first.status();
  first->Close();
  EXPECT_TRUE(ListeningSockets::At({"localhost", first->port()}).ok());
}

// Exits with 1 if it cannot listen at a name that this file of hosts gives, and with 2 where this
// process may not see the file in place of the system's.
void ListenWithHosts(const std::string& hosts, const std::string& name) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
      mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) {
    _exit(2);
  }
  _exit(ListeningSockets::At({name}).ok() ? 0 : 1);
}

TEST(ListeningSockets, AnAddressThatANameHasTwiceIsListenedToOnce) {
  const TemporaryFile hosts;
  hosts.Write("127.0.0.1 twice.example.com twice\n127.0.0.1 twice\n");
  EXPECT_EXIT(ListenWithHosts(hosts.path(), "twice"),
              [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) != 1; }, "");
}

TEST(ListeningSockets, AnAddressOfAnotherMachineIsRefused) {
  for (const char* host : {"192.0.2.1", "no.such.host.invalid"}) {
    EXPECT_EQ(ListeningSockets::At({host}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(HostAndPort, IsReadAsItIsWritten) {
  for (const char* text : {"127.0.0.1:7411", "[::1]:7411", "localhost:0", "0.0.0.0:65535"}) {
    const auto address = ParseHostAndPort("listen", text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->Text(), text);
  }
  for (const char* text : {"nonsense", "127.0.0.1", "127.0.0.1:x", "a:65536", "a:-1", ":1", "a:",
                           "", "[::1]", "::1", "2001:db8::1", "::1:", "::1:x", "1:2:7411"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseHostAndPort("listen", text).status())) << text;
  }
}

// Texts without brackets were accepted before.
TEST(HostAndPort, AnAddressOfIp6GetsBrackets) {
  for (const char* host : {"::1", "::", "2001:db8::1", "fe80::1%eth0"}) {
    const auto address = ParseHostAndPort("listen", std::string(host) + ":7411");
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->Text(), "[" + std::string(host) + "]:7411");
  }
}

}  // namespace
}  // namespace slipstream
