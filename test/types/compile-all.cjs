/**
 * `node compile-all.cjs TYPESCRIPT FOLDER '[["--strict", "use.ts"]]'` compiles programs as `tsc` does, in one process, which reads the
 * declarations of the language once. Prints what is wrong in the programs and in the declarations of this package alone.
 */
const [typescript, folder, programs] = process.argv.slice(2)
process.chdir(folder)
const ts = require(typescript)

const cached = new Map()

function problemsOf(words) {
  const { options, fileNames, errors } = ts.parseCommandLine(['--noEmit', '--declaration', ...words])
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (file, how, ...rest) => {
    if (!/\/node_modules\/(typescript|@types)\//.test(file)) return getSourceFile(file, how, ...rest)
    const key = `${file} ${how.languageVersion} ${how.impliedNodeFormat}`
    if (!cached.has(key)) cached.set(key, getSourceFile(file, how, ...rest))
    return cached.get(key)
  }
  const program = ts.createProgram({ rootNames: fileNames, options, host })
  const isChecked = ({ fileName }) => !/\/node_modules\/(?!timeout-wheel\/)/.test(fileName)
  const files = program.getSourceFiles().filter(isChecked)
  const found = [
    ...errors,
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
      ...program.getDeclarationDiagnostics(file),
    ]),
  ]
  const names = files.map(({ fileName }) => fileName)
  return {
    problems: ts.formatDiagnostics(found, host),
    checked: names.filter((name) => /\.d\.[mc]?ts$/.test(name)).length,
  }
}

console.log(JSON.stringify(JSON.parse(programs).map(problemsOf)))
