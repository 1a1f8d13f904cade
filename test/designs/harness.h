// One design, driven by hand: timers with names, and a list of the timers that ran, with their ticks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/design.h"
#include "core/designs/all.h"

namespace timeout_wheel::bench {

/// How late a timer with this delay may run. Only the wheel that does not cascade is late, by less than an eighth.
template <class D>
Tick LatenessOf(Tick delay) {
  return D::kTraits.exact ? 0 : delay / 8 + 1;
}

template <class D>
class Driver {
 public:
  using Handle = typename D::Handle;
  struct Run {
    int name;
    Tick at;
  };

  Driver() : design_(4096) {}

  D& design() { return design_; }
  Tick now() const { return now_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::size_t pending() const { return handles_.size(); }

  void Schedule(int name, Tick deadline) { Hold(name, design_.Schedule(deadline)); }
  void Cancel(int name) { design_.Cancel(LetGo(name)); }
  void Reschedule(int name, Tick deadline) { Hold(name, design_.Reschedule(LetGo(name), deadline)); }
  void OnExpiry(std::function<void(int)> callback) { callback_ = std::move(callback); }

  void Advance(Tick now) {
    now_ = now;
    design_.Advance(now, [this](Handle handle) { Expired(handle); });
  }
  /// Advances from one expiry to the next, as a driver that sleeps does.
  void SleepUntil(Tick end) {
    for (Tick next = design_.NextExpiry(); next <= end; next = design_.NextExpiry()) Advance(std::max(next, now_ + 1));
    Advance(end);
  }

 private:
  void Hold(int name, Handle handle) {
    handles_.emplace(name, handle);
    const bool is_new = names_.emplace(design_.IndexOf(handle), name).second;
    ASSERT_TRUE(is_new) << "the record of timer " << name << " is in use";
  }
  Handle LetGo(int name) {
    const Handle handle = handles_.at(name);
    names_.erase(design_.IndexOf(handle));
    handles_.erase(name);
    return handle;
  }
  void Expired(Handle handle) {
    const auto found = names_.find(design_.IndexOf(handle));
    ASSERT_NE(found, names_.end()) << "something ran that is not pending, at " << now_;
    const int name = found->second;
    LetGo(name);
    runs_.push_back({name, now_});
    if (callback_) callback_(name);
  }

  D design_;
  Tick now_ = 0;
  std::unordered_map<int, Handle> handles_;
  std::unordered_map<std::size_t, int> names_;
  std::vector<Run> runs_;
  std::function<void(int)> callback_;
};

/// Names each design, which is a type, as in the benchmark.
struct NameOfDesign {
  template <class D>
  static std::string GetName(int) {
    return D::kTraits.name;
  }
};

template <class D>
class Designs : public testing::Test {
 protected:
  Driver<D> driver_;
};

}  // namespace timeout_wheel::bench
