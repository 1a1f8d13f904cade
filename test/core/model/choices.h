// The source of a random program's decisions: a seed, or the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace timeout_wheel {

class Choices {
 public:
  virtual ~Choices() = default;
  /// A number from 0 to `bound` - 1. `bound` is above 0.
  virtual std::uint32_t Below(std::uint32_t bound) = 0;
  /// Whether the source has ended. Then every further decision is 0.
  virtual bool ended() const = 0;

  bool OneIn(std::uint32_t n) { return Below(n) == n - 1; }
};

/// The generator SplitMix64: small, with the same numbers on every platform.
class RandomChoices final : public Choices {
 public:
  explicit RandomChoices(std::uint64_t seed) : state_(seed) {}

  std::uint32_t Below(std::uint32_t bound) override {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((mixed >> 32) * bound >> 32);
  }
  bool ended() const override { return false; }

 private:
  std::uint64_t state_;
};

/// Each decision takes as many bytes as its bound needs, so that a fuzzer can change one and leave the others.
class ByteChoices final : public Choices {
 public:
  ByteChoices(const std::uint8_t* bytes, std::size_t size) : next_(bytes), end_(bytes + size) {}

  std::uint32_t Below(std::uint32_t bound) override {
    std::uint32_t value = 0;
    for (std::uint32_t reach = bound - 1; reach != 0 && !ended(); reach >>= 8) value = value << 8 | *next_++;
    return value % bound;
  }
  bool ended() const override { return next_ == end_; }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

}  // namespace timeout_wheel
