import type { SiteRecord } from '../../access/sites/site-schema.ts'
import { moneyText } from '../../money/money-text.ts'
import {
  dayOf,
  firstOfMonth,
  formatDay,
  formatInstant,
  type LocalDay,
  localDay,
  mondayOf,
} from '../../platform/time/local-time.ts'
import { type Range, RangeQuery, resolveRange } from '../../platform/time/range.ts'
import type { Json } from '../openapi/schemas.ts'

/** What the numbers of an answer mean: an assistant sees neither the page nor the clock beside them. */
export interface About {
  /** The moment of the answer, in the zone of the site. */
  now: string
  site?: string
  time_zone?: string
  /** First and last day of the range, both included. */
  from?: string
  to?: string
  units?: string
  /** Hits before it are gone: filters and lists begin there. */
  details_from?: string
  /** What is not a whole day, week or month yet, or only a part of one. */
  partial?: string[]
  /** What of the answer was left out, and how to get it. */
  left_out?: string
}

/**
 * @param given arguments of the call, valid
 * @param fields arguments that the tool takes
 * @param answer of the procedure
 */
export function aboutAnswer(
  site: SiteRecord | undefined,
  {
    given,
    fields,
    answer,
  }: { given: Record<string, unknown>; fields: Record<string, Json>; answer: unknown },
  now: Date,
): About {
  if (!site) return { now: now.toISOString() }
  const { domain, timezone: zone, currency, firstEventAt, detailsFrom } = site
  const about: About = {
    now: formatInstant(zone, now.getTime()),
    site: domain,
    time_zone: zone,
    units:
      `Amounts without a currency are minor units of ${currency}: 100 are ${moneyText(100, currency)}. ` +
      'Rates and scroll depths are percent, fields with _seconds or _ms times, all else counts.',
  }
  const hasRange = given.from ?? given.range ?? fields.range?.default
  if (hasRange === undefined) return about
  const range = resolveRange(RangeQuery.parse(given), { zone, now, firstEventAt })
  const partial = partialOf(range, now, groupOf(answer))
  return {
    ...about,
    from: range.from,
    to: range.to,
    ...(detailsFrom &&
      range.start < detailsFrom && { details_from: formatInstant(zone, detailsFrom.getTime()) }),
    ...(partial.length > 0 && { partial }),
  }
}

/** Returns the size of the buckets of a series, or the length of the periods of cohorts. */
function groupOf(answer: unknown): unknown {
  const { group, period } = (answer ?? {}) as Record<string, unknown>
  return group ?? period
}

/** First day of the week or month of a day, and of the next one. */
const SPANS: Record<string, (day: LocalDay) => [LocalDay, LocalDay]> = {
  week: day => [mondayOf(day), mondayOf(day) + 7],
  month: day => [firstOfMonth(day), firstOfMonth(day, 1)],
}

function partialOf({ zone, from, to, start, end }: Range, now: Date, group: unknown): string[] {
  const partial: string[] = []
  const spanOf = typeof group === 'string' ? SPANS[group] : undefined
  if (spanOf) {
    const [begins] = spanOf(dayOf(from))
    if (begins < dayOf(from))
      partial.push(`the first ${group}, which begins on ${formatDay(begins)}: only from ${from}`)
    const [, next] = spanOf(dayOf(to))
    if (next > dayOf(to) + 1)
      partial.push(`the last ${group}, which ends on ${formatDay(next - 1)}: only to ${to}`)
  }
  if (start <= now && now < end) {
    partial.push(`${formatDay(localDay(zone, now.getTime()))}, which still runs: only until now`)
  }
  return partial
}
