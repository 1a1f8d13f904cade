/** The meanings of the errors with which systems and Node refuse to load an addon. */
import { expect, it } from '@jest/globals'
import { meaningOf, messageFor } from '../../lib/node/on-demand/help.js'

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code })

it.each<[reason: string, ...errors: (string | Error)[]]>([
  [
    'this process may not load addons',
    withCode('ERR_DLOPEN_DISABLED', 'Cannot load native addon because loading addons is disabled.'),
  ],
  [
    "Node's permissions forbid to read the file",
    withCode('ERR_ACCESS_DENIED', 'Access to this API has been restricted'),
  ],
  [
    'the file is not there',
    "ENOENT: no such file or directory, open '/p/a.node'",
    'Error loading shared library /p/a.node: No such file or directory',
    'The specified module could not be found.\r\n\\\\?\\C:\\p\\a.node',
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (no such file)",
  ],
  [
    'this system or this Node lacks a function that the addon needs',
    "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /p/a.node)",
    "/usr/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /p/a.node)",
    '/p/a.node: undefined symbol: uv_clock_gettime',
    'Error relocating /p/a.node: uv_poll_init: symbol not found',
    'The specified procedure could not be found.',
  ],
  [
    'the system forbids to run code from the file',
    '/p/a.node: failed to map segment from shared object',
    '/p/a.node: failed to map segment from shared object: Operation not permitted',
    '/p/a.node: cannot open shared object file: Permission denied',
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (code signature in <A> '/p/a.node' not valid)",
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (library load denied by system policy)",
    'Access is denied.',
  ],
  [
    'the addon is of another version of the package',
    "the wheel's binary is of another version: layout entry 3 is 5, expected 4",
    'addon.layoutAt is not a function',
  ],
  [
    'the file is damaged, or it is for another platform',
    '/p/a.node: invalid ELF header',
    '/p/a.node: wrong ELF class: ELFCLASS32',
    '/p/a.node: file too short',
    'the file is cut off after 60000 bytes',
    '/p/a.node: cannot open shared object file: No such file or directory',
    '/p/a.node: cannot open shared object file: Exec format error',
    'Exec format error',
    '\\\\?\\C:\\p\\a.node is not a valid Win32 application.',
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (not a mach-o file)",
    "dlopen(/p/a.node, 0x0001): tried: '/p/a.node' (slice is not valid mach-o file)",
  ],
  ['the file does not load', 'a reason of a system to come'],
])('%s', (reason, ...errors) => {
  for (const error of errors) {
    const meaning = meaningOf(typeof error === 'string' ? new Error(error) : error)
    expect([error, meaning.reason]).toEqual([error, reason])
    expect(meaning.remedy).toMatch(/^(remove|start|use|install) /)
  }
})

it('says what a bundle has to do', () => {
  expect(messageFor([], undefined)).toContain('To mend this, leave timeout-wheel out of the bundle.')
})

it('understands what is thrown and is no error', () => {
  for (const thrown of [undefined, null, 'text', 5])
    expect(meaningOf(thrown).reason).toBe('the file does not load')
})
