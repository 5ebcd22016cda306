import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Services } from '../../../platform/services.ts'
import { changeLogin, type PersonRequest } from '../change-login.ts'
import { requireProof } from '../proof.ts'
import { requireAWay } from '../ways-to-sign-in.ts'
import type { Passkey } from './passkey-schema.ts'

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

/** Returns passkeys as browsers want them named. */
export const namesOfPasskeys = (passkeys: readonly Pick<PasskeyRow, 'id' | 'transports'>[]) =>
  passkeys.map(({ id, transports }) => ({ type: 'public-key' as const, id, transports }))

const findOwnPasskey = query<{ id: string; loginId: string }, { name: string }>(
  'find-own-passkey',
  'select name from passkeys where id = :id and login_id = :loginId',
)

const deletePasskey = query<{ id: string; loginId: string }, { id: string }>(
  'remove-passkey',
  'delete from passkeys where id = :id and login_id = :loginId returning id',
)

const isBase64url = (id: string) => /^[\w-]+$/.test(id)

const noPasskey = () => new AppError('not_found', 'No such passkey')

/** @throws AppError `not_found` for a passkey that the login does not have; `forbidden` for its last way to sign in, and as `requireProof` */
export async function removePasskey(
  request: Pick<Services, 'db' | 'redis' | 'config' | 'now'> & PersonRequest,
  { id, password }: { id: string; password?: string | undefined },
): Promise<void> {
  const { db, config, person } = request
  const { loginId } = person
  await requireProof(request, person, password)
  const [passkey] = isBase64url(id) ? await findOwnPasskey(db, { id, loginId }) : []
  if (!passkey) throw noPasskey()
  const { name } = passkey
  const done = { action: 'passkey.remove', details: { name }, notice: { kind: 'no_passkey', name } } as const
  await changeLogin(request, request, done, async tx => {
    if ((await deletePasskey(tx, { id, loginId })).length === 0) throw noPasskey()
    await requireAWay(tx, config, loginId)
  })
}
