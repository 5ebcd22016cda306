import { expect, test } from 'vitest'
import { type ChainRules, findChains } from '../../../src/stats/funnels/chains.ts'
import type { Moments } from '../../../src/stats/funnels/moments.ts'

/** Moments of a unit: `12:23~` is at 12 ms, meets steps 2 and 3, and interrupts nothing. */
function momentsOf(text: string) {
  return text.split(' ').map(each => {
    const [, time, steps, silent] = /^(\d+):(\d*)(~?)$/.exec(each)!
    return { time: Number(time), steps: [...steps!].map(Number), isSilent: silent === '~' }
  })
}

/** Returns the chains of units. Each unit belongs to one owner if `owners` are given. */
function chainsOf(units: ReturnType<typeof momentsOf>[], rules: Partial<ChainRules>, owners: number[] = []) {
  const all = units.flatMap((moments, unit) => moments.map(moment => ({ unit, ...moment })))
  const moments: Moments = {
    units: Float64Array.from(all, ({ unit }) => unit + 1),
    times: Float64Array.from(all, ({ time }) => time),
    steps: Uint8Array.from(all, ({ steps }) => steps.reduce((mask, step) => mask | (1 << (step - 1)), 0)),
    isSilent: Uint8Array.from(all, ({ isSilent }) => (isSilent ? 1 : 0)),
    owners: Uint32Array.from(owners.length > 0 ? all : [], ({ unit }) => owners[unit]!),
    values: new Uint32Array(all.length),
    texts: [''],
  }
  return findChains(moments, { steps: 3, windowMs: 1_000, isStrict: false, ...rules })
}

function lengthsOf(...given: Parameters<typeof chainsOf>): number[] {
  const { lengths, size } = chainsOf(...given)
  return [...lengths.subarray(0, size)]
}

test.each<[string, string, number]>([
  ['the last moment may lie the whole window after the first', '0:1 500:2 1000:3', 3],
  ['a moment after the window ends the chain', '0:1 500:2 1001:3', 2],
  ['a later start is taken if its chain is longer', '0:1 900:1 1100:2 1500:3', 3],
  ['a moment that meets two steps serves one', '0:123', 1],
  ['three such moments serve three', '0:123 0:123 0:123', 3],
  ['of one millisecond, lower steps come first', '0:3 0:2 0:1', 3],
  ['a list of steps that ends comes first', '0:12 0:1 1:3', 3],
  ['loose: others may lie between', '0:1 1:1 2:2 3:2 4:3', 3],
  ['strict: a moment of another step interrupts', '0:1 1:3 2:2', 1],
  ['strict: what is silent does not', '0:1 1:3~ 2:2', 2],
  ['strict: the start just before counts', '0:1 1:1 2:2 3:3', 3],
  ['strict: a hit that meets no step interrupts', '0:1 1: 2:2', 1],
  ['strict: of one millisecond, a hit that meets a step comes first', '0:1 2: 2:2', 2],
  ['without a first step there is none', '0:2 1:3', 0],
])('chains of a funnel: %s', (title, moments, length) => {
  const rules = { isStrict: title.startsWith('strict') }
  expect(lengthsOf([momentsOf(moments).toReversed()], rules)).toEqual(length > 0 ? [length] : [])
})

test('chains of a funnel: moments of two units make no chain together; of the units of an owner the longest counts', () => {
  const units = ['0:1', '1:2', '5:1 6:2'].map(momentsOf)
  expect(lengthsOf(units, {})).toEqual([1, 2])
  expect(lengthsOf(units, {}, [1, 1, 1])).toEqual([2])
  expect(lengthsOf(units, {}, [1, 1, 2])).toEqual([1, 2])
})

test('chains of a funnel: of the units of an owner with equally long chains, the one that begins first counts', () => {
  const units = ['0:1 10:2', '20:1 21:2', '30:1 35:2'].map(momentsOf)
  for (const given of [units, units.toReversed()]) {
    const { gaps, size } = chainsOf(given, { steps: 2 }, [1, 1, 1])
    expect([size, gaps[0]]).toEqual([1, 10])
  }
})
