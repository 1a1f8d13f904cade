import { atMostAbove } from '../runner/bars.mjs'

const module = (id, label, group, specifier = label) => ({ id, label, group, specifier })

export default {
  name: 'import',
  title: "Cost of `import 'timeout-wheel'`",
  note: 'In a new process each time: the time until the import is done, and the time until one timer has been set and cleared. The files are in the cache of the operating system.',
  metrics: [
    { key: 'imported', label: 'import', unit: 'ms', digits: 2 },
    { key: 'used', label: 'and a first timer', unit: 'ms', digits: 2 },
  ],
  bars: [atMostAbove(3, "import 'timeout-wheel': more than an empty module", 'imported', 'either', 'empty')],
  subjects: [
    module('empty', 'an empty module', 'native', './empty.mjs'),
    module('addon', 'timeout-wheel/native', 'addon'),
    module('either', 'timeout-wheel', 'addon'),
    module('wasm', 'timeout-wheel/wasm', 'wasm'),
  ],
  warmUp: true,
  turns: 31,
  quick: true,
  measure: (_call, _settings, { specifier }, { runProgram }) => runProgram('import.mjs', [specifier]),
}
