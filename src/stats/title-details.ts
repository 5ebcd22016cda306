import { statement } from '../infra/db.ts'
import type { RankedValue } from '../rollups/protocol.ts'
import { hasHitFilters } from './filters/conditions.ts'
import { readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
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

/** The details of titles from the hits that pass the filters. */
export async function detailKept(
  { reads }: Pick<StatsServices, 'reads'>,
  { scope, scopeBefore }: Question,
  titles: string[],
): Promise<TitleDetails> {
  if (titles.length === 0) return { places: new Map(), engagement: new Map(), before: new Map() }
  const [places, engagement, before] = await Promise.all([
    locateKept(reads, scope, titles),
    readKept<Engagement & { title: string }>(
      reads,
      hasHitFilters(scope) ? 'measure-kept-titles' : 'measure-seen-titles',
      scope,
      { titles },
    ),
    countKeptBefore(reads, scopeBefore, titles),
  ])
  return {
    places: new Map(places.map(row => [row.title, row])),
    engagement: new Map(engagement.map(row => [row.title, row])),
    before,
  }
}

/** The newest part of a range that is looked through first. */
const RECENT_SHARE = 1 / 16

/** Where titles were seen last. Most of those of a page were so lately: only the others are looked for in all of the range. */
async function locateKept(reads: StatsServices['reads'], scope: Scope, titles: string[]): Promise<Place[]> {
  if (titles.length === 0) return []
  const { start, end } = scope
  const recently = new Date(end.getTime() - (end.getTime() - start.getTime()) * RECENT_SHARE)
  const found = await readKept<Place>(reads, 'locate-recent-titles', scope, {
    slice: { start: recently, end },
    titles,
  })
  const isFound = new Set(found.map(({ title }) => title))
  const others = titles.filter(title => !isFound.has(title))
  if (others.length === 0) return found
  return [...found, ...(await readKept<Place>(reads, 'locate-kept-titles', scope, { titles: others }))]
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
    : countKeptBefore(services.reads, scope, titles)
}

async function countKeptBefore(
  reads: StatsServices['reads'],
  scope: Scope,
  titles: string[],
): Promise<Map<string, number>> {
  const rows = await readKept<{ title: string; sessions: number }>(reads, 'sum-kept-titles', scope, {
    titles,
  })
  return new Map(rows.map(row => [row.title, row.sessions]))
}
