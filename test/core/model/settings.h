// Settings of random tests, from environment variables.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace timeout_wheel {

inline std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// A new seed for each run: above 0, and short enough to type.
inline std::uint64_t NewSeed() { return std::uint64_t{std::random_device{}()} % 1'000'000'000 + 1; }

}  // namespace timeout_wheel
