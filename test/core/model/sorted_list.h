// The model of a wheel: timers sorted by tick, on a scale that does not wrap, then by the number of their operation.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/record.h"

namespace timeout_wheel {

/// A tick on the scale that does not wrap. Negative for a deadline before the scale began.
using WideTick = std::int64_t;

/// `ValidTick` on that scale: `tick`, or the next tick that is no state.
constexpr WideTick ValidWideTick(WideTick tick) {
  const auto low = static_cast<Tick>(tick);
  return tick + static_cast<Tick>(ValidTick(low) - low);
}

class SortedList {
 public:
  bool empty() const { return timers_.empty(); }
  std::size_t size() const { return units_.size(); }
  Unit unit(std::size_t i) const { return units_[i]; }
  bool contains(Unit unit) const { return places_.contains(unit); }
  WideTick tick(Unit unit) const { return places_.at(unit).key.first; }

  bool DueBy(WideTick tick) const { return !empty() && next_tick() <= tick; }
  WideTick next_tick() const { return timers_.begin()->first.first; }
  Unit first() const { return timers_.begin()->second; }

  /// Adds a timer, or moves one to another tick, as the last of that tick. Returns the operation's number.
  std::uint64_t Put(Unit unit, WideTick tick) {
    const std::uint64_t operation = operations_++;
    const auto known = places_.find(unit);
    if (known == places_.end()) {
      places_.emplace(unit, Place{{tick, operation}, units_.size()});
      units_.push_back(unit);
      timers_.emplace(Key{tick, operation}, unit);
    } else {
      Rekey(known->second, {tick, operation});
    }
    return operation;
  }

  /// Whether `operation` was the timer's last one.
  bool IsFrom(Unit unit, std::uint64_t operation) const {
    const auto known = places_.find(unit);
    return known != places_.end() && known->second.key.second == operation;
  }
  /// Moves a timer to a tick, and keeps the order of its last operation.
  void Move(Unit unit, WideTick tick) {
    Place& place = places_.at(unit);
    Rekey(place, {tick, place.key.second});
  }

  void Remove(Unit unit) {
    const Place place = places_.at(unit);
    timers_.erase(place.key);
    places_.at(units_.back()).index = place.index;
    units_[place.index] = units_.back();
    units_.pop_back();
    places_.erase(unit);
  }

 private:
  using Key = std::pair<WideTick, std::uint64_t>;
  struct Place {
    Key key;
    std::size_t index;
  };

  void Rekey(Place& place, Key key) {
    auto timer = timers_.extract(place.key);
    timer.key() = place.key = key;
    timers_.insert(std::move(timer));
  }

  std::map<Key, Unit> timers_;
  std::unordered_map<Unit, Place> places_;
  std::vector<Unit> units_;
  std::uint64_t operations_ = 0;
};

}  // namespace timeout_wheel
