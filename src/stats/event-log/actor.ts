import type { Config } from '../../config.ts'
import { label, timestamp } from '../../schema/fields.ts'
import { identityPictureUrl } from '../identity/identity-pictures.ts'
import { nicknameOf } from '../identity/nickname.ts'

/** Fields of the event log and of the error log for the page and the visitor of an event. */
export const actorFields = {
  timestamp: timestamp('When it happened.'),
  path: label('Path of the page.', '/pricing'),
  url: label('URL of the page, with its query.', 'https://example.com/pricing?utm_source=newsletter'),
  title: label('Title of the page.', 'Pricing'),
  hostname: label('Host of the page.', 'example.com'),
  user_id: label('Identified user; empty when anonymous.', 'user-42'),
  visitor_id: label(
    'Anonymous visitor; empty for what nobody known did.',
    '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90',
  ),
  display_name: label('Name of the user, else a nickname made of the visitor id.', 'Ada Lovelace'),
  avatar_url: label(
    'Picture of the user, else one made of the visitor id; always served by the service.',
    'http://127.0.0.1:3000/avatars/0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.svg',
  ),
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
  userId: string
  userName: string | null
  userAvatar: string | null
  country: string
  size: string
  browser: string
  os: string
}

/** Returns the API fields. Identified users have their own name and picture; others get both generated from their id. */
export function presentActor(row: Actor, siteNo: number, config: Pick<Config, 'baseUrl' | 'secretKey'>) {
  const id = row.visitorId ?? ''
  return {
    timestamp: row.at.toISOString(),
    path: row.path,
    url: urlOf(row),
    title: row.title,
    hostname: row.hostname,
    user_id: row.userId,
    visitor_id: id,
    display_name: row.userName || (id && nicknameOf(id)),
    avatar_url: id && avatarUrl(row, id, siteNo, config),
    country: row.country,
    device: row.size,
    browser: row.browser,
    os: row.os,
  }
}

function avatarUrl(
  { userId, userAvatar }: Actor,
  visitorId: string,
  siteNo: number,
  config: Pick<Config, 'baseUrl' | 'secretKey'>,
) {
  if (!userAvatar) return `${config.baseUrl}/avatars/${visitorId}.svg`
  return identityPictureUrl(config, { visitorId, siteNo, identifier: userId, avatar: userAvatar })
}

/** `https://` + hostname + path as sent; if the path is a full URL, that URL. */
function urlOf({ hostname, url }: Actor): string {
  if (/^https?:\/\//i.test(url)) return url
  if (hostname === '') return url
  return `https://${hostname}${url === '' || url.startsWith('/') ? '' : '/'}${url}`
}
