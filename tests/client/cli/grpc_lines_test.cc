#include "client/cli/grpc_lines.h"

#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace slipstream::cli {
namespace {

class GrpcLines : public testing::Test {
 protected:
  // gRPC's log knows its level from then on.
  GrpcLines() { grpc_init(); }
  ~GrpcLines() override {
    gpr_set_log_function(nullptr);
    grpc_shutdown();
  }

  // What is written when gRPC has an error in this file of its own.
  static std::string WrittenFor(const char* file) {
    testing::internal::CaptureStderr();
    gpr_log(file, 7, GPR_LOG_SEVERITY_ERROR, "%s failed", "something");
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(GrpcLines, ThoseOfHandshakesAreDroppedAndOthersAreTheToolsOwn) {
  TakeGrpcLines();
  EXPECT_EQ(WrittenFor("/build/src/core/tsi/ssl_transport_security.cc"), "");
  EXPECT_EQ(WrittenFor("/build/src/core/lib/security/transport/security_handshaker.cc"), "");
  EXPECT_EQ(WrittenFor("/build/src/core/lib/surface/call.cc"),
            "slipstream: gRPC: something failed (call.cc:7)\n");
}

TEST_F(GrpcLines, WhoAsksForThemSeesThemAsTheyAre) {
  setenv("GRPC_VERBOSITY", "ERROR", 1);
  TakeGrpcLines();
  unsetenv("GRPC_VERBOSITY");
  EXPECT_THAT(WrittenFor("/build/src/core/tsi/ssl_transport_security.cc"),
              testing::HasSubstr("ssl_transport_security.cc:7]"));
}

}  // namespace
}  // namespace slipstream::cli
