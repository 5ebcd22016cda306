import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import type { AuditAction, AuditEntry } from '../audit/audit.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import type { Notice } from './notices/notice-texts.ts'
import { tellLogin } from './notices/notices.ts'
import { renewSession } from './sessions.ts'

/** A request of a signed-in person. */
export interface PersonRequest {
  person: { loginId: string; email: string; sessionId: string; authenticatedAt: Date }
  /** Network that the audit log may show. */
  auditNetwork: string
  userAgent: string
  setSessionCookie: (secret: string | null) => void
}

const lockOwnLogin = query<{ id: string }, { id: string }>(
  'lock-own-login',
  'select id from logins where id = :id and disabled_at is null for no key update',
)

/**
 * Changes the person's own login in a transaction, records it, tells the person, and gives their session a new secret; the old one ends at once.
 * Changes of the same login run one after the other. Call `requireProof` before.
 * @throws AppError `unauthenticated` when the session has ended meanwhile: then nothing changes
 */
export async function changeLogin<Result>(
  services: Pick<Services, 'db' | 'config' | 'now'>,
  { person, auditNetwork, userAgent, setSessionCookie }: PersonRequest,
  { action, details, notice }: { action: AuditAction; details?: AuditEntry['details']; notice?: Notice },
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { db, now } = services
  const { loginId, email, sessionId } = person
  const { result, secret } = await db.begin(async tx => {
    const [login] = await lockOwnLogin(tx, { id: loginId })
    const secret = login && (await renewSession(tx, sessionId, now(), { endsOldSecret: true }))
    if (secret === undefined) throw new AppError('unauthenticated', 'The session has ended: sign in again')
    const result = await change(tx)
    const entry = { action, loginId, name: email, network: auditNetwork, ...(details && { details }) }
    await recordLoginEntry(tx, entry, now())
    const origin = { userAgent, network: auditNetwork }
    if (notice) await tellLogin(tx, services, loginId, { notice, origin })
    return { result, secret }
  })
  setSessionCookie(secret)
  return result
}
