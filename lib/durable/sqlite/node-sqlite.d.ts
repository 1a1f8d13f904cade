/** What is used of `node:sqlite`, which the types of Node 20 lack. */
declare module 'node:sqlite' {
  export type Value = null | number | string

  export class StatementSync {
    run(...values: Value[]): { changes: number }
    get(...values: Value[]): Record<string, Value> | undefined
    all(...values: Value[]): Record<string, Value>[]
    iterate(...values: Value[]): Iterable<Record<string, Value>>
  }

  export class DatabaseSync {
    constructor(path: string, options?: { readOnly?: boolean })
    exec(sql: string): void
    prepare(sql: string): StatementSync
    close(): void
  }
}
