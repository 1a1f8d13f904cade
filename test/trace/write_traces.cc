// Writes the calls of random programs on the native core, and the results. test/trace replays them on the addon and on
// WebAssembly.
//
//   core_traces FILE      with TIMEOUT_WHEEL_SEED=n: only the program of that seed
//
// The file consists of 32-bit words of this machine. For each program: its seed, the numbers of words of its calls and
// of its results, the calls, the results.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

#include "model/choices.h"
#include "model/program.h"
#include "model/settings.h"

namespace {

using timeout_wheel::Program;
using timeout_wheel::RandomChoices;
using timeout_wheel::Setting;

constexpr std::uint64_t kOperations = 40'000;
constexpr std::uint64_t kManyOperations = 200'000;
constexpr std::uint64_t kOfOneProgram = 5'000;

void Write(std::ofstream& file, const std::vector<std::uint32_t>& words) {
  file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof words[0]));
}

std::uint64_t WriteProgram(std::ofstream& file, std::uint32_t seed) {
  RandomChoices choices(seed);
  Program program(choices, {.sampling = {.one_in = 16}, .traced = true});
  program.Run(kOfOneProgram);
  program.Finish();
  const auto& calls = program.trace()->calls();
  const auto& answers = program.trace()->answers();
  Write(file, {seed, static_cast<std::uint32_t>(calls.size()), static_cast<std::uint32_t>(answers.size())});
  Write(file, calls);
  Write(file, answers);
  return program.operations();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: core_traces FILE\n");
    return 2;
  }
  const std::uint64_t replayed = Setting("TIMEOUT_WHEEL_SEED", 0);
  std::ofstream file(argv[1], std::ios::binary);
  auto seed = static_cast<std::uint32_t>(replayed != 0 ? replayed : timeout_wheel::NewSeed());
  const std::uint64_t wanted = timeout_wheel::Scaled(kOperations, kManyOperations);
  std::uint64_t done = 0;
  std::printf("traces: from seed %u on", seed);
  while (done < wanted && !testing::Test::HasFailure()) {
    done += WriteProgram(file, seed++);
    if (replayed != 0) break;
  }
  std::printf(", %llu operations\n", static_cast<unsigned long long>(done));
  file.flush();
  return file.good() && !testing::Test::HasFailure() ? 0 : 1;
}
