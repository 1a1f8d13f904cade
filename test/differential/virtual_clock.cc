// Preloaded into a Node process, this library gives the main thread a virtual clock: time stands still while JavaScript
// runs, and jumps to the next timer when the event loop goes to sleep. A program then behaves the same every time, also
// on a busy machine, and a day of it passes in an instant.
//
//   epoll_wait, epoll_pwait   a sleep of t ms lets t ms of virtual time pass, unless an event is ready
//   clock_gettime             after very many readings in one turn a millisecond passes: the program is waiting
//   gettimeofday              the time of day passes with this clock: Date.now() reads it
//   timerfd_create, _settime  a timerfd on this clock, if it has fractions of milliseconds; otherwise none exists
//   TIMEOUT_WHEEL_READ_NS     nanoseconds that pass at each reading: time then has fractions of milliseconds
//   TIMEOUT_WHEEL_STALLS      "40-90,200-250": a sleep that would end within a stall ends at the end of the stall, as
//                             if the process had not run; all timers due by then are due at once
//   TIMEOUT_WHEEL_STOPS       the same, but a reading of the clock within a stop is at its end too: a process can be
//                             stopped while JavaScript runs
//
// Other threads, and waits without a time limit or a timerfd, use the real clock and really wait.
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillisecond = 1'000'000;
// An arbitrary whole number of milliseconds.
constexpr std::int64_t kStart = 1'000 * kSecond;

// Only a loop that waits reads the clock this often within one turn of the event
// loop. V8 alone can read it 5,000 times.
constexpr int kBusyReads = 20'000;

std::int64_t g_now = kStart;
int g_reads = 0;
// The timerfd, and its deadline; 0 if it is not set.
int g_alarm = -1;
std::int64_t g_alarm_due = 0;

std::int64_t TimeOfRead() {
  static const char* const text = std::getenv("TIMEOUT_WHEEL_READ_NS");
  static const std::int64_t time = text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
  return time;
}

// The time of day at `kStart`.
std::int64_t Epoch() {
  static const std::int64_t epoch = [] {
    timespec now{};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return now.tv_sec * kSecond;
  }();
  return epoch;
}

bool IsMainThread() { return syscall(SYS_gettid) == getpid(); }

void Ring() {
  g_alarm_due = 0;
  const std::uint64_t expirations = 1;
  if (write(g_alarm, &expirations, sizeof expirations) < 0) std::abort();
}

// Sleeps until `time`, or until the alarm.
void SleepUntil(std::int64_t time) {
  if (g_alarm_due == 0 || g_alarm_due > time) {
    g_now = time;
    return;
  }
  if (g_alarm_due > g_now) g_now = g_alarm_due;
  Ring();
}

// The end of the period of `text` that `time` falls into, or `time`.
std::int64_t EndOf(const char* text, std::int64_t time) {
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const std::int64_t from = kStart + std::strtoll(text, &end, 10) * kMillisecond;
    if (*end != '-') std::abort();
    const std::int64_t to = kStart + std::strtoll(end + 1, &end, 10) * kMillisecond;
    if (time >= from && time < to) return to;
    text = *end == ',' ? end + 1 : end;
  }
  return time;
}

std::int64_t EndOfStop(std::int64_t time) {
  static const char* const text = std::getenv("TIMEOUT_WHEEL_STOPS");
  return EndOf(text, time);
}

std::int64_t EndOfStall(std::int64_t time) {
  static const char* const text = std::getenv("TIMEOUT_WHEEL_STALLS");
  return EndOfStop(EndOf(text, time));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  const bool is_time_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  const bool is_virtual = is_time_of_day || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE;
  if (!is_virtual || !IsMainThread()) return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  if (++g_reads == kBusyReads) {
    g_reads = 0;
    g_now += kMillisecond;
  }
  g_now = EndOfStop(g_now + TimeOfRead());
  const std::int64_t time = is_time_of_day ? Epoch() + g_now - kStart : g_now;
  result->tv_sec = time / kSecond;
  result->tv_nsec = time % kSecond;
  return 0;
}

int gettimeofday(timeval* result, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1'000;
  return 0;
}

int epoll_pwait(int poll, epoll_event* events, int capacity, int timeout, const sigset_t* signals) {
  static const auto original = reinterpret_cast<decltype(&epoll_pwait)>(dlsym(RTLD_NEXT, "epoll_pwait"));
  if (!IsMainThread()) return original(poll, events, capacity, timeout, signals);
  g_reads = 0;
  if (g_alarm_due != 0 && g_alarm_due <= g_now) Ring();
  if (timeout == 0 || (timeout < 0 && g_alarm_due == 0)) return original(poll, events, capacity, timeout, signals);
  const int count = original(poll, events, capacity, 0, signals);
  if (count != 0) return count;
  SleepUntil(EndOfStall(timeout < 0 ? g_alarm_due : g_now + timeout * kMillisecond));
  return original(poll, events, capacity, 0, signals);
}

int timerfd_create(int /*clock*/, int flags) noexcept {
  if (TimeOfRead() == 0 || g_alarm != -1) {
    errno = ENOSYS;
    return -1;
  }
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  g_alarm = eventfd(0, flags);
  return g_alarm;
}

int timerfd_settime(int /*descriptor*/, int /*flags*/, const itimerspec* spec, itimerspec* /*former*/) noexcept {
  std::uint64_t expirations = 0;
  // Clear an earlier expiration. If there is none, there is nothing to read.
  [[maybe_unused]] const ssize_t bytes = read(g_alarm, &expirations, sizeof expirations);
  g_alarm_due = spec->it_value.tv_sec * kSecond + spec->it_value.tv_nsec;
  return 0;
}

int epoll_wait(int poll, epoll_event* events, int capacity, int timeout) {
  return epoll_pwait(poll, events, capacity, timeout, nullptr);
}

}  // extern "C"
