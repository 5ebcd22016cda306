import { HOUR_MS, MINUTE_MS } from '../../../../platform/lib/time.ts'
import { offsetAt } from '../../../../platform/time/local-time.ts'
import type { JsonObject } from '../../read/json-lines.ts'
import { instantOf } from '../../read/times.ts'
import { plainNumber } from '../fields/texts.ts'

const QUARTER_HOUR_MS = 15 * MINUTE_MS
/** No zone is further from UTC. */
const LARGEST_OFFSET_MS = 15 * HOUR_MS
/** The first action and the visit are written one after the other. */
const TOLERANCE_MS = 2 * MINUTE_MS

/**
 * Returns the times of the actions of a visit, Unix milliseconds; undefined for an action without one. The `timestamp` of an action
 * shows the clock of the website's time zone as if it were UTC (`Date::factory` of Matomo shifts it); `firstActionTimestamp` of the
 * visit is in UTC. So the offset is the difference at the first action.
 * @param timezone used when the visit does not say when it began, and for a clock change within a visit
 */
export function actionTimes(
  visit: JsonObject,
  actions: JsonObject[],
  timezone: string,
): (number | undefined)[] {
  const shown = actions.map(({ timestamp }) => secondsOf(timestamp))
  const first = shown.find(at => at !== undefined)
  const offset = offsetOf(secondsOf(visit.firstActionTimestamp), first)
  if (offset === undefined || first === undefined) {
    return shown.map(at => (at === undefined ? undefined : instantOf(at, timezone)))
  }
  const isInZone = offsetAt(timezone, first - offset) === offset
  let latest = Number.NEGATIVE_INFINITY
  return shown.map(at => {
    if (at === undefined) return undefined
    let time = at - offset
    if (isInZone && offsetAt(timezone, time) !== offset) time = at - offsetAt(timezone, time)
    // Clocks that were put back show an hour twice; the actions of a visit are in order.
    else if (isInZone && time < latest) time = at - offsetAt(timezone, latest + HOUR_MS)
    latest = Math.max(latest, time)
    return time
  })
}

function offsetOf(began: number | undefined, shown: number | undefined): number | undefined {
  if (began === undefined || shown === undefined) return undefined
  const offset = Math.round((shown - began) / QUARTER_HOUR_MS) * QUARTER_HOUR_MS
  const isExact = Math.abs(shown - began - offset) <= TOLERANCE_MS
  return isExact && Math.abs(offset) <= LARGEST_OFFSET_MS ? offset : undefined
}

function secondsOf(value: unknown): number | undefined {
  const seconds = plainNumber(value)
  return seconds === undefined || Math.abs(seconds) > 1e11 ? undefined : Math.floor(seconds * 1_000)
}
