import { query } from '../../src/platform/db/query.ts'
import type { BenchService } from './service.ts'
import { figure } from './table.ts'

/** Two numbers that must be equal. */
export interface Check {
  what: string
  stored: number
  recounted: number
}

/** `stored` is null for numbers that the service answers; `what` is their field then. */
const recountSite = query<
  { siteNo: number; expected: number },
  { what: string; stored: number | null; recounted: number }
>('recount-site')

/**
 * Compares the derived data of a site, and the answers of the service, with the raw hits of the site.
 * @param options.hits expected number of hits
 * @param options.from first day of the hits
 * @param options.to last day of the hits
 */
export async function checkSite(
  { db, api }: BenchService,
  options: { siteId: string; siteNo: number; hits: number; from: string; to: string },
): Promise<Check[]> {
  const { siteId, siteNo, hits, from, to } = options
  const rows = await recountSite(db, { siteNo, expected: hits })
  const overview = await api<Record<string, number>>(
    'GET',
    `/api/sites/${siteId}/overview?from=${from}&to=${to}`,
  )
  return rows.map(({ what, stored, recounted }) =>
    stored === null
      ? { what: `overview: ${what}`, stored: Math.round(overview[what]! * 100) / 100, recounted }
      : { what, stored, recounted },
  )
}

/**
 * Requires that the two numbers of every check are equal.
 * @throws Error that names every pair that differs
 */
export function requireEqual(checks: Check[]): void {
  const wrong = checks.filter(({ stored, recounted }) => stored !== recounted)
  if (wrong.length === 0) return
  const lines = wrong.map(
    ({ what, stored, recounted }) => `${what}: ${figure(stored)}, but recounted ${figure(recounted)}`,
  )
  throw new Error(`the seeded data is not consistent\n${lines.join('\n')}`)
}
