// Where random choices come from: a generator of random numbers, or the bytes that a fuzzer
// makes up, so that it can steer every choice.
#ifndef SLIPSTREAM_TESTS_FUZZ_DICE_H_
#define SLIPSTREAM_TESTS_FUZZ_DICE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace slipstream::fuzz {

class Dice {
 public:
  virtual ~Dice() = default;

  // A number from 0 to end - 1; 0 once the choices have been used up. `end` is positive.
  uint32_t Below(uint32_t end) { return end == 1 ? 0 : Next(end) % end; }
  bool OneIn(uint32_t count) { return Below(count) == count - 1; }
  template <typename Member>
  const Member& AnyOf(const std::vector<Member>& members) {
    return members[Below(static_cast<uint32_t>(members.size()))];
  }
  // Whether there are no choices left.
  virtual bool empty() const = 0;

 private:
  // A number that may be far above `end`.
  virtual uint32_t Next(uint32_t end) = 0;
};

class RandomDice : public Dice {
 public:
  explicit RandomDice(uint32_t seed) : random_(seed) {}
  bool empty() const override { return false; }

 private:
  uint32_t Next(uint32_t) override { return static_cast<uint32_t>(random_()); }

  std::mt19937 random_;
};

class ByteDice : public Dice {
 public:
  // The bytes must outlive the dice.
  ByteDice(const uint8_t* bytes, size_t size) : next_(bytes), end_(bytes + size) {}
  bool empty() const override { return next_ == end_; }

 private:
  // As few bytes as the range needs.
  uint32_t Next(uint32_t end) override {
    uint32_t value = 0;
    for (uint32_t left = end - 1; left > 0 && next_ != end_; left >>= 8) {
      value = value << 8 | *next_++;
    }
    return value;
  }

  const uint8_t* next_;
  const uint8_t* const end_;
};

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_DICE_H_
