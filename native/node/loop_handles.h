// The handles by which an event loop calls the driver of an environment. None of them keeps the loop alive at first.
#pragma once

#include <cstdint>

#include "libuv.h"

namespace timeout_wheel {

struct LoopHandles {
  LoopHandles() = default;
  /// Allowed after the loop has closed the handles, or if Open has returned false.
  ~LoopHandles();
  LoopHandles(const LoopHandles&) = delete;
  LoopHandles& operator=(const LoopHandles&) = delete;

  /// Returns false if there is no memory.
  bool Allocate();
  /// Cannot fail. From here on the loop owns the handles until they are closed. `data` is that of each handle.
  void Open(uv_loop_s* loop, void* data);
  /// The loop calls `on_closed` once for each handle. Returns how often.
  std::uint32_t Close(uv_close_cb on_closed);

  uv_timer_s* timer = nullptr;
  uv_prepare_s* prepare = nullptr;
};

template <typename Handle>
uv_handle_s* AsHandle(Handle* handle) {
  return reinterpret_cast<uv_handle_s*>(handle);
}

}  // namespace timeout_wheel
