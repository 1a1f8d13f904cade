/**
 * The program of the worker thread, worker.ts, as the text of a script. As a text it is in each file that a bundler makes of a program.
 * The build puts the text here: `workerSource` in tsdown.config.ts.
 */
export const workerSource: string = ''
