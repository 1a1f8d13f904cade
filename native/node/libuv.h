// The part of libuv that the driver uses. Libuv's own header is not among Node's N-API headers, and would tie the addon
// to one version. These functions and numbers are the same in all versions 1.x. The driver asks for the sizes of
// handles at run time.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
struct uv_loop_s;
/// The public field with which each handle begins. A call of uv_handle_get_data would be cold code in each wake-up.
struct uv_handle_s {
  void* data;
};
struct uv_timer_s;
struct uv_prepare_s;
struct uv_poll_s;

using uv_close_cb = void (*)(uv_handle_s*);
using uv_timer_cb = void (*)(uv_timer_s*);
using uv_prepare_cb = void (*)(uv_prepare_s*);
using uv_poll_cb = void (*)(uv_poll_s*, int status, int events);

std::size_t uv_handle_size(int type);
void uv_close(uv_handle_s* handle, uv_close_cb callback);
void uv_ref(uv_handle_s* handle);
void uv_unref(uv_handle_s* handle);

int uv_timer_init(uv_loop_s* loop, uv_timer_s* timer);
int uv_timer_start(uv_timer_s* timer, uv_timer_cb callback, std::uint64_t timeout, std::uint64_t repeat);
int uv_timer_stop(uv_timer_s* timer);

int uv_prepare_init(uv_loop_s* loop, uv_prepare_s* prepare);
int uv_prepare_start(uv_prepare_s* prepare, uv_prepare_cb callback);
int uv_prepare_stop(uv_prepare_s* prepare);

#ifdef __linux__
int uv_poll_init(uv_loop_s* loop, uv_poll_s* poll, int descriptor);
int uv_poll_start(uv_poll_s* poll, int events, uv_poll_cb callback);
#endif

/// Nanoseconds of the monotonic clock.
std::uint64_t uv_hrtime();
/// The loop's cached time: the same clock in milliseconds, rounded down, at the loop's last reading.
std::uint64_t uv_now(const uv_loop_s* loop);
}

namespace timeout_wheel {

// Of enum uv_handle_type.
inline constexpr int kUvPoll = 8;
inline constexpr int kUvPrepare = 9;
inline constexpr int kUvTimer = 13;
// Of enum uv_poll_event.
inline constexpr int kUvReadable = 1;

}  // namespace timeout_wheel
