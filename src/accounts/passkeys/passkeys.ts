import type { Audit } from '../../audit/audit.ts'
import { query } from '../../db/query.ts'
import { AppError } from '../../errors.ts'
import type { Services } from '../../services.ts'
import { auditLogin } from '../audit-login.ts'
import { keepingAWay } from '../ways-to-sign-in.ts'
import type { Passkey } from './schema.ts'

interface PasskeyRow {
  id: string
  name: string
  transports: string[]
  lastUsedAt: Date | null
  createdAt: Date
}

/** Passkeys of a login, the oldest first. */
export const listPasskeys = query<{ loginId: string }, PasskeyRow>(
  'list-passkeys',
  `select id, name, transports, last_used_at as "lastUsedAt", created_at as "createdAt"
  from passkeys
  where login_id = :loginId
  order by created_at, id`,
)

export const presentPasskey = ({ id, name, lastUsedAt, createdAt }: PasskeyRow): Passkey => ({
  id,
  name,
  last_used_at: lastUsedAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
})

const deletePasskey = query<{ id: string; loginId: string }, { name: string }>(
  'remove-passkey',
  'delete from passkeys where id = :id and login_id = :loginId returning name',
)

/** @throws AppError `not_found` for a passkey that the login does not have; `forbidden` for its last way to sign in */
export async function removePasskey(
  { db, config, audit }: Pick<Services, 'db' | 'config'> & { audit: Audit },
  loginId: string,
  id: string,
): Promise<void> {
  await db.begin(async tx => {
    const [gone] = await keepingAWay(tx, config, loginId, () => deletePasskey(tx, { id, loginId }))
    if (!gone) throw new AppError('not_found', 'No such passkey')
    const object = { type: 'passkey', id }
    await auditLogin(tx, audit, loginId, { action: 'passkey.remove', object, details: { name: gone.name } })
  })
}
