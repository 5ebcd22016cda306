import { createHmac, hash } from 'node:crypto'

/** Block size of SHA-256 in bytes. */
const BLOCK = 64
const DIGEST = 32
/** Longest text for the fast path; for a longer text `createHmac` is as fast. */
const MAX_TEXT = 4_096

/** The padded key at the start of the inner and the outer hash of an HMAC; each buffer has room for the rest. */
interface Pads {
  inner: Buffer
  outer: Buffer
}

const known = new WeakMap<Buffer, Pads>()

/**
 * Returns the HMAC-SHA-256 of a text in UTF-8, built from two plain hashes (RFC 2104). It takes 1.6 µs, `createHmac` 2.7 µs (Node
 * 20.20). A hit needs three of them and takes about 100 µs of CPU in all, so `createHmac` would cost 3.3 % more.
 * @param key up to 64 bytes on the fast path; must not be modified, because its pads are cached
 */
export function keyedHash(key: Buffer, text: string, encoding: 'hex' | 'base64url'): string {
  if (text.length > MAX_TEXT || key.length > BLOCK) {
    return createHmac('sha256', key).update(text).digest(encoding)
  }
  let pads = known.get(key)
  if (!pads) {
    pads = { inner: padded(key, 0x36, 3 * MAX_TEXT), outer: padded(key, 0x5c, DIGEST) }
    known.set(key, pads)
  }
  const length = pads.inner.write(text, BLOCK)
  pads.outer.write(hash('sha256', pads.inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1')
  return hash('sha256', pads.outer, encoding)
}

function padded(key: Buffer, mask: number, room: number): Buffer {
  const pad = Buffer.alloc(BLOCK + room)
  key.copy(pad)
  for (let index = 0; index < BLOCK; index++) pad[index]! ^= mask
  return pad
}
