// Runs random programs on a wheel and on a sorted list. Compares which timers ran, in which order, and that no due
// timer is left.
//
//   TIMEOUT_WHEEL_SEED=n           runs only the program of that seed, to replay a failure
//   TIMEOUT_WHEEL_OPERATIONS=n     the number of operations of all programs together, or of that program
//   TIMEOUT_WHEEL_CHECK_ONE_IN=n   checks the invariants after one in n of the usual steps
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "harness.h"
#include "model/choices.h"
#include "model/program.h"
#include "model/settings.h"

// small_bounds_test.cc has another one.
#ifndef MODEL
#define MODEL Model
#endif

namespace timeout_wheel {
namespace {

constexpr std::uint64_t kOperations = 100'000;
constexpr std::uint64_t kManyOperations = 1'000'000;
constexpr std::uint64_t kMostOfOneProgram = 100'000;

std::uint64_t RunProgram(std::uint64_t seed, std::uint64_t operations, std::uint32_t check_one_in, bool interrupted) {
  SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed) +
               " TIMEOUT_WHEEL_OPERATIONS=" + std::to_string(operations) + " and --gtest_filter with the test");
  RandomChoices choices(seed);
  Program program(choices, {.check_one_in = check_one_in, .interrupted = interrupted});
  program.Run(operations);
  program.Finish();
  return program.operations();
}

void RunPrograms(bool interrupted) {
  const auto check_one_in = static_cast<std::uint32_t>(Setting("TIMEOUT_WHEEL_CHECK_ONE_IN", 1));
  if (const std::uint64_t seed = Setting("TIMEOUT_WHEEL_SEED", 0); seed != 0) {
    RunProgram(seed, Setting("TIMEOUT_WHEEL_OPERATIONS", kMostOfOneProgram), check_one_in, interrupted);
    return;
  }
  const std::uint64_t wanted = Setting("TIMEOUT_WHEEL_OPERATIONS", Scaled(kOperations, kManyOperations));
  const std::uint64_t each = std::clamp<std::uint64_t>(wanted / 200, 1, kMostOfOneProgram);
  const std::uint64_t first = NewSeed();
  std::uint64_t seed = first;
  std::uint64_t done = 0;
  while (done < wanted && !testing::Test::HasFailure()) done += RunProgram(seed++, each, check_one_in, interrupted);
  std::printf("model: seeds %llu to %llu, %llu operations\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(seed - 1), static_cast<unsigned long long>(done));
}

TEST(MODEL, AgreesWithASortedList) { RunPrograms(false); }

TEST(MODEL, AgreesAfterInterruptedCalls) { RunPrograms(true); }

}  // namespace
}  // namespace timeout_wheel
