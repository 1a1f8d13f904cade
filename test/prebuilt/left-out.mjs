/**
 * The tests of the contract that do not run here, each with its reason. An entry has the name of the specification and the titles as
 * its source has them; without titles it means the whole file.
 *
 * @type {{ spec: string, titles?: string[], reason: string }[]}
 */
export const LEFT_OUT = []
