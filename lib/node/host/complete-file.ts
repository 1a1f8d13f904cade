/** Checks that a library of Linux is complete. While the system loads one that is cut off, it ends the process. */
import { builtin } from './builtin.js'

/** The size of the header of an ELF file for 64 bits. */
const HEADER = 64
/** Fields of the header: where the list of sections begins, and the bytes and the number of its entries. The list ends the file. */
const E_SHOFF = 40
const E_SHENTSIZE = 58
const E_SHNUM = 60

/** @throws Error if the file is cut off, or no library at all; Node's error if it cannot be read */
export function checkComplete(path: string): void {
  const { closeSync, fstatSync, openSync, readSync } = builtin('node:fs') as typeof import('node:fs')
  const header = new DataView(new ArrayBuffer(HEADER))
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER, 0)
    const list = header.getUint16(E_SHENTSIZE, true) * header.getUint16(E_SHNUM, true)
    const bytes = Number(header.getBigUint64(E_SHOFF, true)) + list
    const { size } = fstatSync(file)
    if (size < Math.max(bytes, HEADER)) throw new Error(`the file is cut off after ${size} bytes`)
  } finally {
    closeSync(file)
  }
}
