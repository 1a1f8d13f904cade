// The parts of the benchmark. Each registers its rows for all designs, named `part/delays/N/design`.
#pragma once

namespace timeout_wheel::bench {

void RegisterOperations();
void RegisterExpire();
void RegisterEmptyTime();
void RegisterService();
void RegisterIdle();
void RegisterBurst();
void RegisterBytes();

}  // namespace timeout_wheel::bench
