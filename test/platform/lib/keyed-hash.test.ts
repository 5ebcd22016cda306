import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedHash } from '../../../src/platform/lib/keyed-hash.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.integer({ min: 4_090, max: 4_100 }).map(length => '–'.repeat(length)),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)) }),
)

test('keyed hash: it equals the HMAC of node:crypto for all keys and texts', () => {
  const long = randomBytes(32)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), anyText, (bytes, text) => {
      for (const key of [long, Buffer.from(bytes)]) {
        for (const encoding of ['hex', 'base64url'] as const) {
          expect(keyedHash(key, text, encoding)).toBe(createHmac('sha256', key).update(text).digest(encoding))
        }
      }
    }),
    { numRuns: 500 },
  )
})
