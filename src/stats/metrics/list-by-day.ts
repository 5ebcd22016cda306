import type { EventType } from '../../platform/dimensions/event-types.ts'
import {
  BLOCK_ROWS,
  MOST_ROWS,
  nextPart,
  type PartOfList,
  runningDownload,
} from '../../platform/schema/download.ts'
import { type PageQuery, windowOf } from '../../platform/schema/pagination.ts'
import { toWindow } from '../../platform/time/range.ts'
import { coverWindows } from '../../storage/rollups/daily/coverage.ts'
import type { Window } from '../../storage/rollups/protocol.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import type { PageWindow } from './rank.ts'
import { countUntilRolledUp, within, withRest } from './rolled-up.ts'
import { countTypesOfParts, readDays } from './types-by-day.ts'

type Services = Pick<StatsServices, 'reads' | 'counter'>

/** A list by time, the newest row first, that columns find. */
interface ListByTime<List> {
  resolved: ResolvedQuery
  /** What it has when there are no filters: hits of these types, or the sessions that started in the range. Undefined under filters. */
  unfiltered: EventType[] | 'sessions' | undefined
  /** Finds a page of a part of the range. */
  find: (part: ResolvedQuery, page: PageWindow) => Promise<List>
  lengthOf: (list: List) => number
}

/**
 * Finds a page of a list, or what is next of a download. Without filters, rollups count the days that are over: columns are only needed of the
 * days on which the page lies, so that page 2,000 of a year costs what page 1 does. A download finds one such stretch after the other: a row
 * that is stored meanwhile shifts nothing, and comes at most once.
 * @throws AppError as `countAsked`
 */
export async function nextOfList<List extends { total: number }>(
  services: Services,
  list: ListByTime<List>,
  query: PageQuery,
): Promise<PartOfList<List>> {
  const { resolved, find, lengthOf } = list
  const page = windowOf(query)
  const download = runningDownload()
  if (!download?.isWhole) return nextPart('list', () => findPage(services, list, page), lengthOf)
  // A share may get other filters meanwhile: the rest of the list is what it shows then.
  const shown = JSON.stringify([resolved.question, resolved.detailsFrom])
  const walk = await download.pin(`stretches of ${shown}`, async () => {
    const parts = await partsOf(services, list)
    return { at: 0, ...(parts ? stretchesOf(parts) : { stretches: [toWindow(resolved)], total: undefined }) }
  })
  const stretch = within(resolved, walk.stretches[walk.at]!)
  const part = await nextPart(`stretch ${walk.at} of ${shown}`, () => find(stretch, page), lengthOf)
  if (download.isComplete && walk.at < walk.stretches.length - 1) {
    const next = walk.at + 1
    download.whenRead(() => {
      walk.at = next
    })
    download.isComplete = false
  }
  return { ...part, list: { ...part.list, total: walk.total ?? part.list.total } }
}

async function findPage<List extends { total: number }>(
  services: Services,
  list: ListByTime<List>,
  page: PageWindow,
): Promise<List> {
  const { resolved, find } = list
  const parts = await partsOf(services, list)
  if (!parts) return find(resolved, page)
  const { span, before, others } = locate(parts, page)
  const found = await find(within(resolved, span), { limit: page.limit, offset: page.offset - before })
  return { ...found, total: others + found.total }
}

/** Part of a list: a day of a rollup, or what rollups lack. */
interface Part extends Window {
  rows: number
}

/** Returns the parts of a list, the newest first; null where columns alone answer. */
async function partsOf(
  services: Services,
  { resolved, unfiltered }: Pick<ListByTime<unknown>, 'resolved' | 'unfiltered'>,
): Promise<Part[] | null> {
  if (!unfiltered) return null
  const parts =
    unfiltered === 'sessions'
      ? await countSessionsOfParts(services, resolved)
      : await countHitsOfParts(services, resolved, unfiltered)
  return parts?.sort((a, b) => b.start - a.start) ?? null
}

async function countHitsOfParts(
  services: Services,
  resolved: ResolvedQuery,
  types: EventType[],
): Promise<Part[] | null> {
  const parts = await countTypesOfParts(services, resolved, [toWindow(resolved)], types)
  const sumOf = (counts: Record<string, number>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0)
  return parts?.map(({ start, end, types }) => ({ start, end, rows: sumOf(types) })) ?? null
}

const countSessionsOfParts = (services: Services, resolved: ResolvedQuery): Promise<Part[] | null> =>
  withRest<Part, Part[]>(
    services,
    tx => coverWindows(tx, resolved.siteNo, [toWindow(resolved)]),
    async gap => {
      const none = { limit: 0, offset: 0 }
      const part = within(resolved, gap)
      const { total } = await countUntilRolledUp(services, resolved, 'sessions', none, { part })
      return [{ ...gap, rows: total }]
    },
    async ({ covered, rest }) => {
      const days = await readDays(services, resolved.siteNo, covered.ranges.flat())
      if (days === 'changed') return days
      return [...days.map(({ start, end, sessions }) => ({ start, end, rows: sessions })), ...rest]
    },
  )

/**
 * Returns the adjacent parts on which a page lies, and the rows of parts before, and of all other parts.
 * @param parts the newest first
 */
function locate(parts: readonly Part[], { limit, offset }: PageWindow) {
  const total = rowsOf(parts)
  let first = 0
  let before = 0
  while (first < parts.length && before + parts[first]!.rows <= offset) before += parts[first++]!.rows
  let last = first
  let until = before
  while (last < parts.length && until < offset + limit) until += parts[last++]!.rows
  return { span: spanOf(parts.slice(first, last)), before, others: total - (until - before) }
}

/**
 * Divides a list into stretches for a download, each with about as many rows as are read at once, but of whole parts.
 * @param parts the newest first
 */
function stretchesOf(parts: readonly Part[]): { stretches: Window[]; total: number } {
  const total = rowsOf(parts)
  // Too long for a file: what takes the block refuses it.
  if (total > MOST_ROWS) return { stretches: [spanOf([])], total }
  const stretches: Part[][] = []
  for (const part of parts) {
    const newest = stretches.at(-1)
    if (newest && rowsOf(newest) < BLOCK_ROWS) newest.push(part)
    else stretches.push([part])
  }
  return { stretches: stretches.map(spanOf), total }
}

const rowsOf = (parts: readonly Part[]): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/** @param parts adjacent, the newest first; none: an empty span */
const spanOf = (parts: readonly Part[]): Window => ({
  start: parts.at(-1)?.start ?? 0,
  end: parts[0]?.end ?? 0,
})
