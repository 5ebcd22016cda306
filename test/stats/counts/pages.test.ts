import { expect, test } from 'vitest'
import { locatePage } from '../../../src/stats/counts/shared/pages.ts'
import { stretchesOf } from '../../../src/stats/metrics/stretches.ts'
import { randomFrom } from '../../support/random-values.ts'
import { runs, seeds } from '../../support/runs.ts'

const START = Date.UTC(2026, 2, 1)

/** Blocks with rows of few or many moments, of which some are marked. */
function randomBlocks(seed: number) {
  const random = randomFrom(seed)
  const moments = random.pick([1, 3, 50, 100_000])
  const step = random.pick([1, 7, 60_000])
  return Array.from({ length: random.int(4) }, () => {
    const count = random.int(40)
    return {
      at: Float64Array.from({ length: count }, () => START + step * random.int(moments)),
      marked: Uint8Array.from({ length: count }, () => (random.chance(0.7) ? 1 : 0)),
    }
  })
}

test('a page of a list by time has all rows of its moments, and says how many of them come before it', () => {
  for (const seed of seeds(runs(50))) {
    const blocks = randomBlocks(seed)
    const times = blocks
      .flatMap(({ at, marked }) => [...at].filter((_, row) => marked[row] === 1))
      .sort((a, b) => b - a)
    for (const limit of [1, 2, 7, 1_000]) {
      for (let offset = 0; offset <= times.length; offset += limit) {
        const { total, places, skipped } = locatePage(blocks, { limit, offset })
        const page = times.slice(offset, offset + limit)
        const found = places.map(({ at }) => at)
        const what = JSON.stringify({ seed, limit, offset })
        expect(total, what).toBe(times.length)
        expect(found.slice(skipped, skipped + limit), what).toEqual(page)
        expect(found, what).toEqual(times.filter(at => at <= page[0]! && at >= page.at(-1)!))
        expect(places.every(({ block, row, at }) => blocks[block]!.at[row] === at)).toBe(true)
        expect(new Set(places.map(({ block, row }) => `${block} ${row}`)).size).toBe(places.length)
      }
    }
  }
})

test('a list without gaps is read in one stretch, and rows that lie apart in one each', () => {
  const seconds = (...given: number[]) => given.map(second => START + second * 1_000)
  const shown = (times: number[]) => {
    const { froms, tos } = stretchesOf(times)
    return froms.map((from, index) => [
      (from.getTime() - START) / 1_000,
      (tos[index]!.getTime() - START) / 1_000,
    ])
  }
  expect(shown(seconds(5))).toEqual([[5, 5]])
  expect(shown(seconds(50, 40, 40, 35))).toEqual([[35, 50]])
  expect(shown(seconds(900, 895, 300, 15, 5))).toEqual([
    [895, 900],
    [300, 300],
    [5, 15],
  ])
  const { first, last } = stretchesOf(seconds(900, 300, 5))
  expect([first, last].map(at => at.getTime())).toEqual(seconds(5, 900))
})
