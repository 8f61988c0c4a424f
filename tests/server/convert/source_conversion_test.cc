#include "server/convert/source_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace slipstream {
namespace {

constexpr size_t kDimension = 5;

// Bit patterns of all sorts; never NaN.
double AnyDouble(std::mt19937_64* random) {
  const double special[] = {0.0, 5e-324, -1e308, 1e308, 1.0 / 3};
  if ((*random)() % 3 == 0) return special[(*random)() % 5];
  const double value =
      std::ldexp(static_cast<double>((*random)()), static_cast<int>((*random)() % 1000) - 560);
  return (*random)() % 2 == 0 ? value : -value;
}

SourcePoint AnyPoint(std::mt19937_64* random) {
  SourcePoint point;
  for (size_t i = 0; i < kDimension; ++i) {
    const Value values[] = {Value(), Value::Double(AnyDouble(random)),
                            Value::Integer(static_cast<int64_t>((*random)())),
                            Value::Level(static_cast<int64_t>((*random)() % 1000)),
                            Value::Boolean((*random)() % 2 == 0)};
    point.configuration.values.push_back(values[(*random)() % 5]);
  }
  point.ending = static_cast<Ending>((*random)() % 4);
  if (point.ending == Ending::kMeasured || (*random)() % 2 == 0) point.value = AnyDouble(random);
  return point;
}

TEST(SourceConversion, PackedPointsReadBackExactly) {
  std::mt19937_64 random(5);
  std::vector<SourcePoint> points;
  for (int i = 0; i < 10000; ++i) points.push_back(AnyPoint(&random));
  std::vector<SourcePoint> read;
  const std::vector<std::string> chunks = PackPoints(points);
  EXPECT_GT(chunks.size(), 1u);
  for (const std::string& chunk : chunks) {
    ASSERT_TRUE(UnpackPoints(chunk, kDimension, &read).ok());
  }
  ASSERT_EQ(read.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    ASSERT_TRUE(read[i].configuration == points[i].configuration) << i;
    ASSERT_EQ(read[i].ending, points[i].ending);
    ASSERT_EQ(read[i].value, points[i].value);
  }
}

TEST(SourceConversion, ChunksThatAreDamagedAreDataLoss) {
  std::mt19937_64 random(6);
  const std::string chunk = PackPoints({AnyPoint(&random), AnyPoint(&random)}).front();
  std::vector<SourcePoint> read;
  std::string other_format = chunk;
  other_format[0] = 77;
  std::string unknown_kind = chunk;
  unknown_kind[1] = 99;
  for (const std::string& bad : {std::string(), chunk.substr(0, chunk.size() - 1), other_format,
                                 unknown_kind}) {
    EXPECT_EQ(UnpackPoints(bad, kDimension, &read).code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_FALSE(UnpackPoints(chunk, kDimension + 1, &read).ok());
}

TEST(SourceConversion, NegativeZeroIsTheSameContentAsZero) {
  v1::SourceTask task;
  SourceTaskHeader header;
  SourcePoint minus;
  minus.ending = Ending::kInfeasible;
  minus.configuration.values = {Value::Double(-0.0)};
  SourcePoint plus = minus;
  plus.configuration.values = {Value::Double(0.0)};
  EXPECT_EQ(NewSourceTaskOf(task, header, {minus}).id, NewSourceTaskOf(task, header, {plus}).id);
}

}  // namespace
}  // namespace slipstream
