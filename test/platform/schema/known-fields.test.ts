import { expect, test } from 'vitest'
import { z } from 'zod'
import { refuseUnknownFields } from '../../../src/platform/schema/known-fields.ts'

const Inner = z.object({ a: z.string() })
const First = z.object({
  one: Inner.prefault({ a: '' }).optional(),
  list: z.array(z.union([z.string(), Inner])),
  map: z.record(z.string(), Inner),
  wrapped: z.preprocess(value => value, Inner.nullish()),
  changed: Inner.transform(({ a }) => a),
  open: z.looseObject({ a: z.string() }),
  any: z.unknown(),
})
const Second = z.object({ two: z.int(), one: z.object({ b: z.string() }).optional() })

test.each([
  [{ one: { a: '', b: '' }, two: 1 }, []],
  [{ three: 1, list: 'of another type' }, ['three']],
  [{ one: { c: 1 }, list: ['x', { a: '' }, { z: 1 }] }, ['one.c', 'list.2.z']],
  [{ map: { any: { a: '' }, other: { y: 1 } } }, ['map.other.y']],
  [{ wrapped: { x: 1 }, changed: { w: 1 } }, ['wrapped.x', 'changed.w']],
  [{ open: { x: { y: 1 } }, any: { x: 1 } }, []],
  [JSON.parse('{"__proto__": 1, "constructor": 2}'), ['__proto__', 'constructor']],
  [undefined, []],
  [{}, []],
  ['text', []],
])('unknown fields: case %# names each, however deep', (input, paths) => {
  let fields = {}
  try {
    refuseUnknownFields([First, Second], input)
  } catch (error) {
    fields = (error as { fields: object }).fields
  }
  expect(Object.keys(fields)).toEqual(paths)
})
