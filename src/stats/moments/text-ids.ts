/** Numbers from 0 for UTF-8 texts, in the order of their first use; 0 is the empty text. Of a text that is known, no string is made. */
export class TextIds {
  readonly texts: string[] = ['']
  readonly #bytes: Uint8Array[] = [new Uint8Array()]
  /** Id + 1 by slot; 0 where a slot is free. */
  #slots = new Int32Array(1_024)

  constructor() {
    this.#slots[this.#slotOf(this.#bytes[0]!, 0, 0)] = 1
  }

  /** Returns the number of the text in `bytes` from `start` to `end`. */
  idOf(bytes: Uint8Array, start: number, end: number): number {
    const slot = this.#slotOf(bytes, start, end)
    const known = this.#slots[slot]!
    if (known > 0) return known - 1
    const text = bytes.slice(start, end)
    this.#bytes.push(text)
    this.#slots[slot] = this.texts.push(Buffer.from(text).toString('utf8'))
    if (2 * this.texts.length > this.#slots.length) this.#grow()
    return this.texts.length - 1
  }

  #grow(): void {
    this.#slots = new Int32Array(4 * this.#slots.length)
    for (const [id, text] of this.#bytes.entries()) this.#slots[this.#slotOf(text, 0, text.length)] = id + 1
  }

  /** Returns the slot of a text, or a free one for it. */
  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1
    // FNV-1a.
    let hash = 0x811c9dc5
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
    let slot = (hash ^ (hash >>> 15)) & mask
    while (this.#slots[slot] !== 0 && !isSame(this.#bytes[this.#slots[slot]! - 1]!, bytes, start, end)) {
      slot = (slot + 1) & mask
    }
    return slot
  }
}

function isSame(text: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let at = 0; at < text.length; at++) if (text[at] !== bytes[start + at]) return false
  return true
}
