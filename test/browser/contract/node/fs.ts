/** `readFile` for the specifications, which use it only as input and output that needs its turn. */
export function readFile(_name: string, callback: () => void): void {
  void fetch('/nothing.json').then(callback)
}
