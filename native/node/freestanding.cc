// What the compiler and the standard headers call at run time, so that the addon needs no C++ library: one binary then
// loads beside any, and on glibc and musl alike. Only what node-addon-api and this folder use is here; whatever else
// comes to be used is a link error of its name.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// All allocations are small and made at start-up or for a wheel: there is no one to tell.
void* Allocate(std::size_t size) {
  void* const memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

#ifdef __GLIBCXX__
namespace std {
// std::vector calls it for a size that node-addon-api never asks for.
[[noreturn]] void __throw_length_error(const char* /*what*/) { abort(); }
}  // namespace std
#endif

#ifdef __linux__
extern "C" [[noreturn]] void __cxa_pure_virtual() { abort(); }
#endif
