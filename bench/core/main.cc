// The benchmark of the core: `npm run bench -- core` runs it, row by row.
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
