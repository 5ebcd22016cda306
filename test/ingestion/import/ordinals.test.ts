import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Ordinals } from '../../../src/ingestion/import/line-ids.ts'

const digest = (line: string) => createHash('sha256').update(line).digest().subarray(0, 12)

test('ordinals: equal lines are counted, different ones are not', () => {
  const ordinals = new Ordinals(8)
  const counts = ['a', 'b', 'a', 'a', 'b'].map(line => ordinals.count(digest(line), 5))
  expect(counts).toEqual([0, 0, 1, 2, 1])
})

test('ordinals: lines in time order are counted correctly, however many there are', () => {
  const ordinals = new Ordinals(64)
  for (let at = 0; at < 10_000; at++) {
    const line = `line ${at}`
    for (let ordinal = 0; ordinal < 3; ordinal++) expect(ordinals.count(digest(line), at)).toBe(ordinal)
  }
})

test('ordinals: a line is counted correctly or refused', () => {
  const ordinals = new Ordinals(64)
  const seen = new Map<string, number>()
  let refused = 0
  for (let index = 0; index < 20_000; index++) {
    // In time order, except for jumps back of up to 210.
    const at = index - ((index * 7919) % 211)
    const line = `at ${at}`
    const ordinal = ordinals.count(digest(line), at)
    if (ordinal === undefined) refused += 1
    else expect(ordinal).toBe(seen.get(line) ?? 0)
    seen.set(line, (ordinal ?? 0) + 1)
  }
  expect(refused).toBeLessThan(14_000)
  expect(refused).toBeGreaterThan(0)
})

test('ordinals: a line may be late by up to half of the remembered lines', { tags: ['full'] }, () => {
  const ordinals = new Ordinals(1_024)
  for (let index = 0; index < 50_000; index++) {
    expect(ordinals.count(digest(`${index}`), index)).toBe(0)
    if (index >= 400) expect(ordinals.count(digest(`${index - 200}`), index - 200)).toBeDefined()
  }
})

test('ordinals: one line with a far later time does not shut out the others', () => {
  const ordinals = new Ordinals(64)
  expect(ordinals.count(digest('ahead'), 1e12)).toBe(0)
  for (let at = 0; at < 1_000; at++) expect(ordinals.count(digest(`${at}`), at)).toBe(0)
  expect(ordinals.count(digest('ahead'), 1e12)).toBe(1)
})

test('ordinals: a time with more lines than can be remembered refuses the rest, later times do not', () => {
  const ordinals = new Ordinals(64)
  const counts = Array.from({ length: 100 }, (_, index) => ordinals.count(digest(`${index}`), 1))
  expect(counts).toEqual([...Array(64).fill(0), ...Array(36).fill(undefined)])
  expect(ordinals.count(digest('a'), 2)).toBe(0)
  expect(ordinals.count(digest('a'), 2)).toBe(1)
})
