// The model test, with the bytes of a fuzzer as its program: each byte is a decision, see choices.h. If the wheel
// disagrees with the sorted list or breaks an invariant, the process ends, and libFuzzer keeps the bytes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "model/choices.h"
#include "model/program.h"

// A few bytes make a burst of thousands of operations.
constexpr std::uint64_t kMostOperations = 50'000;
// With all checks, a program with a burst takes over a second under sanitizers. A few would fill the minute.
constexpr std::uint32_t kCheckOneIn = 16;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  testing::InitGoogleTest(argc, *argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  timeout_wheel::ByteChoices choices(bytes, size);
  timeout_wheel::Program program(choices, {.check_one_in = kCheckOneIn, .interrupted = choices.OneIn(2)});
  program.Run(kMostOperations);
  program.Finish();
  // Abort instead of GoogleTest's break_on_failure: libFuzzer does not see that trap and would keep no program.
  if (testing::Test::HasFailure()) std::abort();
  return 0;
}
