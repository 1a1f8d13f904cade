// Settings of random tests, from environment variables.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

namespace timeout_wheel {

inline std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// A size of a test. TIMEOUT_WHEEL_SCALE=large, which `npm run test:all` sets, takes the large one: see test/scale.ts.
inline std::uint64_t Scaled(std::uint64_t small, std::uint64_t large) {
  const char* scale = std::getenv("TIMEOUT_WHEEL_SCALE");
  return scale != nullptr && std::string_view(scale) == "large" ? large : small;
}

/// A new seed for each run: above 0, and short enough to type.
inline std::uint64_t NewSeed() { return std::uint64_t{std::random_device{}()} % 1'000'000'000 + 1; }

}  // namespace timeout_wheel
