import { DIMENSIONS } from '../../src/platform/dimensions/dimensions.ts'
import type { Stats, StatsSite } from './stats-site.ts'

const RANGES = ['from=2026-02-01&to=2026-03-18', 'from=2026-03-08&to=2026-03-08', 'range=today', 'range=all']

/** Everything that the API says of a site, with the same words for ids that differ between sites. */
export async function everythingOf(stats: Stats, site: StatsSite): Promise<string> {
  const { db } = stats.api.services
  const answers: unknown[] = []
  const read = async (path: string) => answers.push([path, await stats.read(site, path)])
  for (const range of RANGES) {
    for (const filter of range === RANGES[0] ? ['', '&browser[is_not]=none'] : ['']) {
      const query = `${range}${filter}`
      await read(`/overview?${query}`)
      await read(`/stats/timeseries?metric=visitors&${query}`)
      await read(`/stats/timeseries?metric=avg_session_seconds&${query}`)
      await read(`/stats/events?per_page=100&${query}`)
      await read(`/stats/events/timeseries?${query}`)
      await read(`/stats/events/property-breakdown?event_type=event&event_name=signup&${query}`)
      await read(`/stats/page-titles?per_page=100&${query}`)
      await read(`/stats/goals?${query}`)
      await read(`/stats/errors?${query}`)
      // Each dimension in one range: the ranges differ in their bounds alone.
      for (const dimension of range === RANGES[0] ? DIMENSIONS : []) {
        await read(`/stats/breakdown?per_page=100&dimension=${dimension}&${query}`)
        await read(`/stats/filter-values?dimension=${dimension}&${query}`)
      }
    }
  }
  const { json } = await stats.ask('/api/sites?period=30d')
  const listed = json.find(({ id }: { id: string }) => id === site.id)
  for (const own of ['domain', 'id', 'tracking_key', 'favicon_url', 'created_at']) delete listed[own]
  answers.push(listed)
  const errors = await db`select error_id as id, message from error_groups where site_no = ${site.siteNo}`
  const goals = await db`select id, display_name as message from goals where site_no = ${site.siteNo}`
  let text = JSON.stringify(answers, undefined, 1).replaceAll(site.id, 'the site')
  for (const { id, message } of [...errors, ...goals]) text = text.replaceAll(id, message)
  const sessions = new Map<string, string>()
  return text.replaceAll(/"session_id": "(\w+)-\w+"/g, (id, start) => {
    if (!sessions.has(id)) sessions.set(id, `"session_id": "${start}, number ${sessions.size}"`)
    return sessions.get(id)!
  })
}
