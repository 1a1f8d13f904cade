// Runs one region under callgrind, which counts the instructions between start and stop. Without an argument, lists all
// regions as `operations name`.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstring>

#include "regions.h"

int main(int argc, char** argv) {
  using timeout_wheel::kRegions;
  for (std::size_t i = 0; i < timeout_wheel::kRegionCount; ++i) {
    const timeout_wheel::Region& region = kRegions[i];
    if (argc < 2) {
      std::printf("%u %s\n", region.operations, region.name);
      continue;
    }
    if (std::strcmp(argv[1], region.name) != 0) continue;
    timeout_wheel::World world(timeout_wheel::kTimers);
    region.prepare(world);
    CALLGRIND_START_INSTRUMENTATION;
    region.run(world);
    CALLGRIND_STOP_INSTRUMENTATION;
    return 0;
  }
  return argc < 2 ? 0 : 1;
}
