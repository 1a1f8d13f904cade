// The functions of the C++ library that compiled code calls at run time. With them the addon needs no C++ library, so
// one binary loads on glibc and musl, beside any C++ library. Only the functions that node-addon-api and this folder
// use are here. A new use is a link error that names the missing function.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// All allocations are small, and happen at start-up or for a new wheel. No caller could handle a failure.
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
// std::vector calls it only for a size that node-addon-api never requests.
[[noreturn]] void __throw_length_error(const char* /*what*/) { abort(); }
}  // namespace std
#endif

#ifdef __linux__
extern "C" [[noreturn]] void __cxa_pure_virtual() { abort(); }
#endif
