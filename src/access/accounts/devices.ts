import Bowser from 'bowser'
import { z } from 'zod'
import type { Queryable } from '../../platform/db/connect.ts'
import { flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { listSessions } from './sessions.ts'

export const DeviceInfo = z
  .object({
    id: uuid('Id of the session.'),
    browser: label('Name of the browser; empty when it is not known.', 'Firefox'),
    system: label('Name of the operating system; empty when it is not known.', 'macOS'),
    network: label('Network of the client, not its address.', '192.0.2.0/24'),
    is_current: flag('It is the session of this request.', true),
    created_at: timestamp('When it began.'),
    last_used_at: timestamp('When it was last used, to five minutes.'),
    expires_at: timestamp('When it ends unless it is used.'),
  })
  .meta({ id: 'Device' })
export type DeviceInfo = z.infer<typeof DeviceInfo>

/** Returns the sessions of a login, last used first. */
export async function listDevices(
  db: Queryable,
  { loginId, sessionId }: { loginId: string; sessionId: string },
  now: Date,
): Promise<DeviceInfo[]> {
  const sessions = await listSessions(db, { loginId, now })
  return sessions.map(({ id, userAgent, network, createdAt, lastUsedAt, expiresAt }) => ({
    id,
    ...namesOf(userAgent),
    network,
    is_current: id === sessionId,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }))
}

/** Returns the names of browser and system; empty where they are not known. */
export function namesOf(userAgent: string): { browser: string; system: string } {
  // The parser throws for an empty text.
  if (userAgent === '') return { browser: '', system: '' }
  const { browser, os } = Bowser.parse(userAgent)
  return { browser: browser.name ?? '', system: os.name ?? '' }
}
