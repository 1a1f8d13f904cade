// Runs one region under callgrind, which counts the instructions between start and stop. Without an argument, lists all
// regions as `operations name`. Each region is a fixed program.
#include <valgrind/callgrind.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "../core/designs/arena.h"
#include "core/layout.h"
#include "core/memory.h"
#include "core/testing/submitter.h"
#include "core/timer_wheel.h"

namespace timeout_wheel {
namespace {

/// The most timers that a region has at once.
constexpr std::uint32_t kTimers = 100000;
constexpr std::uint32_t kMinute = 60000;
constexpr std::uint32_t kDelay = 30000;
constexpr std::uint32_t kPeriod = 65536;
constexpr std::uint32_t kWindow = 256;
constexpr std::uint32_t kEpochs = 10000;
constexpr std::uint32_t kTicks = 100000;

/// A wheel with its memory and a submitter. It checks and allocates nothing while it runs.
struct World {
  explicit World(std::uint32_t timers)
      : blocks((timers + kRecordsPerBlock - 1) / kRecordsPerBlock),
        arena((kBaseBlocks + std::size_t{blocks}) * kBlockBytes),
        wheel(arena.address(), blocks),
        submitter(wheel, blocks) {}

  /// Draws the deadlines of as many timers as a region has: random ticks from `first` on, within `range` ticks.
  void Draw(Tick first, std::uint32_t range) {
    deadlines.resize(kTimers);
    for (Tick& deadline : deadlines) deadline = first + static_cast<Tick>(random() % range);
    units.resize(kTimers);
  }
  /// Schedules a timer for each drawn deadline, and lets the wheel file all of them.
  void Schedule() {
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = submitter.Schedule(deadlines[i]);
    wheel.TakeSubmissions();
  }
  void Fill(Tick first, std::uint32_t range) {
    Draw(first, range);
    Schedule();
  }
  void RescheduleAll(Tick deadline) {
    for (const Unit unit : units) submitter.Reschedule(unit, deadline);
    wheel.TakeSubmissions();
  }

  /// Expires all timers that are due by `target`, and frees their records.
  void RunTo(Tick target) {
    const Memory memory(arena.address());
    do {
      const std::uint32_t count = wheel.Advance(target);
      for (std::uint32_t i = 0; i < count; ++i) submitter.Cancel(memory.expiration(i));
      memory.word(kExpired) = 0;
    } while (memory.word(kUnfinished) != 0);
  }

  std::uint32_t blocks;
  bench::Arena arena;
  TimerWheel wheel;
  Submitter submitter;
  std::vector<Tick> deadlines;
  std::vector<Unit> units;
  // Its numbers are equal in each run and on every machine.
  std::mt19937 random{1};
};

struct Region {
  const char* name;
  /// The number of operations of the region, for a figure per operation.
  std::uint32_t operations;
  /// Not counted.
  void (*prepare)(World& world);
  void (*run)(World& world);
};

void Nothing(World& /*world*/) {}
void FillAMinute(World& world) { world.Fill(1, kMinute); }

// Deadlines of requests: each is set, and cleared before it is due. The next one takes the same record.
void Recycle(World& world) {
  Submitter& submitter = world.submitter;
  for (std::uint32_t i = 0; i < kTimers; ++i) submitter.Cancel(submitter.Schedule(kDelay + i / 100));
  world.wheel.TakeSubmissions();
}

// Each time a timer is shortened it leaves a stale entry: as many as the limit allows.
void FillWithStaleEntries(World& world) {
  world.Fill(2 * kPeriod, kPeriod);
  const Unit unit = world.units.front();
  for (Tick deadline = 2 * kPeriod; world.wheel.store().entries() < 2 * world.blocks * kRecordsPerBlock; --deadline) {
    world.submitter.Reschedule(unit, deadline - 1);
    world.wheel.TakeSubmissions();
  }
  world.submitter.Reschedule(unit, 1);
}

const Region kRegions[] = {
    {"schedule", kTimers, [](World& world) { world.Draw(1, kMinute); }, [](World& world) { world.Schedule(); }},
    {"cancel", kTimers, FillAMinute,
     [](World& world) {
       for (const Unit unit : world.units) world.submitter.Cancel(unit);
     }},
    {"recycle", kTimers, Nothing, Recycle},
    // Idle connections: a packet postpones the timer of each.
    {"reschedule later", kTimers, FillAMinute, [](World& world) { world.RescheduleAll(kMinute + kDelay); }},
    {"reschedule earlier", kTimers, [](World& world) { world.Fill(kMinute, kMinute); },
     [](World& world) { world.RescheduleAll(kDelay); }},
    // From level 2 to level 1, in bounded parts.
    {"cascade", kTimers, [](World& world) { world.Fill(2 * kPeriod + 2 * kWindow, kPeriod - 2 * kWindow); },
     [](World& world) { world.RunTo(2 * kPeriod); }},
    {"expire", kTimers, [](World& world) { world.Fill(0, kWindow); }, [](World& world) { world.RunTo(kWindow - 1); }},
    // A minute of uniform delays, tick by tick.
    {"expire with cascades", kTimers, FillAMinute,
     [](World& world) {
       for (Tick tick = 1; tick <= kMinute; ++tick) world.RunTo(tick);
     }},
    {"sweep", 2 * kTimers, FillWithStaleEntries, [](World& world) { world.wheel.TakeSubmissions(); }},
    {"empty time", kTicks, [](World& world) { world.Fill(1U << 24, 1U << 24); },
     [](World& world) {
       for (Tick tick = 0; tick < kTicks; ++tick) world.RunTo(tick);
     }},
    {"epochs", kEpochs, Nothing,
     [](World& world) {
       for (std::uint32_t i = 0; i < kEpochs; ++i) world.wheel.OpenEpoch(0.25 * i);
     }},
};

}  // namespace
}  // namespace timeout_wheel

int main(int argc, char** argv) {
  for (const timeout_wheel::Region& region : timeout_wheel::kRegions) {
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
