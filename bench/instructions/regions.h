// The regions whose instructions are counted. Each is a fixed program.
#pragma once

#include <cstdint>

#include "world.h"

namespace timeout_wheel {

struct Region {
  const char* name;
  /// The number of operations of the region, for a figure per operation.
  std::uint32_t operations;
  /// Not counted.
  void (*prepare)(World& world);
  void (*run)(World& world);
};

/// The most timers that a region has at once.
inline constexpr std::uint32_t kTimers = 100000;

extern const Region kRegions[];
extern const std::size_t kRegionCount;

}  // namespace timeout_wheel
