import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { invalidField } from '../../errors.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { Services } from '../../services.ts'
import { type TimeSpan, toWindow } from '../../time/range.ts'

export interface SiteSpan extends TimeSpan {
  siteNo: number
}

/** Every path, name and selector of the hits of some types. */
const listGoalValues = query<
  SiteSpan & { types: string[]; limit: number; mostCharacters: number },
  { kind: string; value: string }
>('list-goal-values')

/** Approximate number of hits that a search for goal values must read: those of the rolled-up days that begin in the time span. */
const sumRolledUpHits = query<SiteSpan, { hits: number }>(
  'sum-rolled-up-hits',
  `select coalesce(sum(pageviews + custom_events), 0)::bigint as hits
  from daily_rollups
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and starts_at < :end::timestamptz`,
)

/** Limits: values that are compared, and characters of these values. */
const MOST_VALUES = 500_000
const MOST_CHARACTERS = 20_000_000

/** Dimensions of daily rollups that contain every value of a hit type. Other values in them match no hit of the type. */
const ROLLED_UP_IN: Record<string, string> = { pageview: 'path', event: 'event_name' }

/** Longer lists are read from the hits: rollups are not faster there. */
const MOST_ROLLED_UP = 50_000
/** Up to this number, a scan of the hits is as fast as the sum of the rollups. */
const FEW_HITS = 300_000

/**
 * Returns the values that goals of each kind can match in the time span.
 * @throws as `findTargets`
 */
export async function listOccurring(
  { reads, rollups }: Pick<Services, 'reads' | 'rollups'>,
  span: SiteSpan,
  kinds: string[],
): Promise<Map<string, string[]>> {
  const values = new Map<string, string[]>()
  const [rolledUp] = await sumRolledUpHits(reads, span)
  if (rolledUp!.hits > FEW_HITS) {
    await Promise.all(
      kinds.map(async kind => {
        const listed = ROLLED_UP_IN[kind] && (await listRolledUp(rollups, span, ROLLED_UP_IN[kind]))
        if (listed) values.set(kind, listed)
      }),
    )
  }
  const others = kinds.filter(kind => !values.has(kind))
  if (others.length === 0) return values
  return new Map([...values, ...(await listInHits(reads, span, others))])
}

/** @throws as `findTargets` */
async function listInHits(reads: Queryable, span: SiteSpan, kinds: string[]): Promise<Map<string, string[]>> {
  const occurring = await listGoalValues(reads, {
    ...span,
    types: kinds,
    limit: MOST_VALUES + 1,
    mostCharacters: MOST_CHARACTERS,
  })
  const ofKind = (kind: string) => occurring.filter(row => row.kind === kind).map(({ value }) => value)
  return withinLimits(new Map(kinds.map(kind => [kind, ofKind(kind)])))
}

/** @throws AppError `validation_failed` */
function withinLimits(values: Map<string, string[]>): Map<string, string[]> {
  const all = [...values.values()].flat()
  const characters = all.reduce((sum, { length }) => sum + length, 0)
  if (all.length > MOST_VALUES || characters > MOST_CHARACTERS) throw tooMany()
  return values
}

/** @returns undefined when the days are not rolled up or have too many values */
async function listRolledUp(
  rollups: Services['rollups'],
  span: SiteSpan,
  dimension: string,
): Promise<string[] | undefined> {
  const ranked = await runTask(rollups, 'rankValues', {
    siteNo: span.siteNo,
    window: toWindow(span),
    dimension,
    by: ['hits'],
    shown: ['hits'],
    leavesOutEmpty: false,
    limit: MOST_ROLLED_UP,
    offset: 0,
  })
  return ranked && ranked.total <= MOST_ROLLED_UP ? ranked.rows.map(({ value }) => value) : undefined
}

export const tooMany = () =>
  invalidField('range', 'The goals match too many different values in this range: ask for a shorter one')
