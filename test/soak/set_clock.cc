// Preloaded into a process, this library adds seconds to the time of day, as if a person had set the clock. The file
// TIMEOUT_WHEEL_CLOCK contains the number of nanoseconds, as eight bytes. All threads see it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t Offset() {
  static const auto* const offset = [] {
    const int file = open(std::getenv("TIMEOUT_WHEEL_CLOCK"), O_RDONLY | O_CLOEXEC);
    void* const memory = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::abort();
    return static_cast<const std::atomic<std::int64_t>*>(memory);
  }();
  return offset->load(std::memory_order_relaxed);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return status;
  const std::int64_t time = result->tv_sec * kSecond + result->tv_nsec + Offset();
  result->tv_sec = time / kSecond;
  result->tv_nsec = time % kSecond;
  return status;
}

int gettimeofday(timeval* result, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1'000;
  return 0;
}

}  // extern "C"
