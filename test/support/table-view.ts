import { HIT_DIMENSIONS, SESSION_DIMENSIONS, type View } from '../../src/storage/columns/block.ts'
import { buildBlock, type Numbering } from '../../src/storage/columns/build-block.ts'
import { noVitals } from '../../src/storage/columns/build-vitals.ts'
import { NO_MONEY } from '../../src/storage/columns/read-money.ts'
import { SiteTexts } from '../../src/storage/columns/texts.ts'
import { VisitorNumbers } from '../../src/storage/columns/visitor-numbers.ts'

/** A session of a table test; its start is the time of its first hit. Other fields are dimensions. */
export interface TableSession {
  no: number
  visitor: number
  country?: string
  source?: string
  user_id?: string
  hits: TableHit[]
  /** Whether the hits are events that the service wrote, and this is a copy of their session. */
  isService?: boolean
}

interface TableHit {
  at: number
  type?: string
  event_name?: string
  path?: string
}

/** Returns columns of sessions: those with `isService` are a block of their own. */
export function tableView(sessions: TableSession[]): View {
  const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  const blocks = [false, true].map(isService =>
    blockOf(
      numbering,
      sessions.filter(session => (session.isService ?? false) === isService),
      isService,
    ),
  )
  return { blocks, money: NO_MONEY, ...numbering }
}

const textsOf = (row: object, names: readonly string[]) =>
  names.map(name => String((row as Record<string, unknown>)[name] ?? ''))

const transposed = (rows: string[][], names: readonly string[]) =>
  names.map((_, index) => rows.map(row => row[index]!))

function blockOf(numbering: Numbering, sessions: TableSession[], isService: boolean) {
  const hits = sessions
    .flatMap(({ no, hits }) => hits.map(hit => ({ no, ...hit })))
    .toSorted((a, b) => a.at - b.at)
  const none = hits.map(() => null)
  const starts = sessions.map(session => session.hits[0]!.at)
  const ends = sessions.map(session => session.hits.at(-1)!.at)
  const countOf = (isCounted: (type: string) => boolean) =>
    sessions.map(session => session.hits.filter(({ type = 'pageview' }) => isCounted(type)).length)
  return buildBlock(
    numbering,
    {
      sessions: {
        sessionNos: sessions.map(({ no }) => no),
        visitorNos: sessions.map(({ visitor }) => visitor),
        recognized: sessions.map(() => false),
        startedAt: starts,
        firstAt: starts,
        lastAt: ends,
        durationMs: ends.map((end, index) => end - starts[index]!),
        pageviews: countOf(type => type === 'pageview'),
        events: countOf(type => type !== 'pageview' && type !== 'engagement'),
        values: transposed(
          sessions.map(session => textsOf(session, SESSION_DIMENSIONS)),
          SESSION_DIMENSIONS,
        ),
      },
      hits: {
        sessionNos: hits.map(({ no }) => no),
        at: hits.map(({ at }) => at),
        types: hits.map(({ type = 'pageview' }) => type),
        values: transposed(
          hits.map(hit => textsOf(hit, HIT_DIMENSIONS)),
          HIT_DIMENSIONS,
        ),
        ...{ pageAt: none, scroll: none, engagedMs: none, revenue: none, currencies: none, errors: none },
        properties: none,
      },
      vitals: noVitals(),
    },
    isService,
  )
}
