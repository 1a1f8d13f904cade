/** An editor shows what a function takes, returns and throws where a program calls it. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import ts from 'typescript'

/** The names of the tags and parameters that the declarations document for each function that the text of a program calls. */
function documented(text: string, conditions: string[]): Record<string, string[]> {
  const file = join(__dirname, 'plain/called.ts')
  const options: ts.CompilerOptions = {
    noLib: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: conditions,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, how) =>
    name === file ? ts.createSourceFile(name, text, how) : getSourceFile(name, how)
  const program = ts.createProgram([file], options, host)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const called: Record<string, string[]> = {}
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const tags = checker.getResolvedSignature(node)!.getJsDocTags()
      const words = tags.map(({ name, text = [] }) => (name === 'param' ? `${text[0]?.text}` : name))
      called[node.expression.getText(source)] = [...new Set(words)]
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return called
}

it.each([
  ['on Node', []],
  ['in pages', ['browser']],
  ['on workerd', ['workerd']],
  ['in React Native', ['react-native']],
])('documents the promises and setTimeout %s', (_, conditions) => {
  const text = `import { setTimeout } from 'timeout-wheel'
    import * as promises from 'timeout-wheel/promises'
    setTimeout(() => {}, 5)
    promises.setTimeout(5, 7, {}), promises.setInterval(5, 7, {}), promises.setImmediate(7, {}), promises.scheduler.wait(5, {})`
  expect(documented(text, conditions)).toEqual({
    setTimeout: ['delay', 'throws'],
    'promises.setTimeout': ['delay', 'value', 'options', 'returns', 'throws'],
    'promises.setInterval': ['delay', 'value', 'options', 'returns', 'throws'],
    'promises.setImmediate': ['value', 'options', 'returns', 'throws'],
    'promises.scheduler.wait': ['delay', 'options', 'returns', 'throws'],
  })
})
