import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { endSessionOfSecret } from './begin-session.ts'
import type { PersonRequest } from './change-login.ts'
import { hashSecret, isSecret } from './secrets.ts'
import { endSessions } from './sessions.ts'

type Parts = Pick<Services, 'db' | 'now'>

/** Ends the session of the request's cookie, if it has one, and removes the cookie. */
export async function signOut(
  request: Parts & { sessionCookie: string | undefined } & Omit<PersonRequest, 'person'>,
): Promise<void> {
  const { db, now, sessionCookie, auditNetwork: network, setSessionCookie } = request
  if (sessionCookie !== undefined && isSecret(sessionCookie)) {
    await db.begin(async tx => {
      const [ended] = await endSessionOfSecret(tx, { hash: hashSecret(sessionCookie) })
      if (!ended) return
      const { loginId, email: name } = ended
      await recordLoginEntry(tx, { action: 'login.end', loginId, name, network }, now())
    })
  }
  if (sessionCookie !== undefined) setSessionCookie(null)
}

/** Ends one session of the person; their own request's, too. @throws AppError `not_found` */
export async function endDevice(request: Parts & PersonRequest, id: string): Promise<void> {
  const { db, now, person, auditNetwork: network, setSessionCookie } = request
  const { loginId, email: name, sessionId } = person
  await db.begin(async tx => {
    const ended = await endSessions(tx, { loginId, id, exceptId: null })
    if (ended.length === 0) throw new AppError('not_found', 'No such session')
    await recordLoginEntry(tx, { action: 'login.end', loginId, name, network }, now())
  })
  if (id === sessionId) setSessionCookie(null)
}

/** Ends all sessions of the person, that of the request included. */
export async function endAllDevices(request: Parts & PersonRequest): Promise<void> {
  const { db, now, person, auditNetwork: network, setSessionCookie } = request
  const { loginId, email: name } = person
  await db.begin(async tx => {
    const ended = await endSessions(tx, { loginId, id: null, exceptId: null })
    const details = { sessions: ended.length }
    await recordLoginEntry(tx, { action: 'login.end_all', loginId, name, network, details }, now())
  })
  setSessionCookie(null)
}
