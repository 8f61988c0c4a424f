#include "server/grpc/unknown_fields.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

using google::protobuf::Message;

void AddUnknownField(Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(1000, 7);
}

v1::AddTrialsRequest ExampleRequest() {
  v1::AddTrialsRequest request;
  request.set_study("studies/s");
  for (const char* parameter : {"x", "y"}) {
    v1::Observation* const observation = request.add_observations();
    (*observation->mutable_configuration()->mutable_values())[parameter].set_double_value(1);
    (*observation->mutable_outcome()->mutable_measurement()->mutable_metrics())["loss"] = 2;
  }
  return request;
}

// The message without what `part`, a function of the request that returns a message in it, has
// been given and this version does not know.
template <typename Part>
std::string KeptWithUnknownFieldIn(Part part) {
  v1::AddTrialsRequest request = ExampleRequest();
  AddUnknownField(part(request));
  EXPECT_NE(request.ByteSizeLong(), ExampleRequest().ByteSizeLong());
  DropUnknownFields(&request);
  EXPECT_EQ(request.ByteSizeLong(), ExampleRequest().ByteSizeLong());
  return request.DebugString();
}

TEST(UnknownFields, AreDroppedWhereverTheyAre) {
  using Request = v1::AddTrialsRequest;
  const std::string known = ExampleRequest().DebugString();
  EXPECT_EQ(KeptWithUnknownFieldIn([](Request& request) { return &request; }), known);
  EXPECT_EQ(KeptWithUnknownFieldIn(
                [](Request& request) { return request.mutable_observations(1); }),
            known);
  EXPECT_EQ(KeptWithUnknownFieldIn([](Request& request) {
              return request.mutable_observations(0)->mutable_outcome()->mutable_measurement();
            }),
            known);
  EXPECT_EQ(KeptWithUnknownFieldIn([](Request& request) {
              v1::Observation* const observation = request.mutable_observations(0);
              return &(*observation->mutable_configuration()->mutable_values())["x"];
            }),
            known);
}

TEST(UnknownFields, WhatIsKnownStays) {
  v1::AddTrialsRequest request = ExampleRequest();
  DropUnknownFields(&request);
  EXPECT_EQ(request.DebugString(), ExampleRequest().DebugString());
}

}  // namespace
}  // namespace slipstream
