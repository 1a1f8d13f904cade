// What is counted: each region is a fixed program of its own.
#pragma once

#include <cstdint>

#include "world.h"

namespace timeout_wheel {

struct Region {
  const char* name;
  /// How many of what the region does, for a figure per operation.
  std::uint32_t operations;
  /// Not counted.
  void (*prepare)(World& world);
  void (*run)(World& world);
};

/// The timers that a region may have at once.
inline constexpr std::uint32_t kTimers = 100000;

extern const Region kRegions[];
extern const std::size_t kRegionCount;

}  // namespace timeout_wheel
