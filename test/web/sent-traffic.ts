/**
 * What a browser test sent, and the numbers that follow from it by docs/metrics.md alone: plain loops over the hits, and the local days of
 * `Intl`. It shares nothing with the service, nor with the other recounts.
 */

export interface Sent {
  /** Unix milliseconds. */
  at: number
  visitor: string
  kind: 'pageview' | 'event' | 'engagement' | 'identify'
  path?: string
  /** Query of the address, with its question mark. */
  query?: string
  title?: string
  name?: string
  scroll?: number
  ms?: number
  identifier?: string
  person?: string
  error?: { name: string; message: string; stack: string }
  from?: Origin
}

/** Where a visit comes from: what is sent, and what the documents say that it is. */
export interface Origin {
  sent: { ip: string; referrer?: string; query?: string }
  is: { country: string; source: string; channel: string }
}

export interface Session {
  visitor: string
  start: number
  end: number
  hits: Sent[]
  is: Origin['is']
}

export interface Payment {
  at: number
  amount: number
  visitor?: string
  refunded?: boolean
  customer: string
}

export interface Goal {
  id: string
  name: string
  converts(hit: Sent, session: Session): boolean
}

export interface Range {
  from: string
  to: string
}

/** Filters that tests use: one on sessions, one on hits. */
export interface Filter {
  country?: string
  path?: string
}

const MINUTE = 60_000
const isHit = ({ kind }: Sent) => kind === 'pageview' || kind === 'event'

/** The line of an import that says what was sent. */
export const lineOf = ({ at, visitor, kind, path, query = '', title, name, scroll, ms, ...rest }: Sent) =>
  JSON.stringify({
    endpoint: { pageview: 'collect', event: 'event', engagement: 'engage', identify: 'identify' }[kind],
    timestamp: new Date(at).toISOString(),
    ...(rest.from && { ip: rest.from.sent.ip }),
    body: {
      hostname: 'shop.example.org',
      visitor_id: visitor,
      ...(path !== undefined && { url: { path: path + query, ...(title !== undefined && { title }) } }),
      ...(name !== undefined && { name }),
      ...(kind === 'engagement' && { sd: scroll, time: ms }),
      ...(rest.error && { error: rest.error }),
      ...(rest.identifier && { identifier: rest.identifier, name: rest.person }),
      ...(rest.from?.sent.referrer && { referrer: rest.from.sent.referrer }),
    },
  })

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date that clocks of a zone show. */
function dateIn(zone: string, at: number): string {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    formats.set(zone, format)
  }
  return format.format(at)
}

export function datesOf({ from, to }: Range): string[] {
  const dates: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 1_440 * MINUTE) {
    dates.push(new Date(at).toISOString().slice(0, 10))
  }
  return dates
}

/** docs/metrics.md "Session". */
function sessionsOf(sent: readonly Sent[]): Session[] {
  const sessions: Session[] = []
  const current = new Map<string, Session>()
  for (const hit of [...sent].sort((a, b) => a.at - b.at)) {
    const session = current.get(hit.visitor)
    if (hit.kind === 'engagement') {
      session!.hits.push(hit)
      session!.end = Math.max(session!.end, hit.at)
    } else if (hit.kind !== 'identify') {
      if (session && hit.at - session.end <= 30 * MINUTE && hit.at - session.start <= 1_440 * MINUTE) {
        session.hits.push(hit)
        session.end = hit.at
        continue
      }
      const is = hit.from?.is ?? { country: '', source: '', channel: 'Direct' }
      const opened = { visitor: hit.visitor, start: hit.at, end: hit.at, hits: [hit], is }
      sessions.push(opened)
      current.set(hit.visitor, opened)
    }
  }
  return sessions
}

const twoDecimals = (sum: number, count: number) => (count === 0 ? 0 : Math.round((100 * sum) / count) / 100)
const oneDecimal = (sum: number, count: number) => (count === 0 ? 0 : Math.round((10 * sum) / count) / 10)

export type Recount = ReturnType<typeof recountOf>

