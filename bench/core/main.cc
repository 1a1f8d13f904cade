// The benchmark of the core: `npm run bench -- core` runs it, row by row. By hand:
//
//   core_bench --benchmark_list_tests
//   core_bench --benchmark_filter=^insert/uniform/1000000/ --benchmark_repetitions=5
//              --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include "designs/all.h"
#include "parts.h"

namespace {

template <class... D>
struct Describe {
  // Describes the designs in the JSON.
  static void Add() {
    using timeout_wheel::bench::Removal;
    const auto add = [](const timeout_wheel::bench::Traits& traits) {
      std::string text = traits.title;
      text += traits.exact ? "|exact" : "|late";
      text += traits.fifo ? "|fifo" : "|unordered";
      text += traits.removal == Removal::kMarks ? "|marks" : "|unlinks";
      text += traits.real ? "|real" : "|written";
      benchmark::AddCustomContext(std::string("design ") + traits.name, text);
    };
    (add(D::kTraits), ...);
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace timeout_wheel::bench;
  AllAndNothing<Describe>::Add();
  RegisterOperations();
  RegisterExpire();
  RegisterEmptyTime();
  RegisterService();
  RegisterIdle();
  RegisterBurst();
  RegisterBytes();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
