// 128 bits that stand for a sequence of numbers, as a small key: equal sequences have equal
// fingerprints, and others practically never do. The same on every machine. Not for secrets.
//
//   Fingerprint fingerprint;
//   fingerprint.Add(matrix.size());
//   fingerprint.Add(0.5);
#ifndef SLIPSTREAM_CORE_BASE_FINGERPRINT_H_
#define SLIPSTREAM_CORE_BASE_FINGERPRINT_H_

#include <bit>
#include <cstdint>

namespace slipstream {

class Fingerprint {
 public:
  // Both halves are one-to-one functions of what they were, and of the number: sequences that
  // differ in one place differ in both halves from there on, and these mix the bits in unlike ways.
  void Add(uint64_t number) {
    low_ = (low_ ^ number) * 0x9e3779b97f4a7c15u;
    low_ ^= low_ >> 32;
    high_ = (high_ + number) * 0xd1342543de82ef95u;
    high_ ^= high_ >> 29;
  }
  void Add(int64_t number) { Add(static_cast<uint64_t>(number)); }
  // Zeros of both signs are the same number.
  void Add(double number) { Add(std::bit_cast<uint64_t>(number + 0.0)); }
  void Add(const Fingerprint& other) {
    Add(other.low_);
    Add(other.high_);
  }

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

 private:
  uint64_t low_ = 0x243f6a8885a308d3u;  // Digits of pi.
  uint64_t high_ = 0x13198a2e03707344u;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_FINGERPRINT_H_
