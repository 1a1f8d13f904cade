/** The key of the method that `using` calls. Runtimes without the syntax may lack the symbol. */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
