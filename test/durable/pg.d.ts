/** What the tests use of `pg`. */
declare module 'pg' {
  interface Pool {
    query(text: string, params: unknown[]): Promise<{ rows: unknown[] }>
    end(): Promise<void>
    on(event: 'error', callback: (error: Error) => void): void
  }
  const pg: { Pool: new (options: { connectionString: string; max?: number }) => Pool }
  export default pg
}
