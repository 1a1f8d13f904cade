/**
 * The tests of the contract that do not run on another platform, each with its reason. An entry has the name of the specification and
 * the titles as its source has them.
 *
 * @type {{ platform: string, spec: string, titles: string[], reason: string }[]}
 */
export const LEFT_OUT = [
  {
    platform: 'linux-arm64',
    spec: 'ids',
    titles: [
      'gives no id of a garbage-collected wheel to another wheel',
      'never gives the id 0, which programs use for "no timer"',
    ],
    reason: 'they start Node, which the kernel does not start in QEMU by itself',
  },
]
