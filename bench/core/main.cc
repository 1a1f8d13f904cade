// The benchmark of the core: `npm run bench -- core` runs it, row by row. By hand:
//
//   core_bench --benchmark_list_tests
//   core_bench --benchmark_filter=^insert/uniform/1000000/ --benchmark_repetitions=5
//              --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include "workload.h"

int main(int argc, char** argv) {
  using namespace timeout_wheel::bench;
  RegisterOperations();
  RegisterTime();
  RegisterService();
  RegisterBytes();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
