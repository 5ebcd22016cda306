import { toMajorUnits } from '../../../ingestion/edge/reported.ts'
import { fieldOf, SESSION_ATTRIBUTES } from '../../../platform/dimensions/dimensions.ts'
import { sessionIdOf } from '../../../stats/sessions/session-id.ts'
import type { IdentityRow } from './read-identities.ts'
import type { ExportedHit, ExportedSession, ExportedVitals } from './rows.ts'

// Lines are put together as text: serializing an object for each line took twice the time. `docs/import.md` describes them.

const ENDPOINT_OF: Partial<Record<ExportedHit['type'], string>> = {
  pageview: 'collect',
  engagement: 'engage',
  identify: 'identify',
}

const quote = JSON.stringify as (value: string) => string
const time = (at: Date): string => `"${at.toISOString()}"`

/** Returns `,"name":json`, or nothing without a value. */
const field = (name: string, json: string | undefined): string =>
  json === undefined ? '' : `,"${name}":${json}`
const textField = (name: string, value: string | null): string => (value ? `,"${name}":${quote(value)}` : '')
const numberField = (name: string, value: number | null): string =>
  value === null ? '' : `,"${name}":${value}`
const timeField = (name: string, value: Date | null): string => (value ? `,"${name}":${time(value)}` : '')

/** Returns the line of a hit. */
export function lineOfHit(hit: ExportedHit): string {
  const stored =
    `{"id":"${hit.id}"${timeField('first_seen_at', hit.firstSeenAt)}${timeField('page_at', hit.pageAt)}` +
    `${field('pending', hit.pending ?? undefined)}${textField('error_group', hit.errorGroup)}` +
    `${textField('error_id', hit.errorId)}${field('session', hit.session && sessionOf(hit.session))}}`
  return line(ENDPOINT_OF[hit.type] ?? 'event', hit.at, bodyOf(hit), stored)
}

/** Returns the line of a report of web vitals, with the time at which it was received. */
export function lineOfVitals(report: ExportedVitals): string {
  const { session } = report
  const body =
    `${senderOf(session.visitorId, report.hostname)},"url":{"path":${quote(report.path)}},"id":"${report.id}"` +
    numberField('lcp', report.lcp) +
    numberField('inp', report.inp) +
    numberField('cls', report.cls === null ? null : report.cls / 10_000) +
    numberField('fcp', report.fcp) +
    numberField('ttfb', report.ttfb) +
    field('attribution', JSON.stringify(attributionOf(report)))
  const stored =
    `{"id":"${report.receivedId}","page_at":${time(report.at)}` +
    `${timeField('first_seen_at', session.firstSeenAt)},"session":${sessionOf(session)}}`
  return line('web-vitals', report.receivedAt, body, stored)
}

/** Returns the line of what is known of a user. */
export function lineOfIdentity({ identifier, name, avatar, custom, updatedAt }: IdentityRow): string {
  const body =
    `"identifier":${quote(identifier)}${textField('name', name)}${textField('avatar', avatar)}` +
    field('custom', custom ?? undefined)
  return `{"endpoint":"identity","timestamp":${time(updatedAt)},"body":{${body}}}\n`
}

const line = (endpoint: string, at: Date, body: string, stored: string): string =>
  `{"endpoint":"${endpoint}","timestamp":${time(at)},"body":{${body}},"stored":${stored}}\n`

const senderOf = (visitorId: string, hostname: string): string =>
  `"visitor_id":"${visitorId}","hostname":${quote(hostname)}`

function bodyOf(hit: ExportedHit): string {
  const sender = senderOf(hit.visitorId, hit.hostname)
  if (hit.type === 'identify') return sender
  // Engagement has the title of its pageview.
  const title = hit.type === 'engagement' ? '' : textField('title', hit.title)
  const page = hit.url ? `,"url":{"path":${quote(hit.url)}${title}}` : titleAlone(hit)
  if (hit.type === 'engagement') {
    return `${sender}${page}${numberField('sd', hit.scroll)}${numberField('time', hit.engagedMs)}`
  }
  const properties = field('properties', hit.props ?? undefined)
  if (hit.type === 'pageview') return sender + page + properties
  const name = hit.type === 'error' ? 'error' : hit.name
  return `${sender},"name":${quote(name)}${page}${properties}${revenueOf(hit)}${errorOf(hit)}`
}

/** An event may have a title without a page. */
const titleAlone = ({ title }: ExportedHit): string => (title ? `,"url":{"title":${quote(title)}}` : '')

const revenueOf = ({ revenueMinor, revenueCurrency }: ExportedHit): string =>
  revenueMinor === null || revenueCurrency === null
    ? ''
    : `,"revenue":{"amount":${toMajorUnits(revenueMinor, revenueCurrency)},"currency":${quote(revenueCurrency)}}`

function errorOf(hit: ExportedHit): string {
  if (hit.type !== 'error') return ''
  const error = {
    name: hit.name,
    message: hit.errorMessage,
    stack: hit.errorStack,
    file_name: hit.errorFile,
    line_number: hit.errorLine,
    column_number: hit.errorColumn,
  }
  return field('error', JSON.stringify(error))
}

const part = (target: string | undefined, phase: string | undefined) =>
  target || phase ? { target: target || undefined, phase: phase || undefined } : undefined

function attributionOf(report: ExportedVitals): object | undefined {
  const lcp = part(report.lcpTarget, report.lcpPhase)
  const inp = part(report.inpTarget, report.inpPhase)
  const cls = part(report.clsTarget, undefined)
  const fcp = part(undefined, report.fcpPhase)
  const ttfb = part(undefined, report.ttfbPhase)
  return lcp || inp || cls || fcp || ttfb ? { lcp, inp, cls, fcp, ttfb } : undefined
}

const ATTRIBUTES = SESSION_ATTRIBUTES.map(name => [name, fieldOf(name)] as const)

/** Sessions have several hits: their text is kept as long as they are. */
const texts = new WeakMap<ExportedSession, string>()

function sessionOf(session: ExportedSession): string {
  const known = texts.get(session)
  if (known !== undefined) return known
  const text =
    `{"id":"${sessionIdOf(session)}","started_at":${time(session.startedAt)},"first_at":${time(session.firstAt)},` +
    `"last_at":${time(session.lastAt)},"pageviews":${session.pageviews},"events":${session.events},` +
    `"visit_count":${session.visitCount}${textField('user_id', session.userId)}` +
    `${timeField('user_since', session.userSince)}${textField('exit_path', session.exitPath)}` +
    `${ATTRIBUTES.map(([name, key]) => textField(name, session[key])).join('')}}`
  texts.set(session, text)
  return text
}
