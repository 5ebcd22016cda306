import { expect, test } from 'vitest'
import { BLOCK_TYPES, type Block, bytesOf } from '../../../src/storage/columns/block.ts'
import { encodeBlock, FORM, formOf } from '../../../src/storage/columns/encode-block.ts'
import { DecodedBlocks, PackedBlock } from '../../../src/storage/columns/packed-block.ts'
import { EMPTY } from '../../../src/storage/columns/read-rows.ts'
import { SiteTexts } from '../../../src/storage/columns/texts.ts'
import { VisitorNumbers } from '../../../src/storage/columns/visitor-numbers.ts'

const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }

test('packed blocks: those that were read last stay decoded, as many as fit', () => {
  const data = encodeBlock(EMPTY, numbering)
  const decoded = new DecodedBlocks(2.5 * bytesOf(EMPTY))
  const packed = [1, 2, 3].map(() => new PackedBlock(data, 0, numbering, decoded))
  const columns = packed.map(block => block.hits)
  expect(packed.map(({ decodedBytes }) => decodedBytes)).toEqual(packed.map(() => bytesOf(EMPTY)))
  expect(decoded.bytes).toBe(2 * bytesOf(EMPTY))
  expect(packed[2]!.hits).toBe(columns[2])
  expect(packed[1]!.hits).toBe(columns[1])
  expect(packed[0]!.hits).not.toBe(columns[0])
  decoded.delete(packed[0]!)
  expect(decoded.bytes).toBe(bytesOf(EMPTY))
})

test('the form of a stored block follows from its columns, their kinds, and what their values stand for', () => {
  const dimensions = ['path: hit path']
  const forms = [
    formOf(EMPTY, BLOCK_TYPES, dimensions),
    formOf(
      {
        ...EMPTY,
        hits: { ...EMPTY.hits, values: { ...EMPTY.hits.values, added: EMPTY.hits.type } },
      } as Block,
      BLOCK_TYPES,
      dimensions,
    ),
    formOf({ ...EMPTY, hits: { ...EMPTY.hits, at: new Int32Array(0) } } as never, BLOCK_TYPES, dimensions),
    formOf(EMPTY, BLOCK_TYPES.toReversed(), dimensions),
    formOf(EMPTY, BLOCK_TYPES, ['path: hit page']),
  ]
  expect(new Set(forms).size).toBe(forms.length)
  expect(forms[0]).toBe(formOf(EMPTY, [...BLOCK_TYPES], [...dimensions]))
  expect(FORM).toBe(FORM | 0)
})
