import { z } from 'zod'

/** Where the database is: one server, or several; one of them takes writes. */
export interface DatabaseAddress {
  /** A URL for each server. */
  urls: string[]
  /** Whether PgBouncer stands in front of the servers: it gives each transaction another session. */
  isPgBouncer: boolean
}

const ALLOWED =
  'a URL such as postgres://user:password@127.0.0.1:5432/analytics, or with several hosts: postgres://user:password@a,b:5433/analytics?target_session_attrs=read-write, and &pgbouncer=true where PgBouncer stands in front'
const SEVERAL_ALLOWED = 'URLs such as postgres://user:password@replica:5432/analytics, separated by commas'

const URL_PARTS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<login>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/s

/** Schema of the setting `DATABASE_URL`. */
export const databaseUrl = z.string().refine(value => parseDatabaseUrl(value) !== undefined, ALLOWED)

/** Schema of the setting `DATABASE_READ_URLS`: a list of URLs with one host each. */
export const databaseReadUrls = z.string().transform((value, context) => {
  const urls = value.split(/,(?=postgres(?:ql)?:)/).map(url => url.trim())
  if (urls.every(url => parseDatabaseUrl(url)?.urls.length === 1)) return urls
  context.addIssue({ code: 'custom', message: SEVERAL_ALLOWED })
  return z.NEVER
})

/**
 * Reads a `DATABASE_URL`. As libpq does, it takes several hosts, with `target_session_attrs=read-write`: connections go to the one that
 * takes writes. Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 * @throws Error that says what is allowed
 */
export function databaseAddress(value: string): DatabaseAddress {
  const address = parseDatabaseUrl(value)
  if (!address) throw new Error(`DATABASE_URL is (hidden); allowed is ${ALLOWED}`)
  return address
}

function parseDatabaseUrl(value: string): DatabaseAddress | undefined {
  const { scheme, login = '', hosts, rest } = URL_PARTS.exec(value)?.groups ?? {}
  if (hosts === undefined) return undefined
  const urls = hosts.split(',').map(host => `${scheme}${login}${host}${rest}`)
  if (!urls.every(url => URL.canParse(url)) || (urls.length > 1 && hosts.split(',').includes('')))
    return undefined
  const { searchParams } = new URL(urls[0]!)
  const wanted = searchParams.get('target_session_attrs')
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary') return undefined
  const pgbouncer = searchParams.get('pgbouncer')
  if (pgbouncer !== null && pgbouncer !== 'true') return undefined
  return { urls: urls.map(withoutOwnParameters), isPgBouncer: pgbouncer !== null }
}

const OWN_PARAMETERS = ['target_session_attrs', 'pgbouncer']

/** The driver would send the parameters to the server, which knows none of these names. */
function withoutOwnParameters(url: string): string {
  const parsed = new URL(url)
  if (!OWN_PARAMETERS.some(name => parsed.searchParams.has(name))) return url
  for (const name of OWN_PARAMETERS) parsed.searchParams.delete(name)
  return parsed.href
}
