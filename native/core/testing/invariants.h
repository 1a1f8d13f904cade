// Checks everything that must hold between two calls of a wheel. O(entries + records).
//
//  1. A slot's bit of occupancy is set exactly when its chain is not empty. A level's bit is set exactly when one of
//  its slots is.
//  2. Every entry names a unit that has been handed out.
//  3. A slot with entries does not lie before the wheel's tick, and its start is not before `first_start_`.
//  4. The counts of entries and of chunks in use are those found by walking all chains.
//  5. A record whose `filed` names a slot has an entry there, or in the batch if it is the slot of the tick, and the
//  due time of a live one is not before the slot's start, unless it
//     is overdue.
//  6. A live record of a slot of level 0 is due at or before the slot's bound if it belongs there. One of another level
//  is due at or after
//     the slot's bound, unless it is overdue.
//  7. A live record with `filed` = kNone is queued or expired, or never due.
//  8. The valid entries of a slot of level 0 are in order, unless it says that they are not.
//  9. No record keeps the mark of a sweep (`kSeen`).
// 10. The next wake-up is not after the due tick of any filed record.
#pragma once

#include <cstdint>
#include <string>

#include "../timer_wheel.h"

namespace timeout_wheel {

/// Returns an empty text if all invariants hold, else the first broken one with its operands. `used` is the number of
/// units handed out.
std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used);

}  // namespace timeout_wheel
