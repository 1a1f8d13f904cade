/** `readFile` as the specifications use it: input and output that takes its turn. */
export function readFile(_name: string, callback: () => void): void {
  void fetch('/nothing.json').then(callback)
}
