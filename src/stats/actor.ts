import { z } from 'zod'
import { nicknameOf } from './nickname.ts'

/** What the log of events and that of an error say of where something happened and whose doing it was. */
export const actorFields = {
  timestamp: z.string(),
  path: z.string(),
  url: z.string(),
  title: z.string(),
  hostname: z.string(),
  user_id: z.string(),
  visitor_id: z.string(),
  display_name: z.string(),
  avatar_url: z.string(),
  country: z.string(),
  device: z.string(),
  browser: z.string(),
  os: z.string(),
}

export interface Actor {
  at: Date
  path: string
  /** `url.path` as sent. */
  url: string
  title: string
  hostname: string
  /** Null for what the service wrote of somebody who is not known. */
  visitorId: string | null
  userId: string
  userName: string | null
  userAvatar: string | null
  country: string
  size: string
  browser: string
  os: string
}

/** Somebody who was identified has the name and picture that were given, everybody else what their id makes. */
export function presentActor(row: Actor, baseUrl: string) {
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
    avatar_url: row.userAvatar || (id && avatarUrl(id, baseUrl)),
    country: row.country,
    device: row.size,
    browser: row.browser,
    os: row.os,
  }
}

const avatarUrl = (visitorId: string, baseUrl: string) => `${baseUrl}/avatars/${visitorId}.svg`

/** `https://` + hostname + path as sent; a sender that put the whole URL there gets it back. */
function urlOf({ hostname, url }: Actor): string {
  if (/^https?:\/\//i.test(url)) return url
  if (hostname === '') return url
  return `https://${hostname}${url === '' || url.startsWith('/') ? '' : '/'}${url}`
}
