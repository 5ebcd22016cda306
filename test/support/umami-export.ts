import { zipOf } from '../outgoing/transfer/read/zip-file.ts'

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

export interface UmamiOptions {
  events: number
  /** Of the first event, Unix milliseconds. */
  start: number
  /** Milliseconds between two events. */
  stepMs?: number
  visitors?: number
}

/** Rows as the cloud exports them, not in the order of time. Some of them cannot be carried over, and some are not valid. */
function umamiRows({ events, start, stepMs = 60_000, visitors = Math.ceil(events / 5) }: UmamiOptions) {
  const rows = Array.from({ length: events }, (_, index) => {
    const session = (index * 7) % visitors
    const isEvent = index % 6 === 5
    return {
      website_id: uuid(1),
      session_id: uuid(session),
      visit_id: uuid(index),
      event_id: uuid(index),
      hostname: 'example.com',
      browser: index % 40 === 39 ? 'searchbot' : session % 3 === 0 ? 'firefox' : 'chrome',
      os: 'Linux',
      device: session % 4 === 0 ? 'mobile' : 'laptop',
      screen: '1920x1080',
      language: 'en-GB',
      country: session % 2 === 0 ? 'DE' : 'US',
      region: '',
      city: session % 2 === 0 ? 'Berlin' : 'Oakland',
      url_path: `/page-${index % 9}`,
      url_query: index % 11 === 0 ? 'utm_source=news' : '',
      referrer_domain: index % 13 === 0 ? 'google.com' : '',
      page_title: `Page "${index % 9}"`,
      event_type: isEvent ? 2 : 1,
      event_name: isEvent ? (index % 90 === 89 ? 'payment' : `event ${index % 4}`) : '',
      distinct_id: session % 10 === 0 ? `user-${session}` : '',
      created_at: new Date(start + index * stepMs).toISOString().replace('T', ' ').slice(0, 19),
    }
  })
  // Not in the order of time, and the same order for a longer export.
  return rows.sort((a, b) => (a.session_id < b.session_id ? -1 : a.session_id > b.session_id ? 1 : 0))
}

function csvOf(rows: Record<string, string | number>[]): string {
  const quoted = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`
  const lines = [Object.keys(rows[0]!), ...rows.map(row => Object.values(row))]
  return lines.map(fields => `${fields.map(quoted).join(',')}\r\n`).join('')
}

/** A ZIP as Umami Cloud sends it. */
export const umamiExport = (options: UmamiOptions): Buffer =>
  zipOf([{ name: 'website_event.csv', bytes: csvOf(umamiRows(options)) }])
