import { statement } from '../infra/db.ts'
import type { RankedValue } from '../rollups/protocol.ts'
import { hasHitFilters } from './filters/conditions.ts'
import { readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import { countFolded } from './folded.ts'
import type { Question, StatsServices } from './question.ts'

/** What a page of titles shows beside its ranking, by title. */
export interface TitleDetails {
  /** Where it was seen last. */
  places: Map<string, Place>
  engagement: Map<string, Engagement>
  /** Sessions of the period before. */
  before: Map<string, number>
}

interface Place {
  title: string
  path: string
  hostname: string
}

interface Engagement {
  engagedMs: number
  /** Those that engaged. */
  sessions: number
}

const locateTitles = statement<Place>('locate-titles')

/** The details of a ranking from the folds of days. */
export async function detailFolded(
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
    // Sessions that began in the range saw them after its end.
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

/** What hits that pass the filters say of a title. */
export interface RankedTitle {
  title: string
  /** Of its latest hit in the range; null when it was seen after the end alone. */
  lastAt: Date | null
  engagedMs: number
  engagedSessions: number
}

/**
 * The details of a ranking of the hits that pass the filters.
 * @param likely what `countLikely` found, undefined where it was not asked
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

/** Where titles were seen at times that are known: most of those of a page in the newest part of the range. */
async function locateSeen(
  reads: StatsServices['reads'],
  scope: Scope,
  rows: RankedTitle[],
): Promise<Place[]> {
  const seen = rows.filter(row => row.lastAt !== null)
  if (seen.length === 0) return []
  const times = seen.map(({ lastAt }) => lastAt!)
  const titles = seen.map(({ title }) => title)
  return readKept<Place>(reads, 'locate-seen-titles', scope, { titles, times, asked: { titles, times } })
}

/** Where titles were seen last, whenever that was. */
async function locateKept(reads: StatsServices['reads'], scope: Scope, titles: string[]): Promise<Place[]> {
  return titles.length === 0 ? [] : readKept<Place>(reads, 'locate-kept-titles', scope, { titles })
}

/** Under filters of hits, engagement is none of what was read: it counts where its session saw the title in such a hit. */
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
  const measured = await readSlices<Engagement & { title: string }>(services, 'measure-kept-titles', scope, {
    titles: rows.map(({ title }) => title),
  })
  return mergeSlices(measured, ({ title }) => title)
}

async function countBefore(
  services: StatsServices,
  scope: Scope,
  titles: string[],
): Promise<Map<string, number>> {
  if (titles.length === 0) return new Map()
  const folded = await countFolded(services, scope, 'title', titles)
  return folded
    ? new Map(titles.map((title, index) => [title, folded[index]!.sessions]))
    : countKeptBefore(services, scope, titles)
}

/** Sessions of titles in the period before; all there are, unless they are `MOST_LIKELY`. */
export type LikelyTitles = Map<string, number>

const MOST_LIKELY = 1_000

/**
 * What the first page of a ranking probably needs of the period before: it can be read while the ranking is.
 * Those of later pages are looked for when they are known.
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
  const rows = await readSlices<{ title: string; sessions: number }>(services, 'sum-kept-titles', scope, {
    asked: { limit },
    ...(titles && { titles }),
  })
  return new Map(mergeSlices(rows, ({ title }) => title).map(row => [row.title, row.sessions]))
}
