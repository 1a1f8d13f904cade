/**
 * Parts, metrics and rows, and the measurement in turn. The parts themselves are in `parts/`.
 *
 * A part has a `name`; a `title` and a `note` (the method and its caveats), or functions of the settings that return them; the
 * `metrics`, of which the first is compared with native and charted, and of which less is better unless `isCost` is false; `bars`,
 * its figures to reach (see report/verdicts.mjs); and the following.
 *
 * - `file`      the file of the part, if it is not named after the part
 * - `sources`   what the part measures: the paths for which a result can be too old, besides the file of the part (see freshness.mjs)
 * - `subjects`  the rows; if left out, the contenders that `takes` accepts, and the `floors`: in the short form only if the part is
 *               `memoryBound`
 * - `against`   the id of the row that the others are compared with; the first native one if not given
 * - `turns`     a number, or one for the short and one for the full form; `fewer`: WebAssembly, rivals and floors have fewer of them
 * - `warmUp`    whether the figures of a first turn are dropped
 * - `kept`      whether a subject has one process for all turns, instead of one for each
 * - `quick`     whether a recording has all turns, because they are short, or because two are not enough
 * - `measure`   one sample: `measure(call, settings, subject, processes)` calls functions of the part in the process of the subject,
 *               and returns a value for each metric
 * - `together`, `around`, `run`  other ways to measure: see `measureRows`
 * - `split`     makes other rows of those of the subjects
 * - `needs`     a reason why the part cannot run here, or undefined
 * - `onRequest` whether the part is measured only if it is named
 * - `leastNode` the oldest line of Node that can run it
 * - `alwaysJudged` whether the figures to reach are shown in the short form too, and rivals measured
 */
import { floors } from '../contenders/index.mjs'
import { inTurn, toRow } from './in-turn.mjs'
import * as processes from './processes.mjs'

/** Turns of WebAssembly, rivals and floors in the parts that give them fewer. The figures to reach are set for the addon. */
const FEWER = 3
/** A recording is one of several runs at different times, so its long parts have few turns. */
const RECORDED = { turns: 2, fewer: 1 }

function turnsOf({ turns, fewer, kept, quick }, { form, ...settings }) {
  const usual = typeof turns === 'number' ? turns : form === 'short' ? turns.short : turns.full
  const few = form === 'short' || !fewer ? usual : fewer === true ? FEWER : fewer
  const isLong = form === 'record' && !kept && !quick
  return {
    turns: settings.turns ?? (isLong ? Math.min(usual, RECORDED.turns) : usual),
    fewer: settings.fewer ?? settings.turns ?? (isLong && fewer ? RECORDED.fewer : few),
  }
}

function subjectsOf(part, contenders, { form }) {
  const rivals = form === 'full' || (form === 'record' && part.hasRivals)
  if (part.subjects !== undefined) {
    const groups = new Set(contenders.map(({ group }) => group))
    const isAble = ({ group }) =>
      groups.has(group) || group === 'floor' || (group === 'rival' && (form !== 'short' || part.alwaysJudged))
    return part.subjects.filter(isAble)
  }
  const { takes = () => true, first, last } = part
  const own = contenders.filter((one) => takes(one) && (one.group !== 'rival' || rivals))
  const wanted = form !== 'short' || part.memoryBound ? (part.floors ?? []) : []
  const below = floors.filter(({ id }) => wanted.includes(id))
  return [first, ...own, ...below, last].filter((one) => one !== undefined)
}

/** Measures a part, and returns `rows`, and what its `run` returns beside them. */
export async function runPart(part, { contenders, settings, progress }) {
  const reason = part.needs?.()
  if (reason !== undefined) {
    progress.skip(part.name, reason)
    return { rows: [] }
  }
  if (part.run) return part.run({ contenders, settings, progress, processes, inTurn })
  const subjects = subjectsOf(part, contenders, settings)
  const measured = await measureRows(part, subjects, settings, progress)
  const rows = part.split?.(measured) ?? measured
  return { rows: rows.map((row) => ({ ...row, against: row.against ?? part.against })) }
}

async function measureRows(part, subjects, settings, progress) {
  const { name, file = name, heap, patience, warmUp } = part
  const counts = turnsOf(part, settings)
  const how = { heap, patience }
  // All subjects at the same time: `together` gets a function that takes all turns of a measurement of all of them.
  if (part.together) {
    const takeTurns = async (measure) => {
      const samples = subjects.map(() => [])
      for (let turn = 1; turn <= counts.turns; turn++) {
        progress.show(`${name}: turn ${turn} of ${counts.turns}`)
        for (const [i, sample] of (await measure()).entries()) samples[i].push(sample)
      }
      return subjects.map((subject, i) => toRow(subject, samples[i]))
    }
    progress.show(`${name}: settling`)
    return part.together(subjects, processes, takeTurns)
  }
  const measureWith = (call, around) =>
    inTurn(subjects, { name, ...counts, warmUp, progress }, (subject) =>
      part.measure((fn, options) => call(subject, fn, options), settings, subject, processes, around),
    )
  if (part.kept) return processes.withOwnProcesses(subjects, file, measureWith, how)
  const callFresh = (subject, fn, options) =>
    processes.runChild(file, fn, subject.subject ?? subject.id, options, how)
  // Something that lasts for all turns, such as servers.
  if (part.around) {
    return part.around(subjects, processes, progress, (around) => measureWith(callFresh, around))
  }
  return measureWith(callFresh)
}
