import { expect, test } from 'vitest'
import { DecodedBlocks, PackedBlock } from '../../src/columns/packed-block.ts'
import { EMPTY } from '../../src/columns/read-rows.ts'
import { SiteTexts } from '../../src/columns/texts.ts'
import { VisitorNumbers } from '../../src/columns/visitor-numbers.ts'

test('packed blocks: one that is larger than the cache is decoded once for several looks, and again after another one', () => {
  const decoded = new DecodedBlocks(1)
  const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  const [first, second] = [1, 2].map(() => new PackedBlock(Buffer.alloc(0), numbering, decoded))
  const times = new Map<PackedBlock, number>()
  const look = (packed: PackedBlock) =>
    decoded.get(packed, () => {
      times.set(packed, (times.get(packed) ?? 0) + 1)
      return EMPTY
    })
  for (const packed of [first!, first!, second!, first!]) look(packed)
  expect([...times.values()]).toEqual([2, 1])
})
