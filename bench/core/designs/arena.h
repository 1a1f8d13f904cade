// Memory that grows in place: the addresses are reserved once, and a page takes memory only after it is touched.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace timeout_wheel::bench {

class Arena {
 public:
  explicit Arena(std::size_t bytes) : bytes_(bytes) {
    address_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address_ == MAP_FAILED) throw std::bad_alloc();
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { munmap(address_, bytes_); }

  void* address() const { return address_; }

  /// Bytes of the pages that were touched.
  std::size_t Resident() const {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages((bytes_ + page - 1) / page);
    if (mincore(address_, bytes_, pages.data()) != 0) throw std::bad_alloc();
    return page * static_cast<std::size_t>(
                      std::count_if(pages.begin(), pages.end(), [](unsigned char flags) { return (flags & 1) != 0; }));
  }

 private:
  std::size_t bytes_;
  void* address_;
};

}  // namespace timeout_wheel::bench
