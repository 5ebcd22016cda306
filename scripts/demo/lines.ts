import type { Device } from './devices.ts'
import type { Origin } from './origins.ts'
import type { Person } from './people.ts'
import type { Place } from './places.ts'

export interface Visitor {
  id: string
  place: Place
  device: Device
  /** Origin of the first session. */
  origin: Origin
  person?: Person
  /** End of the newest session; Unix milliseconds. */
  lastAt: number
}

type Endpoint = 'collect' | 'event' | 'engage' | 'identify' | 'web-vitals'

/** What the service must count of the lines. */
export interface Counts {
  lines: number
  pageviews: number
  sessions: number
  visitors: number
  customEvents: number
}

/** Event names that are not custom events: the tracker sends them by itself. */
const CAPTURED = ['outbound', 'download', 'button', 'form', 'copy', 'error']

const LINES_AT_ONCE = 1_000

/** Collects hits in the format of `hits:import`, and counts them. Hits later than `until` are left out. */
export function createLines(hostname: string, until: number) {
  const lines: { at: number; text: string }[] = []
  const visitors = new Set<string>()
  const counts = { pageviews: 0, sessions: 0, customEvents: 0 }

  return {
    /** Adds a hit. @param at Unix milliseconds */
    add(
      at: number,
      visitor: Visitor,
      endpoint: Endpoint,
      body: { name?: string; [field: string]: unknown },
    ): void {
      if (at > until) return
      const { id, place, device } = visitor
      const text = JSON.stringify({
        endpoint,
        timestamp: new Date(at).toISOString(),
        ip: place.ip,
        user_agent: device.userAgent,
        body: { hostname, visitor_id: id, ...body },
      })
      lines.push({ at, text })
      if (endpoint === 'collect') counts.pageviews += 1
      if (endpoint === 'event' && !CAPTURED.includes(body.name!)) counts.customEvents += 1
      if (endpoint === 'collect' || endpoint === 'event') visitors.add(id)
    },
    countSession(): void {
      counts.sessions += 1
    },
    counts: (): Counts => ({ ...counts, lines: lines.length, visitors: visitors.size }),
    /** Yields all lines in time order. */
    *inOrder(): Generator<Buffer> {
      lines.sort((a, b) => a.at - b.at)
      for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
        const some = lines.slice(from, from + LINES_AT_ONCE)
        yield Buffer.from(some.map(({ text }) => `${text}\n`).join(''))
      }
    },
  }
}

export type Lines = ReturnType<typeof createLines>
