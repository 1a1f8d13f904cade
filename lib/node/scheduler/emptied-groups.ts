/** The groups that have lost their last member in this turn. They are closed at its end, because groups are often empty for a moment. */
import type { GroupRecord } from './timer-target.js'

const resolved = Promise.resolve()

export class EmptiedGroups {
  private readonly groups: GroupRecord[] = []
  private closesLater = false

  /** Closes a group at the end of the turn, if it is empty then. */
  closeLater(group: GroupRecord): void {
    const { groups } = this
    groups[groups.length] = group
    if (this.closesLater) return
    resolved.then(() => this.close())
    this.closesLater = true
  }

  /** Closes the groups that are still empty. */
  close(): void {
    this.closesLater = false
    const { groups } = this
    while (groups.length > 0) {
      const group = groups[groups.length - 1]!
      groups.length--
      group.closeIfEmpty()
    }
  }
}
