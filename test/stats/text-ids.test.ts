import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextIds } from '../../src/stats/moments/text-ids.ts'

test('text ids: equal texts have the same number, in the order of their first use, however many there are', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.nat(3_000).map(String))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4_000, size: 'max' }), texts => {
      const ids = new TextIds()
      const expected = new Map([['', 0]])
      for (const each of texts) {
        const bytes = Buffer.from(`<${each}>`)
        const known = expected.get(each) ?? expected.size
        expected.set(each, known)
        expect(ids.idOf(bytes, 1, bytes.length - 1)).toBe(known)
      }
      expect(ids.texts).toEqual([...expected.keys()])
    }),
    { numRuns: 3 },
  )
})
