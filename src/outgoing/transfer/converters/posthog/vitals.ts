import type { JsonObject } from '../../read/json-lines.ts'
import { plainNumber, plainText } from '../fields/texts.ts'

/** Longer times and larger shifts are refused as measurements. */
const MOST_MS = 600_000
const MOST_SHIFT = 1_000

/**
 * Returns the values of a report of Web Vitals.
 * @param id of the event, which becomes that of the report
 * @returns undefined without a valid id or any value
 */
export function vitalsOf(id: unknown, properties: JsonObject): Record<string, unknown> | undefined {
  const uuid = plainText(id)
  if (!uuid || !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uuid)) return undefined
  const values = {
    lcp: within(properties.$web_vitals_LCP_value, MOST_MS),
    inp: within(properties.$web_vitals_INP_value, MOST_MS),
    cls: within(properties.$web_vitals_CLS_value, MOST_SHIFT),
    fcp: within(properties.$web_vitals_FCP_value, MOST_MS),
  }
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length > 0 ? { id: uuid, ...Object.fromEntries(given) } : undefined
}

function within(value: unknown, most: number): number | undefined {
  const number = plainNumber(value)
  return number !== undefined && number >= 0 && number <= most ? number : undefined
}
