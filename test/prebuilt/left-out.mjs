/**
 * The tests of the contract that do not run on another platform, each with its reason. An entry has the name of the specification and
 * the titles as its source has them.
 *
 * @type {{ platform: string, spec: string, titles: string[], reason: string }[]}
 */
export const LEFT_OUT = []
