import { expect, test } from 'vitest'
import { NumberMap } from '../../../../src/outgoing/transfer/archive/restore/number-map.ts'

test('number map: finds the new number of each old one, of however many', () => {
  const map = new NumberMap()
  expect(map.get(0)).toBeUndefined()
  for (let index = 0; index < 5_000; index++) map.add(3 * index, 10_000 - index)
  for (let index = 0; index < 5_000; index++) {
    expect(map.get(3 * index)).toBe(10_000 - index)
    expect(map.get(3 * index + 1)).toBeUndefined()
  }
  expect(map.get(2 ** 31 - 1)).toBeUndefined()
})
