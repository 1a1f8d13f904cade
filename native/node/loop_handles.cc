#include "loop_handles.h"

#include <cstdlib>
#include <initializer_list>

namespace timeout_wheel {
namespace {

template <typename Handle>
bool AllocateOne(Handle*& handle, int type) {
  handle = static_cast<Handle*>(std::malloc(uv_handle_size(type)));
  return handle != nullptr;
}

}  // namespace

LoopHandles::~LoopHandles() {
  std::free(timer);
  std::free(prepare);
}

bool LoopHandles::Allocate() { return AllocateOne(timer, kUvTimer) && AllocateOne(prepare, kUvPrepare); }

void LoopHandles::Open(uv_loop_s* loop, void* data) {
  uv_timer_init(loop, timer);
  uv_prepare_init(loop, prepare);
  for (uv_handle_s* handle : {AsHandle(timer), AsHandle(prepare)}) {
    uv_handle_set_data(handle, data);
    uv_unref(handle);
  }
}

std::uint32_t LoopHandles::Close(uv_close_cb on_closed) {
  std::uint32_t count = 0;
  for (uv_handle_s* handle : {AsHandle(timer), AsHandle(prepare)}) {
    uv_close(handle, on_closed);
    ++count;
  }
  return count;
}

}  // namespace timeout_wheel
