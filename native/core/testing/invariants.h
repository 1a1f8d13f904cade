// Checks everything that must hold between two operations of a wheel. O(entries + records).
//
//  1. A slot's bit of occupancy is set exactly when its chain is not empty.
//  2. Every entry names a record that has been handed out.
//  3. A valid entry's slot does not start after the record's deadline, unless that is overdue (before `tick_`).
//  4. The counts of entries and of chunks in use are those found by walking all chains; chunks are within the capacity.
//  5. The chain of a sweep's survivors is empty.
//  6. A record is marked `kQueued` exactly when it is in the submissions, and it is there once.
//  7. A live record with `filed` = `kNone` is in the parked batch or in the expirations.
//  8. A record whose `filed` is a tick has an entry in the slot that starts there.
//  9. `kArmed` is 1 while any live record is filed. `kWake` is not after the deadline of any filed record, except
//  overdue
//     ones.
// 10. No record keeps the mark of a sweep (`kSeen`).
#pragma once

#include <cstdint>
#include <string>

#include "../timer_wheel.h"

namespace timeout_wheel {

/// Returns an empty text if all invariants hold, else the first broken one with its operands. `used` is the number of
/// records handed out.
std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used);

}  // namespace timeout_wheel
