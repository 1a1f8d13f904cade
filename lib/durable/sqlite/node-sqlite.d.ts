/** What is used of `node:sqlite`, which the types of Node 20 lack. */
declare module 'node:sqlite' {
  export type Value = null | number | string

  export class StatementSync {
    run(...values: Value[]): { changes: number }
    get<R>(...values: Value[]): R | undefined
    all<R>(...values: Value[]): R[]
    iterate<R>(...values: Value[]): Iterable<R>
  }

  export class DatabaseSync {
    constructor(path: string)
    exec(sql: string): void
    prepare(sql: string): StatementSync
    close(): void
  }
}
