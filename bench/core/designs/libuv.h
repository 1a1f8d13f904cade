// libuv itself, as the static library of Debian: a loop with a uv_timer_t per timer. The field `time` of the loop is
// set directly, and the timers are run by the function that uv_run calls for it, which the static library exposes. So
// its figures contain neither the clock nor a poll.
#pragma once

#include <uv.h>

#include <cstdint>
#include <new>

#include "../design.h"
#include "pool.h"

extern "C" {
void uv__run_timers(uv_loop_t* loop);
int uv__next_timeout(const uv_loop_t* loop);  // ms, -1: none
}

namespace timeout_wheel::bench {

class Libuv {
 public:
  using Handle = uv_timer_t*;
  static constexpr Traits kTraits{.name = "libuv", .title = "libuv, the real one", .real = true};

  explicit Libuv(std::size_t capacity) : pool_(capacity) {
    if (uv_loop_init(&loop_) != 0) throw std::bad_alloc();
    loop_.time = 0;
  }
  Libuv(const Libuv&) = delete;
  Libuv& operator=(const Libuv&) = delete;
  ~Libuv() {
    for (std::size_t i = 0; i < made_; ++i) uv_close(reinterpret_cast<uv_handle_t*>(pool_.At(i)), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  Handle Schedule(Tick deadline) {
    uv_timer_t* timer = pool_.Take();
    if (pool_.IndexOf(timer) == made_) {
      uv_timer_init(&loop_, timer);
      ++made_;
    }
    Start(timer, deadline);
    return timer;
  }
  void Cancel(Handle handle) {
    uv_timer_stop(handle);
    pool_.Give(handle);
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    Start(handle, deadline);
    return handle;
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    auto call = [&](uv_timer_t* timer) {
      pool_.Give(timer);
      expired(timer);
    };
    using Call = decltype(call);
    context_ = &call;
    run_ = [](void* context, uv_timer_t* timer) { (*static_cast<Call*>(context))(timer); };
    loop_.data = this;
    loop_.time = now;
    uv__run_timers(&loop_);
  }

  Tick NextExpiry() const {
    const int timeout = uv__next_timeout(&loop_);
    return timeout < 0 ? kNoExpiry : static_cast<Tick>(uv_now(&loop_)) + static_cast<Tick>(timeout);
  }
  void Settle() {}
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }
  std::size_t IndexOf(Handle handle) const { return pool_.IndexOf(handle); }

 private:
  // A timer that is due at once would run again within the same run of the timers, without end.
  void Start(uv_timer_t* timer, Tick deadline) {
    const auto now = static_cast<Tick>(loop_.time);
    uv_timer_start(timer, Expire, deadline > now ? deadline - now : 1, 0);
  }
  static void Expire(uv_timer_t* timer) {
    auto* self = static_cast<Libuv*>(timer->loop->data);
    self->run_(self->context_, timer);
  }

  Pool<uv_timer_t> pool_;
  uv_loop_t loop_;
  std::size_t made_ = 0;
  void* context_ = nullptr;
  void (*run_)(void*, uv_timer_t*) = nullptr;
};

static_assert(Design<Libuv>);

}  // namespace timeout_wheel::bench
