// The model of a design: timers sorted by tick, then by the number of their operation.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/design.h"

namespace timeout_wheel::bench {

class SortedList {
 public:
  using Name = std::uint32_t;

  bool empty() const { return timers_.empty(); }
  std::size_t size() const { return names_.size(); }
  Name name(std::size_t i) const { return names_[i]; }
  Tick tick(Name name) const { return places_.at(name).key.first; }

  bool DueBy(Tick tick) const { return !empty() && next_tick() <= tick; }
  Tick next_tick() const { return timers_.begin()->first.first; }
  Name first() const { return timers_.begin()->second; }

  /// Adds a timer as the last of its tick. Returns the number of the operation.
  std::uint64_t Put(Name name, Tick tick) {
    const std::uint64_t operation = operations_++;
    places_.emplace(name, Place{{tick, operation}, names_.size()});
    names_.push_back(name);
    timers_.emplace(Key{tick, operation}, name);
    return operation;
  }
  void Remove(Name name) {
    const Place place = places_.at(name);
    timers_.erase(place.key);
    places_.at(names_.back()).index = place.index;
    names_[place.index] = names_.back();
    names_.pop_back();
    places_.erase(name);
  }

 private:
  using Key = std::pair<Tick, std::uint64_t>;
  struct Place {
    Key key;
    std::size_t index;
  };

  std::map<Key, Name> timers_;
  std::unordered_map<Name, Place> places_;
  std::vector<Name> names_;
  std::uint64_t operations_ = 0;
};

}  // namespace timeout_wheel::bench
