import { expect, test } from 'vitest'
import { HIT_DIMENSIONS, SESSION_DIMENSIONS } from '../../../src/storage/columns/block.ts'
import { buildBlock, type HitRows, type SessionRows } from '../../../src/storage/columns/build-block.ts'
import type { VitalRows } from '../../../src/storage/columns/build-vitals.ts'
import { SiteTexts } from '../../../src/storage/columns/texts.ts'
import { VisitorNumbers } from '../../../src/storage/columns/visitor-numbers.ts'

interface Page {
  session: number
  at: number
  type?: string
  path: string
  title?: string
  props?: Record<string, string>
}

/** Several pageviews of two sessions, some of them in one millisecond. */
const PAGES: Page[] = [
  { session: 7, at: 1_000, path: '/' },
  { session: 7, at: 2_000, path: '/a' },
  { session: 7, at: 2_000, type: 'event', path: '/b', title: 'One' },
  { session: 7, at: 2_000, path: '/b', title: 'One' },
  { session: 7, at: 2_000, path: '/b', title: 'Two', props: { plan: 'free' } },
  { session: 7, at: 2_000, path: '/b', title: 'Two', props: { plan: 'team' } },
  { session: 7, at: 2_000, path: '/b', title: 'Two', props: { plan: 'team', role: 'admin' } },
  { session: 7, at: 3_000, path: '/a' },
  { session: 8, at: 2_000, path: '/a' },
]

const sessionRows = (sessionNos: number[]): SessionRows => {
  const each = <Value>(value: Value) => sessionNos.map(() => value)
  return {
    ...{ sessionNos, visitorNos: each(1), recognized: each(true), startedAt: each(0), firstAt: each(0) },
    ...{ lastAt: each(0), durationMs: each(0), pageviews: each(1), events: each(0) },
    values: SESSION_DIMENSIONS.map(() => each('')),
  }
}

function hitRows(pages: Page[]): HitRows {
  const none = pages.map(() => null)
  const texts = pages.map((page): Record<string, unknown> => ({ ...page }))
  return {
    sessionNos: pages.map(({ session }) => session),
    at: pages.map(({ at }) => at),
    types: pages.map(({ type = 'pageview' }) => type),
    values: HIT_DIMENSIONS.map(name => texts.map(page => String(page[name] ?? ''))),
    ...{ pageAt: none, scroll: none, engagedMs: none, revenue: none, currencies: none, errors: none },
    properties: pages.map(({ props }) => props ?? null),
  }
}

/** Reports of pages; each says where it is in the list. */
const vitalRows = (pages: Page[]): VitalRows => {
  const texts = pages.map(() => '')
  const none = pages.map(() => null)
  return {
    sessionNos: pages.map(({ session }) => session),
    at: pages.map(({ at }) => at),
    values: [pages.map(({ path }) => path), pages.map(({ title = '' }) => title), texts],
    properties: pages.map(({ props }) => props ?? null),
    ...{ lcp: pages.map((_, index) => index), inp: none, cls: none, fcp: none, ttfb: none },
    ...{ lcpTarget: texts, inpTarget: texts, clsTarget: texts },
    ...{ lcpPhase: texts, inpPhase: texts, fcpPhase: texts, ttfbPhase: texts },
  }
}

function build(vitals: Page[]) {
  const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  const rows = { sessions: sessionRows([7, 8]), hits: hitRows(PAGES), vitals: vitalRows(vitals) }
  return buildBlock(numbering, rows, false).vitals
}

test('web vitals of a block belong to the pageviews with all that they have copied', () => {
  const pageviews = PAGES.filter(({ type }) => type !== 'event')
  const { hit, measures } = build(pageviews)
  expect([...measures.lcp]).toEqual(pageviews.map((_, index) => index))
  // The hits of the block have the order of the list.
  expect([...hit]).toEqual(pageviews.map(page => PAGES.indexOf(page)))
})

test.each<[string, Page]>([
  ['time', { session: 7, at: 1_500, path: '/a' }],
  ['path', { session: 7, at: 2_000, path: '/c' }],
  ['title', { session: 7, at: 2_000, path: '/a', title: 'Two' }],
  ['property', { session: 7, at: 2_000, path: '/b', title: 'Two', props: { plan: 'none' } }],
  ['number of properties', { session: 7, at: 2_000, path: '/b', title: 'Two', props: {} }],
  ['session', { session: 9, at: 2_000, path: '/a' }],
])('web vitals of a block without a pageview of their %s are left out', (_, page) => {
  const { count, hit, measures } = build([page, PAGES[0]!])
  expect({ count, hit: [...hit], lcp: [...measures.lcp] }).toEqual({ count: 1, hit: [0], lcp: [1] })
})
