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
#include "core/testing/client.h"
#include "core/timer_wheel.h"

namespace timeout_wheel {
namespace {

/// The most timers that a region has at once.
constexpr std::uint32_t kTimers = 100000;
constexpr std::uint32_t kMinute = 60000;
constexpr std::uint32_t kDelay = 30000;
constexpr std::uint32_t kPeriod = 65536;
constexpr std::uint32_t kWindow = 256;
constexpr std::uint32_t kTurns = 10000;
constexpr std::uint32_t kTicks = 100000;

/// A wheel with its memory and a client. The clock stands still, unless a region moves it. It checks and allocates
/// nothing while it runs.
struct World {
  explicit World(std::uint32_t timers)
      : blocks(timers / kRecordsPerBlock + 1),
        arena(kBaseBytes + std::size_t{blocks} * kBlockBytes),
        wheel(arena.address(), blocks, 1),
        client(wheel, blocks, [this] { return now; }) {
    client.Reserve(timers);
  }

  /// Draws the delays of as many timers as a region has: at random from `first` on, within `range` milliseconds.
  void Draw(std::uint32_t first, std::uint32_t range) {
    delays.resize(kTimers);
    for (double& delay : delays) delay = first + static_cast<double>(random() % range);
    units.resize(kTimers);
  }
  /// Sets a timer for each drawn delay, and applies the rest of the queue.
  void SetAll() {
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = client.Set(delays[i]);
    wheel.Apply(now);
  }
  void Fill(std::uint32_t first, std::uint32_t range) {
    Draw(first, range);
    SetAll();
  }
  void MoveAll(double delay) {
    for (const Unit unit : units) client.Move(unit, delay);
    wheel.Apply(now);
  }
  double EndTurn() {
    wheel.Apply(now);
    wheel.BeginTurn();
    return wheel.FindWake();
  }

  /// Runs all timers that are due at `time`.
  void RunTo(double time) {
    const Memory memory(arena.address());
    now = time;
    wheel.Expire(now);
    client.Dispatch([](Unit) {});
    while (memory.word(kUnfinished) != 0) {
      wheel.Resume(now);
      client.Dispatch([](Unit) {});
    }
  }

  std::uint32_t blocks;
  double now = 0;
  bench::Arena arena;
  TimerWheel wheel;
  Client client;
  std::vector<double> delays;
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

// Time-outs of requests: each is set, and cleared before it is due. The next one takes the same unit.
void Recycle(World& world) {
  for (std::uint32_t i = 0; i < kTimers; ++i) world.client.Cancel(world.client.Set(kDelay + i / 100));
  world.wheel.Apply(world.now);
}

// Each time a timer is shortened it leaves a stale entry: as many as the limit allows.
void FillWithStaleEntries(World& world) {
  world.Fill(2 * kPeriod, kPeriod);
  world.MoveAll(kDelay);
  for (std::size_t i = 0; world.wheel.store().entries() < 2 * world.blocks * kRecordsPerBlock; ++i) {
    world.client.Move(world.units[i], 100);
    world.wheel.Apply(world.now);
  }
  world.EndTurn();
}

// Short turns of the event loop: one timer is set and cleared, and another one is refreshed.
void TakeTurns(World& world) {
  for (std::uint32_t i = 0; i < kTurns; ++i) {
    world.now = 0.25 * i;
    world.client.Cancel(world.client.Set(kDelay));
    world.client.Move(world.units.front(), kDelay);
    world.EndTurn();
  }
}

const Region kRegions[] = {
    {"schedule", kTimers, [](World& world) { world.Draw(1, kMinute); }, [](World& world) { world.SetAll(); }},
    {"cancel", kTimers, FillAMinute,
     [](World& world) {
       for (const Unit unit : world.units) world.client.Cancel(unit);
     }},
    {"recycle", kTimers, Nothing, Recycle},
    // Idle connections: a packet postpones the timer of each.
    {"reschedule later", kTimers, FillAMinute, [](World& world) { world.MoveAll(kMinute + kDelay); }},
    {"reschedule earlier", kTimers, [](World& world) { world.Fill(kMinute, kMinute); },
     [](World& world) { world.MoveAll(kDelay); }},
    // From level 2 to level 1, in bounded parts.
    {"cascade", kTimers, [](World& world) { world.Fill(2 * kPeriod + 2 * kWindow, kPeriod - 2 * kWindow); },
     [](World& world) { world.RunTo(2 * kPeriod); }},
    {"expire", kTimers, [](World& world) { world.Fill(0, kWindow); }, [](World& world) { world.RunTo(kWindow - 1); }},
    // A minute of uniform delays, tick by tick.
    {"expire with cascades", kTimers, FillAMinute,
     [](World& world) {
       for (std::uint32_t tick = 1; tick <= kMinute; ++tick) world.RunTo(tick);
     }},
    {"sweep", 2 * kTimers, FillWithStaleEntries, [](World& world) { world.client.Move(world.units.back(), 100); }},
    {"empty time", kTicks, [](World& world) { world.Fill(1U << 24, 1U << 24); },
     [](World& world) {
       for (std::uint32_t tick = 0; tick < kTicks; ++tick) world.RunTo(tick);
     }},
    {"turns", kTurns, FillAMinute, TakeTurns},
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
