#include "tests/fuzz/message_mutation.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace slipstream::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Adding more than the largest number of labels or parameters takes these two.
constexpr int kMany = 70;
constexpr int kVeryMany = 210;

const std::vector<int64_t>& OddIntegers() {
  static const auto& values = *new std::vector<int64_t>{0,
                                                        1,
                                                        -1,
                                                        2,
                                                        3,
                                                        63,
                                                        64,
                                                        1000,
                                                        1001,
                                                        50'001,
                                                        100'000,
                                                        int64_t{1} << 31,
                                                        (int64_t{1} << 31) - 1,
                                                        -(int64_t{1} << 31),
                                                        int64_t{1} << 53,
                                                        std::numeric_limits<int64_t>::max(),
                                                        std::numeric_limits<int64_t>::min()};
  return values;
}

const std::vector<double>& OddDoubles() {
  using Limits = std::numeric_limits<double>;
  static const auto& values = *new std::vector<double>{0,
                                                       -0.0,
                                                       1,
                                                       -1,
                                                       0.5,
                                                       1e-5,
                                                       1e-300,
                                                       Limits::denorm_min(),
                                                       Limits::min(),
                                                       Limits::epsilon(),
                                                       Limits::max(),
                                                       Limits::lowest(),
                                                       1e300,
                                                       -1e300,
                                                       1e17,
                                                       Limits::infinity(),
                                                       -Limits::infinity(),
                                                       Limits::quiet_NaN()};
  return values;
}

const std::vector<std::string>& OddTexts() {
  static const auto& values =
      *new std::vector<std::string>{"",
                                    "a",
                                    "b",
                                    "-",
                                    "lr",
                                    "loss",
                                    "kernel",
                                    "x",
                                    "id-1",
                                    "studies/a",
                                    "studies/b",
                                    "studies/",
                                    "studies/a/trials/1",
                                    "studies/a/trials/2",
                                    "studies/a/trials/0",
                                    "studies/a/trials/-1",
                                    "studies/a/trials/01",
                                    "studies/a/trials/99999999999999999999",
                                    "projects/p",
                                    "projects/-",
                                    "projects/p/studies/a",
                                    "projects/default/studies/a",
                                    "sourceTasks/0123456789abcdef0123456789abcdef",
                                    "labels",
                                    "space.candidates",
                                    "no_such_path",
                                    "quasi_random",
                                    "gp_log_ei",
                                    "scaml",
                                    "expanding(map)",
                                    "shrinking(consistent(hmc))",
                                    "median",
                                    std::string(64, 'l'),
                                    std::string(129, 'm'),
                                    std::string(1025, 'n'),
                                    std::string(1, '\0'),
                                    "\x01",
                                    "\x7f",
                                    "=1+1",
                                    "\xc3\xa9",
                                    "\xf0\x9f\x8f\x82",
                                    "\xff\xfe",
                                    "../../etc/passwd",
                                    "'; DROP TABLE trials; --"};
  return values;
}

void SetScalar(Message* message, const FieldDescriptor* field, Dice& dice) {
  const Reflection* const reflection = message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(message, field, static_cast<int32_t>(dice.AnyOf(OddIntegers())));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(message, field, dice.AnyOf(OddIntegers()));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(message, field,
                                   static_cast<uint32_t>(dice.AnyOf(OddIntegers())));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection->SetUInt64(message, field,
                                   static_cast<uint64_t>(dice.AnyOf(OddIntegers())));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(message, field, dice.AnyOf(OddDoubles()));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection->SetFloat(message, field, static_cast<float>(dice.AnyOf(OddDoubles())));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(message, field, !reflection->GetBool(*message, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->SetEnumValue(message, field, static_cast<int>(dice.Below(12)));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(message, field, dice.AnyOf(OddTexts()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

void AddElement(Message* message, const FieldDescriptor* field, Dice& dice) {
  const Reflection* const reflection = message->GetReflection();
  const int size = reflection->FieldSize(*message, field);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      Message* const element = reflection->AddMessage(message, field);
      if (size == 0 || dice.OneIn(3)) return;
      element->CopyFrom(reflection->GetRepeatedMessage(
          *message, field, static_cast<int>(dice.Below(static_cast<uint32_t>(size)))));
      return;
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->AddString(message, field, dice.AnyOf(OddTexts()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->AddDouble(message, field, dice.AnyOf(OddDoubles()));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->AddEnumValue(message, field, static_cast<int>(dice.Below(12)));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->AddInt64(message, field, dice.AnyOf(OddIntegers()));
    default:
      return;
  }
}

void MutateRepeated(Message* message, const FieldDescriptor* field, Dice& dice) {
  const Reflection* const reflection = message->GetReflection();
  const int size = reflection->FieldSize(*message, field);
  const bool has_messages = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (has_messages && size > 0 && dice.Below(2) == 0) {
    const auto any = static_cast<int>(dice.Below(static_cast<uint32_t>(size)));
    return Mutate(reflection->MutableRepeatedMessage(message, field, any), dice);
  }
  switch (dice.Below(8)) {
    case 0:
      return reflection->ClearField(message, field);
    case 1:
      if (size > 0) reflection->RemoveLast(message, field);
      return;
    case 2:
      for (int i = 0; i < (dice.OneIn(4) ? kVeryMany : kMany); ++i) {
        AddElement(message, field, dice);
      }
      return;
    default:
      return AddElement(message, field, dice);
  }
}

}  // namespace

void Mutate(Message* message, Dice& dice) {
  const auto* const descriptor = message->GetDescriptor();
  if (descriptor->field_count() == 0) return;
  const Reflection* const reflection = message->GetReflection();
  const FieldDescriptor* const field = descriptor->field(
      static_cast<int>(dice.Below(static_cast<uint32_t>(descriptor->field_count()))));
  if (field->is_repeated()) return MutateRepeated(message, field, dice);
  if (dice.OneIn(8)) return reflection->ClearField(message, field);
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return SetScalar(message, field, dice);
  }
  Message* const part = reflection->MutableMessage(message, field);
  if (!dice.OneIn(8)) Mutate(part, dice);
}

}  // namespace slipstream::fuzz
