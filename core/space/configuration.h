// Configurations: plain values that have a meaning only together with the
// SearchSpace that made them.
#ifndef SLIPSTREAM_CORE_SPACE_CONFIGURATION_H_
#define SLIPSTREAM_CORE_SPACE_CONFIGURATION_H_

#include <cstdint>
#include <vector>

namespace slipstream {

// The value of one parameter: 16 bytes, categories as their index in the domain.
class Value {
 public:
  enum class Kind : uint8_t { kInactive, kDouble, kInteger, kLevel, kBoolean };

  // The value of a parameter that is inactive in this configuration.
  constexpr Value() = default;
  static constexpr Value Double(double value) { return Value(value); }
  static constexpr Value Integer(int64_t value) { return Value(Kind::kInteger, value); }
  // The `index`-th category of a categorical domain.
  static constexpr Value Level(int64_t index) { return Value(Kind::kLevel, index); }
  static constexpr Value Boolean(bool value) { return Value(Kind::kBoolean, value ? 1 : 0); }

  constexpr Kind kind() const { return kind_; }
  constexpr bool active() const { return kind_ != Kind::kInactive; }
  // For kDouble (double and discrete parameters).
  constexpr double number() const { return number_; }
  // For kInteger.
  constexpr int64_t integer() const { return integer_; }
  // For kLevel.
  constexpr int64_t level() const { return integer_; }
  // For kBoolean.
  constexpr bool boolean() const { return integer_ != 0; }

  // -0.0 equals 0.0. Values are never NaN.
  friend constexpr bool operator==(const Value& a, const Value& b) {
    if (a.kind_ != b.kind_) return false;
    return a.kind_ == Kind::kDouble ? a.number_ == b.number_ : a.integer_ == b.integer_;
  }

 private:
  constexpr explicit Value(double value) : number_(value), kind_(Kind::kDouble) {}
  constexpr Value(Kind kind, int64_t value) : integer_(value), kind_(kind) {}

  union {
    int64_t integer_ = 0;
    double number_;
  };
  Kind kind_ = Kind::kInactive;
};

// One value for each parameter of a space, in the space's order; kInactive for
// parameters whose condition does not hold.
struct Configuration {
  std::vector<Value> values;

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_CONFIGURATION_H_
