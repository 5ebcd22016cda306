import type { Db } from '../../../../src/platform/db/connect.ts'
import type { TableName } from '../../../../src/platform/db/tables.ts'
import type { Stats, StatsSite } from '../../../contract/stats-site.ts'

/** A read: its path below the site, where `{session}`, `{error}` and `{person}` stand for names, and its query. */
export interface Read {
  path: string
  input: object
}

/** Fields that name something of one database, carry its address, or say which of its tables were read. */
const OWN = new Set(['session_id', 'next_cursor', 'links', 'avatar_url', 'sources'])

/** Events of one moment are in the order of their ids. */
const inOrder = (list: unknown[]) =>
  list.every(each => typeof each === 'object' && each !== null && 'event_name' in each)
    ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : list

function comparable(value: unknown, isOwn: (name: string) => boolean, order: typeof inOrder): unknown {
  if (Array.isArray(value)) return order(value.map(each => comparable(each, isOwn, order)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name]) => !isOwn(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field, isOwn, order)]))
}

const queryOf = (input: object): string =>
  new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/**
 * Returns the answers of reads of a site by path.
 * @param example a visitor, and a range in which the visitor has a session
 * @param options fields that are left out, and the order of lists
 */
export async function answersOf(
  stats: Pick<Stats, 'read'>,
  site: StatsSite,
  reads: readonly Read[],
  { person, range }: { person: string; range: string },
  { own = OWN, order = inOrder }: { own?: Set<string>; order?: typeof inOrder } = {},
) {
  const sessions = await stats.read(site, `/stats/sessions?visitor_id=${person}&${range}`)
  const errors = await stats.read(site, `/stats/errors?${range}`)
  const [session, error] = [sessions.data[0].session_id, errors.data[0].id]
  const names: Record<string, string> = { session, error, person }
  const answers: Record<string, unknown> = {}
  for (const { path, input } of reads) {
    const query = queryOf(input)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name]!)
    const answer = await stats.read(site, `${filled}?${query}`)
    // An explained number has ids of sessions.
    const isOwn = (name: string) => own.has(name) || (name === 'id' && path === '/explain')
    answers[`${path}?${query}`] = comparable(answer, isOwn, order)
  }
  return answers
}

/** Tables whose rows an archive restores exactly. */
const EXACT: TableName[] = [
  ...(['visitors', 'identities', 'error_groups', 'imports', 'customers', 'mrr_changes'] as const),
  ...(['processor_facts', 'lifecycle_events', 'subscriptions', 'awaiting_visitors'] as const),
  ...(['price_dependents', 'payment_aliases', 'payments'] as const),
]

/** Rows that an archive restores exactly, as sorted texts without the numbers that a database gives. */
export async function exactRows(db: Db, { id }: StatsSite) {
  const rows: Record<string, string[]> = {}
  for (const table of EXACT) {
    const found = await db.unsafe<{ row: Record<string, unknown> }[]>(
      `select to_jsonb(t) as row from ${table} as t where site_no = (select site_no from sites where id = $1)`,
      [id],
    )
    const own = found.map(({ row: { site_no, visitor_no, first_visitor_no, first_session_no, ...rest } }) =>
      table === 'awaiting_visitors' && rest.target === 'events' ? { ...rest, id: null } : rest,
    )
    rows[table] = own.map(row => JSON.stringify(row)).sort()
  }
  return rows
}
