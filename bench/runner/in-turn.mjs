import { summarize } from './statistics.mjs'

const hasBars = ({ group }) => group === 'native' || group === 'addon'

/**
 * Measures the subjects in turn, A B C A B C ..., so that a slow spell of the machine affects all of them. A rival that fails is
 * left out and reported. A failure of native timers or of this package is an error.
 */
export async function inTurn(subjects, { name, turns, fewer = turns, warmUp = false, progress }, measure) {
  const samples = new Map(subjects.map((subject) => [subject, []]))
  for (let turn = warmUp ? 0 : 1; turn <= turns; turn++) {
    const step = turn === 0 ? `${name}: warm-up` : `${name}: turn ${turn} of ${turns}`
    for (const [subject, taken] of samples) {
      if (turn > fewer && !hasBars(subject)) continue
      progress?.show(step, subject.label)
      try {
        const sample = await measure(subject)
        if (turn > 0) taken.push(sample)
      } catch (error) {
        if (subject.group !== 'rival') throw error
        progress.skip(subject.label, error.message)
        samples.delete(subject)
      }
    }
  }
  return [...samples].map(([subject, taken]) => toRow(subject, taken))
}

/** A row of the samples of a subject. Each sample has a value for each metric. */
export function toRow({ id, label, group, against }, samples) {
  const keys = Object.keys(samples[0] ?? {})
  const values = Object.fromEntries(keys.map((key) => [key, summarize(samples.map((sample) => sample[key]))]))
  return { id, label, group, against, values }
}
