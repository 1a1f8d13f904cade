/** Types for the part of autocannon that the test uses: the package has none. */
declare module 'autocannon' {
  export default function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    requests: { path: string }[]
  }): Promise<{
    errors: number
    timeouts: number
    requests: { sent: number }
    statusCodeStats: Record<string, { count: number }>
  }>
}
