import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'

/** Everything that is recorded. The part before the dot is the kind of object. */
export const AUDIT_ACTIONS = [
  'login.success',
  'login.failure',
  'login.prove',
  'login.setup',
  'login.reset_request',
  'login.reset',
  'login.end',
  'login.end_all',
  'login.change',
  'login.address_request',
  'password.change',
  'totp.add',
  'totp.remove',
  'recovery_codes.renew',
  'passkey.add',
  'passkey.remove',
  'single_sign_on.link',
  'single_sign_on.unlink',
  'team.create',
  'team.rename',
  'team.delete',
  'user.join',
  'user.change',
  'user.remove',
  'user.leave',
  'team.transfer',
  'invitation.create',
  'invitation.resend',
  'invitation.revoke',
  'token.create',
  'token.rename',
  'token.revoke',
  'site.create',
  'site.change',
  'site.delete',
  'site.export',
  'goal.delete',
  'funnel.create',
  'funnel.change',
  'funnel.delete',
  'identify_secret.renew',
  'identify_secret.remove',
  'share.create',
  'share.change',
  'share.revoke',
  'segment.create',
  'segment.change',
  'segment.delete',
  'annotation.create',
  'annotation.change',
  'annotation.delete',
  'report.add',
  'report.change',
  'report.remove',
  'report.confirm',
  'report.unsubscribe',
  'processor.connect',
  'processor.disconnect',
  'payment.delete',
  'replay.delete',
  'person.erase',
  'person.export',
  'history.delete',
  'totals.undo',
  'webhook.create',
  'webhook.change',
  'webhook.delete',
  'webhook.rotate',
  'webhook.test',
  'webhook.redeliver',
  'alert.create',
  'alert.change',
  'alert.delete',
  'alert.test',
  'import.create',
  'import.start',
  'import.cancel',
  'import.undo',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Who does something, as the log names them. */
export interface AuditActor {
  /** Team in whose log the entry stands; null for none. */
  teamId: string | null
  loginId: string | null
  userId: string | null
  tokenId: string | null
  /** E-mail address, or the name of a token; readable after both are gone. */
  name: string
  /** Network of the client address (`auditNetwork`). */
  network: string
}

export interface AuditEntry {
  action: AuditAction
  object?: { type: string; id: string }
  /** Never holds a password, secret, code or client address. */
  details?: Record<string, string | number | boolean | null | string[]>
  /** Team in whose log it stands, when that is not the actor's team; null for none. */
  teamId?: string | null
}

/**
 * Writes one entry about the caller of the request. Call it in the transaction of the change, so that both exist or neither.
 */
export type Audit = (db: Queryable, entry: AuditEntry) => Promise<void>

interface NewEntry extends Omit<AuditActor, 'name'> {
  at: Date
  actor: string
  action: string
  objectType: string | null
  objectId: string | null
  details: string
}

const insertEntry = query<NewEntry>(
  'record-audit-entry',
  `insert into audit_log (at, team_id, action, login_id, user_id, token_id, actor, network, object_type, object_id, details)
  values (
    :at, :teamId, :action, :loginId, :userId, :tokenId, :actor, :network, :objectType, :objectId, (:details::text)::jsonb
  )`,
)

/** Returns the function that writes entries about this actor. */
export function auditOf({ name, ...actor }: AuditActor, now: () => Date): Audit {
  return async (db, { action, object, details = {}, teamId = actor.teamId }) => {
    await insertEntry(db, {
      ...actor,
      teamId,
      actor: name,
      at: now(),
      action,
      objectType: object?.type ?? null,
      objectId: object?.id ?? null,
      details: JSON.stringify(details),
    })
  }
}
