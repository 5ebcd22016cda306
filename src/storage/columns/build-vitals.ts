import { VITALS, VITALS_OF_PHASES, VITALS_OF_TARGETS, type Vital } from '../../platform/dimensions/vitals.ts'
import { type HitColumns, NONE, PAGEVIEW, type VitalColumns } from './block.ts'
import { lowerBound } from './positions.ts'
import type { SiteTexts } from './texts.ts'

/** Dimensions of its page that a report has copied from its pageview. */
const OF_PAGE = ['path', 'title', 'hostname'] as const

type Measures = Record<Vital, (number | null)[]>
type Targets = Record<`${(typeof VITALS_OF_TARGETS)[number]}Target`, string[]>
type Phases = Record<`${(typeof VITALS_OF_PHASES)[number]}Phase`, string[]>

/** Web vitals as they are read: an array for each column, in any order. Times are Unix milliseconds. */
export interface VitalRows extends Measures, Targets, Phases {
  sessionNos: number[]
  /** Times of the pageviews. */
  at: number[]
  /** Path, title and hostname of the pageviews. */
  values: string[][]
  properties: (Record<string, string> | null)[]
}

/** Where the reports of a block find their pageviews. */
interface Pageviews {
  texts: SiteTexts
  /** Position of each session, by its number. */
  positionOf: ReadonlyMap<number, number>
  firstHit: Int32Array
  hits: HitColumns
}

/** Builds the columns of web vitals. Reports whose pageview is not among the hits are left out. */
export function buildVitals(pageviews: Pageviews, rows: VitalRows): VitalColumns {
  const pageviewOf = rows.sessionNos.map((_, row) => findPageview(pageviews, rows, row))
  const order = [...pageviewOf.keys()]
    .filter(row => pageviewOf[row] !== NONE)
    .sort((a, b) => pageviewOf[a]! - pageviewOf[b]!)
  const measures = {} as VitalColumns['measures']
  for (const metric of VITALS) measures[metric] = Int32Array.from(order, row => rows[metric][row] ?? NONE)
  const numbersOf = (domain: 'vital_target' | 'vital_phase', column: string[]) =>
    Int32Array.from(order, row => pageviews.texts.of(domain).numberOf(column[row]!))
  const targets: VitalColumns['targets'] = {}
  for (const metric of VITALS_OF_TARGETS) targets[metric] = numbersOf('vital_target', rows[`${metric}Target`])
  const phases: VitalColumns['phases'] = {}
  for (const metric of VITALS_OF_PHASES) phases[metric] = numbersOf('vital_phase', rows[`${metric}Phase`])
  return {
    count: order.length,
    hit: Int32Array.from(order, row => pageviewOf[row]!),
    measures,
    targets,
    phases,
  }
}

/**
 * Returns the position of a pageview with all that a report has copied from its own: of several, any of them matches the same filters.
 * `NONE` without one.
 */
function findPageview(
  { texts, positionOf, firstHit, hits }: Pageviews,
  rows: VitalRows,
  row: number,
): number {
  const session = positionOf.get(rows.sessionNos[row]!)
  if (session === undefined) return NONE
  const at = rows.at[row]!
  const wanted = OF_PAGE.map((dimension, index) =>
    texts.ofDimension(dimension).find(rows.values[index]![row]!),
  )
  const end = firstHit[session + 1]!
  for (let hit = lowerBound(hits.at, at, firstHit[session]!, end); hit < end && hits.at[hit] === at; hit++) {
    const isOfPage = OF_PAGE.every((dimension, index) => hits.values[dimension][hit] === wanted[index])
    if (hits.type[hit] === PAGEVIEW && isOfPage && hasProperties(texts, hits, hit, rows.properties[row]))
      return hit
  }
  return NONE
}

/** Whether a hit has exactly these properties: the database sends those of equal ones in the same order. */
function hasProperties(
  texts: SiteTexts,
  { firstProperty, propertyKeys, propertyValues }: HitColumns,
  hit: number,
  properties: Record<string, string> | null | undefined,
): boolean {
  const entries = Object.entries(properties ?? {})
  const first = firstProperty[hit]!
  if (firstProperty[hit + 1]! - first !== entries.length) return false
  return entries.every(
    ([key, value], index) =>
      propertyKeys[first + index] === texts.of('property_key').find(key) &&
      propertyValues[first + index] === texts.of('property_value').find(value),
  )
}

export const noVitals = (): VitalRows => ({
  sessionNos: [],
  at: [],
  values: [[], [], []],
  properties: [],
  ...{ lcp: [], inp: [], cls: [], fcp: [], ttfb: [] },
  ...{ lcpTarget: [], inpTarget: [], clsTarget: [] },
  ...{ lcpPhase: [], inpPhase: [], fcpPhase: [], ttfbPhase: [] },
})