export function recountOf(zone: string, sent: readonly Sent[], payments: readonly Payment[]) {
  const sessions = sessionsOf(sent)
  const dates = new Map<number, string>()
  function dateOf(at: number): string {
    const known = dates.get(at) ?? dateIn(zone, at)
    dates.set(at, known)
    return known
  }
  const within = (at: number, { from, to }: Range, end = Number.POSITIVE_INFINITY) =>
    dateOf(at) >= from && dateOf(at) <= to && at < end

  /** Hits and sessions of a range that a filter selects. */
  function select(range: Range, filter: Filter = {}, end?: number) {
    const bySession = sessions.filter(
      ({ is }) => filter.country === undefined || is.country === filter.country,
    )
    const hitsOf = (session: Session) =>
      session.hits.filter(
        hit =>
          isHit(hit) && within(hit.at, range, end) && (filter.path === undefined || hit.path === filter.path),
      )
    return {
      hits: bySession.flatMap(session => hitsOf(session).map(hit => ({ hit, session }))),
      sessions: bySession.filter(
        session =>
          within(session.start, range, end) && (filter.path === undefined || hitsOf(session).length > 0),
      ),
      /** Sessions whose payments count, whenever they began. */
      paying: bySession.filter(session => filter.path === undefined || hitsOf(session).length > 0),
    }
  }

  const traffic = (hits: { hit: Sent }[], started: Session[]) => {
    const pageviews = hits.filter(({ hit }) => hit.kind === 'pageview').length
    const isBounce = (session: Session) => session.hits.filter(hit => hit.kind === 'pageview').length === 1
    return {
      visitors: new Set(hits.map(({ hit }) => hit.visitor)).size,
      pageviews,
      sessions: started.length,
      views_per_visit: twoDecimals(pageviews, started.length),
      bounce_rate: twoDecimals(100 * started.filter(isBounce).length, started.length),
      avg_session_seconds: twoDecimals(
        started.reduce((sum, { start, end }) => sum + end - start, 0) / 1_000,
        started.length,
      ),
    }
  }

  /** docs/metrics.md "Attribution of money", for visitors that are known before their payments are. */
  const sessionOf = ({ visitor, at }: Payment) => {
    const before = sessions.filter(session => session.visitor === visitor && session.start <= at)
    return before.at(-1)
  }

  const paymentsOf = (range: Range, filter: Filter = {}, end?: number) => {
    const { paying } = select(range, filter)
    const isFiltered = Object.keys(filter).length > 0
    return payments.filter(payment => {
      const session = sessionOf(payment)
      return (
        within(payment.at, range, end) && (!isFiltered || (session !== undefined && paying.includes(session)))
      )
    })
  }
  const revenueOf = (paid: readonly Payment[]) =>
    paid.reduce((sum, { amount, refunded }) => sum + (refunded ? 0 : amount), 0)

  function groups<T>(items: readonly T[], keys: (item: T) => readonly string[]): Map<string, T[]> {
    const all = new Map<string, T[]>()
    for (const item of items) {
      for (const key of new Set(keys(item))) all.set(key, [...(all.get(key) ?? []), item])
    }
    return all
  }

  return {
    sessions,
    dateOf,
    overview: (range: Range, filter?: Filter, end?: number) => {
      const { hits, sessions: started } = select(range, filter, end)
      const custom = hits.filter(({ hit }) => hit.kind === 'event' && hit.name !== 'error')
      return { ...traffic(hits, started), custom_events: custom.length }
    },
    money: (range: Range, filter?: Filter) => {
      const paid = paymentsOf(range, filter)
      const kept = paid.filter(({ refunded }) => !refunded)
      const first = (payment: Payment) =>
        payments.every(other => other.customer !== payment.customer || other.at >= payment.at)
      return {
        revenue: revenueOf(paid),
        payments: kept.length,
        paying_customers: new Set(kept.map(({ customer }) => customer)).size,
        new_customers: paid.filter(first).length,
      }
    },
    revenueBy: (range: Range, key: keyof Origin['is']) =>
      [...groups(paymentsOf(range), payment => [sessionOf(payment)?.is[key] || '(none)'])].map(
        ([value, paid]) => ({ value, revenue: revenueOf(paid) }),
      ),
    /** A metric by day. */
    series: (range: Range, metric: keyof ReturnType<typeof traffic> | 'revenue', filter?: Filter) =>
      datesOf(range).map(date => {
        const { hits, sessions: started } = select(range, filter)
        return metric === 'revenue'
          ? revenueOf(paymentsOf(range, filter).filter(({ at }) => dateOf(at) === date))
          : traffic(
              hits.filter(({ hit }) => dateOf(hit.at) === date),
              started.filter(({ start }) => dateOf(start) === date),
            )[metric]
      }),
    /** Visitors by clock hour of a zone whose offset is `offset` minutes within the hour. */
    hours: (range: Range, offset: number) => {
      const { hits } = select(range)
      const hour = (at: number) => Math.floor((at + offset * MINUTE) / (60 * MINUTE))
      const all = new Map<number, Set<string>>()
      // Every quarter of an hour of the range, to find its hours.
      for (
        let at = Date.parse(range.from) - 840 * MINUTE;
        at < Date.parse(range.to) + 2_400 * MINUTE;
        at += 15 * MINUTE
      ) {
        if (within(at, range)) all.set(hour(at), new Set())
      }
      for (const { hit } of hits) all.get(hour(hit.at))!.add(hit.visitor)
      return [...all.values()].map(({ size }) => size)
    },
    /** Rows of a breakdown, in the order of the service: visitors, sessions, value. */
    breakdown: (range: Range, dimension: 'path' | keyof Origin['is'], filter?: Filter) => {
      const { hits, sessions: started } = select(range, filter)
      const isPath = dimension === 'path'
      const byHit = groups(hits, ({ hit, session }) => [
        (isPath ? hit.path! : session.is[dimension]) || '(none)',
      ])
      const bySession = groups(started, session =>
        isPath
          ? session.hits
              .filter(hit => isHit(hit) && dateOf(hit.at) >= range.from)
              .filter(
                hit => filter?.path === undefined || (hit.path === filter.path && within(hit.at, range)),
              )
              .map(hit => hit.path || '(none)')
          : [session.is[dimension] || '(none)'],
      )
      const values = new Set([...byHit.keys(), ...bySession.keys()])
      return [...values]
        .map(value => ({ value, ...traffic(byHit.get(value) ?? [], bySession.get(value) ?? []) }))
        .sort(
          (a, b) =>
            b.visitors - a.visitors ||
            b.sessions - a.sessions ||
            Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)),
        )
    },
    goal: (range: Range, goal: Goal, filter?: Filter) => {
      const { hits } = select(range, filter)
      const { paying } = select(range, filter)
      const converting = paying.flatMap(session =>
        session.hits
          .filter(hit => within(hit.at, range) && goal.converts(hit, session))
          .map(hit => hit.visitor),
      )
      const visitors = new Set(converting).size
      return {
        display_name: goal.name,
        conversions: converting.length,
        visitors,
        conversion_rate: oneDecimal(100 * visitors, new Set(hits.map(({ hit }) => hit.visitor)).size),
      }
    },
    /** Visits of a visitor in a range, newest first. */
    visits: (range: Range, visitor: string) =>
      sessions.filter(session => session.visitor === visitor && within(session.start, range)).reverse(),
  }
}
