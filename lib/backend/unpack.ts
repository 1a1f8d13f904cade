/** The bytes that .tooling/pack.mjs has written as text. */
export function unpack(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  let length = 0
  let high = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // A blank or an exclamation mark: what it stands for is added to the next.
    if (code < 35) high = code === 33 ? 90 : 180
    else {
      bytes[length++] = (code === 126 ? 92 : code) - 37 + high
      high = 0
    }
  }
  return bytes.subarray(0, length)
}
