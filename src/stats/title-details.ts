import { statement } from '../infra/db.ts'
import type { RankedValue } from '../rollups/protocol.ts'
import { hasHitFilters } from './filters/conditions.ts'
import { readFiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import type { Question, StatsServices } from './question.ts'
import { countRolledUp } from './rolled-up.ts'

/** Additional columns of a page of titles, by title. */
export interface TitleDetails {
  /** Path and hostname of the latest hit. */
  places: Map<string, Place>
  engagement: Map<string, Engagement>
  /** Sessions in the previous period. */
  before: Map<string, number>
}

interface Place {
  title: string
  path: string
  hostname: string
}

interface Engagement {
  engagedMs: number
  /** Sessions with engagement. */
  sessions: number
}

const locateTitles = statement<Place>('locate-titles')

/** Returns the details of a ranking from daily rollups. */
export async function detailRolledUp(
  services: StatsServices,
  { scope, scopeBefore }: Question,
  rows: RankedValue[],
): Promise<TitleDetails> {
  const seen = rows.filter(({ lastAt }) => lastAt > 0)
  const [located, elsewhere, before] = await Promise.all([
    locateTitles(
      services.reads,
      scope.siteNo,
      seen.map(({ value }) => value),
      seen.map(({ lastAt }) => lastAt),
    ),
    // These titles have no hit in the range: sessions that began in the range saw them after its end.
    locateKept(
      services.reads,
      scope,
      rows.flatMap(({ value, lastAt }) => (lastAt > 0 ? [] : [value])),
    ),
    countBefore(
      services,
      scopeBefore,
      rows.map(({ value }) => value),
    ),
  ])
  return {
    places: new Map([...located, ...elsewhere].map(row => [row.title, row])),
    engagement: new Map(
      rows.map(({ value, engagedMs, engagedSessions }) => [value, { engagedMs, sessions: engagedSessions }]),
    ),
    before,
  }
}

/** Details of a title from the hits that match the filters. */
export interface RankedTitle {
  title: string
  /** Time of its latest hit in the range; null when all its hits lie after the end. */
  lastAt: Date | null
  engagedMs: number
  engagedSessions: number
}

/**
 * Returns the details of a ranking of the hits that match the filters.
 * @param likely result of `countLikely`, undefined if it was not called
 */
export async function detailKept(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  { scope, scopeBefore }: Question,
  rows: RankedTitle[],
  likely: LikelyTitles | undefined,
): Promise<TitleDetails> {
  if (rows.length === 0) return { places: new Map(), engagement: new Map(), before: new Map() }
  const titles = rows.map(({ title }) => title)
  const [places, elsewhere, engagement, before] = await Promise.all([
    locateSeen(services.reads, scope, rows),
    locateKept(
      services.reads,
      scope,
      rows.flatMap(({ title, lastAt }) => (lastAt ? [] : [title])),
    ),
    measure(services, scope, rows),
    countOthers(services, scopeBefore, titles, likely),
  ])
  return {
    places: new Map([...places, ...elsewhere].map(row => [row.title, row])),
    engagement: new Map(engagement.map(row => [row.title, row])),
    before,
  }
}

/** Finds path and hostname of titles by the times of their latest hits; most of these lie in the newest part of the range. */
async function locateSeen(
  reads: StatsServices['reads'],
  scope: Scope,
  rows: RankedTitle[],
): Promise<Place[]> {
  const seen = rows.filter(row => row.lastAt !== null)
  if (seen.length === 0) return []
  const times = seen.map(({ lastAt }) => lastAt!)
  const titles = seen.map(({ title }) => title)
  return readFiltered<Place>(reads, 'locate-session-titles', scope, {
    titles,
    times,
    asked: { titles, times },
  })
}

/** Finds path and hostname of the latest hits of titles without known times. */
async function locateKept(reads: StatsServices['reads'], scope: Scope, titles: string[]): Promise<Place[]> {
  return titles.length === 0 ? [] : readFiltered<Place>(reads, 'locate-filtered-titles', scope, { titles })
}

/** With filters on hits, the ranking has no engagement: it counts for sessions that saw the title in a matching hit. */
async function measure(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  rows: RankedTitle[],
): Promise<(Engagement & { title: string })[]> {
  if (!hasHitFilters(scope)) {
    return rows.map(({ title, engagedMs, engagedSessions }) => ({
      title,
      engagedMs,
      sessions: engagedSessions,
    }))
  }
  const measured = await readSlices<Engagement & { title: string }>(
    services,
    'measure-filtered-titles',
    scope,
    {
      titles: rows.map(({ title }) => title),
    },
  )
  return mergeSlices(measured, ({ title }) => title)
}

async function countBefore(
  services: StatsServices,
  scope: Scope,
  titles: string[],
): Promise<Map<string, number>> {
  if (titles.length === 0) return new Map()
  const rolledUp = await countRolledUp(services, scope, 'title', titles)
  return rolledUp
    ? new Map(titles.map((title, index) => [title, rolledUp[index]!.sessions]))
    : countKeptBefore(services, scope, titles)
}

/** Sessions of titles in the previous period; complete if it has fewer than `MOST_LIKELY` entries. */
export type LikelyTitles = Map<string, number>

const MOST_LIKELY = 1_000

/**
 * Returns the sessions of the previous period that the first page of a ranking probably needs: this read runs in parallel with
 * the ranking. For later pages, they are read after the ranking, when the titles are known.
 */
export function countLikely(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  { scopeBefore }: Question,
): Promise<LikelyTitles> {
  return sumKept(services, scopeBefore, MOST_LIKELY)
}

async function countOthers(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  titles: string[],
  likely: LikelyTitles | undefined,
): Promise<Map<string, number>> {
  const others = titles.filter(title => !likely?.has(title))
  if (likely && (likely.size < MOST_LIKELY || others.length === 0)) return likely
  return new Map([...(likely ?? []), ...(await countKeptBefore(services, scope, others))])
}

const countKeptBefore = (services: Pick<StatsServices, 'reads' | 'slices'>, scope: Scope, titles: string[]) =>
  sumKept(services, scope, titles.length, titles)

async function sumKept(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  limit: number,
  titles?: string[],
): Promise<Map<string, number>> {
  const rows = await readSlices<{ title: string; sessions: number }>(services, 'sum-filtered-titles', scope, {
    asked: { limit },
    ...(titles && { titles }),
  })
  return new Map(mergeSlices(rows, ({ title }) => title).map(row => [row.title, row.sessions]))
}
