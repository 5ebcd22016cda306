import type { Config } from '../../platform/config/config.ts'
import type { Section } from '../../platform/dimensions/sections.ts'
import { label, timestamp } from '../../platform/schema/fields.ts'
import { identityPictureUrl } from '../identity/identity-pictures.ts'
import { nicknameOf } from '../identity/nickname.ts'
import type { StatsSite } from '../query-context.ts'
import { sessionIdOf } from '../sessions/session-id.ts'
import { type Grant, mayShow } from '../sharing/grant.ts'

const HIDDEN = 'null for readers without the section `people`'

/**
 * Fields of the event log and of the error log for the page and the visitor of an event. For readers of a share, those of sections that it
 * does not have are empty.
 */
export const actorFields = {
  timestamp: timestamp('When it happened.'),
  path: label('Path of the page.', '/pricing'),
  url: label(
    'URL of the page, with its query; without it for readers without the section `people`.',
    'https://example.com/pricing?utm_source=newsletter',
  ),
  title: label('Title of the page.', 'Pricing'),
  hostname: label('Host of the page.', 'example.com'),
  user_id: label(`Identified user; empty when anonymous, ${HIDDEN}.`, 'user-42').nullable(),
  visitor_id: label(
    `Anonymous visitor; empty for what nobody known did, ${HIDDEN}.`,
    '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90',
  ).nullable(),
  session_id: label(
    `Its session, as \`GET /stats/sessions/{session}\` names it; empty where an event of the service has none, ${HIDDEN}.`,
    '1hnzvs6o0-3f',
  ).nullable(),
  display_name: label(
    `Name of the user, else a nickname made of the visitor id; ${HIDDEN}.`,
    'Ada Lovelace',
  ).nullable(),
  avatar_url: label(
    `Picture of the user, else one made of the visitor id; always served by the service; ${HIDDEN}.`,
    'http://127.0.0.1:3000/avatars/0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.svg',
  ).nullable(),
  country: label('ISO 3166-1 alpha-2; empty when unknown.', 'DE'),
  device: label('`desktop`, `mobile` or `tablet`.', 'desktop'),
  browser: label('Browser; empty when unknown.', 'Firefox'),
  os: label('Operating system; empty when unknown.', 'Linux'),
}

export interface Actor {
  at: Date
  path: string
  /** `url.path`, unchanged. */
  url: string
  title: string
  hostname: string
  /** Null for an event that the service wrote without a known visitor. */
  visitorId: string | null
  /** The session it belongs to, or with which the service wrote it; null without one, and where that is gone. */
  sessionStartedAt: Date | null
  sessionNo: number | null
  userId: string
  userName: string | null
  userAvatar: string | null
  country: string
  size: string
  browser: string
  os: string
}

export interface ActorServices {
  config: Pick<Config, 'baseUrl' | 'secretKey'>
  grant: Grant | null
}

export type ActorSite = Pick<StatsSite, 'siteNo' | 'detailsFrom'>

/**
 * Returns the API fields. Identified users have their own name and picture; others get both generated from their id. The query of a
 * URL often has what names a person, such as an address or a code.
 */
export function presentActor(row: Actor, site: ActorSite, { config, grant }: ActorServices) {
  const only = (section: Section, text: string) => (mayShow(grant, section) ? text : '')
  return {
    timestamp: row.at.toISOString(),
    path: only('pages', row.path),
    url: only('pages', mayShow(grant, 'people') ? urlOf(row) : withoutQuery(urlOf(row))),
    title: only('pages', row.title),
    hostname: only('pages', row.hostname),
    ...(mayShow(grant, 'people')
      ? { ...personOf(row, site.siteNo, config), session_id: sessionOf(row, site) }
      : NO_PERSON),
    country: only('locations', row.country),
    device: only('devices', row.size),
    browser: only('devices', row.browser),
    os: only('devices', row.os),
  }
}

const NO_PERSON = { user_id: null, visitor_id: null, session_id: null, display_name: null, avatar_url: null }

/** Sessions before `detailsFrom` are on their way out: none of them can be read. */
function sessionOf({ sessionStartedAt: startedAt, sessionNo }: Actor, { detailsFrom }: ActorSite): string {
  if (startedAt === null || sessionNo === null || (detailsFrom && startedAt < detailsFrom)) return ''
  return sessionIdOf({ startedAt, sessionNo })
}

/** Who a visitor is, as answers show it. */
export function personOf(
  row: Pick<Actor, 'visitorId' | 'userId' | 'userName' | 'userAvatar'>,
  siteNo: number,
  config: ActorServices['config'],
) {
  const id = row.visitorId ?? ''
  return {
    user_id: row.userId,
    visitor_id: id,
    display_name: row.userName || (id && nicknameOf(id)),
    avatar_url: id && avatarUrl(row, id, siteNo, config),
  }
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')

function avatarUrl(
  { userId, userAvatar }: Pick<Actor, 'userId' | 'userAvatar'>,
  visitorId: string,
  siteNo: number,
  config: Pick<Config, 'baseUrl' | 'secretKey'>,
) {
  if (!userAvatar) return `${config.baseUrl}/avatars/${visitorId}.svg`
  return identityPictureUrl(config, { visitorId, siteNo, identifier: userId, avatar: userAvatar })
}

/** `https://` + hostname + path as sent; if the path is a full URL, that URL. */
export function urlOf({ hostname, url }: Pick<Actor, 'hostname' | 'url'>): string {
  if (/^https?:\/\//i.test(url)) return url
  if (hostname === '') return url
  return `https://${hostname}${url === '' || url.startsWith('/') ? '' : '/'}${url}`
}
