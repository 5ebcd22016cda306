import { z } from 'zod'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { label, timestamp } from '../../../platform/schema/fields.ts'
import type { Services } from '../../../platform/services.ts'
import { changeLogin, type PersonRequest } from '../change-login.ts'
import { requireProof } from '../proof.ts'
import { requireAWay } from '../ways-to-sign-in.ts'

export const Identity = z
  .object({
    id: label('Id of the link.', '3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7'),
    issuer: label('The provider.', 'https://login.example.com'),
    subject: label('Who the person is there.', '248289761001'),
    last_used_at: timestamp('When it was last signed in with; null for never.').nullable(),
    created_at: timestamp('When it was linked.'),
  })
  .meta({ id: 'Identity' })
export type Identity = z.infer<typeof Identity>

/** The key of the table is a pair; its hash fits into a path. */
const ID = `encode(sha256(convert_to(issuer || E'\\n' || subject, 'UTF8')), 'hex')`

interface IdentityRow {
  id: string
  issuer: string
  subject: string
  lastUsedAt: Date | null
  createdAt: Date
}

/** What a login is linked to, the oldest first. */
export const listIdentities = query<{ loginId: string }, IdentityRow>(
  'list-oidc-identities',
  `select ${ID} as id, issuer, subject, last_used_at as "lastUsedAt", created_at as "createdAt"
  from oidc_identities
  where login_id = :loginId
  order by created_at, issuer, subject`,
)

export const presentIdentity = ({ lastUsedAt, createdAt, ...row }: IdentityRow): Identity => ({
  ...row,
  last_used_at: lastUsedAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
})

/** Links a login to a person at the provider. @returns no row when that person is linked already */
export const insertIdentity = query<
  { issuer: string; subject: string; loginId: string; now: Date },
  { issuer: string }
>(
  'add-oidc-identity',
  `insert into oidc_identities (issuer, subject, login_id, last_used_at, created_at)
  values (:issuer, :subject, :loginId, :now, :now)
  on conflict (issuer, subject) do nothing
  returning issuer`,
)

/** Finds the login that is linked to a person at the provider, and writes that it was used. */
export const useIdentity = query<
  { issuer: string; subject: string; now: Date },
  { id: string; email: string; isDisabled: boolean }
>(
  'use-oidc-identity',
  `update oidc_identities
  set last_used_at = :now
  from logins
  where issuer = :issuer and subject = :subject and logins.id = oidc_identities.login_id
  returning logins.id, logins.email, logins.disabled_at is not null as "isDisabled"`,
)

const deleteIdentity = query<{ id: string; loginId: string }, { issuer: string }>(
  'remove-oidc-identity',
  `delete from oidc_identities where login_id = :loginId and ${ID} = :id returning issuer`,
)

/** @throws AppError `not_found` for what the login is not linked to; `forbidden` for its last way to sign in, and as `requireProof` */
export async function removeIdentity(
  request: Pick<Services, 'db' | 'redis' | 'config' | 'now'> & PersonRequest,
  { id, password }: { id: string; password?: string | undefined },
): Promise<void> {
  const { db, config, person } = request
  const { loginId } = person
  await requireProof(request, person, password)
  const identity = (await listIdentities(db, { loginId })).find(each => each.id === id)
  if (!identity) throw noIdentity()
  const details = { issuer: identity.issuer }
  const notice = { kind: 'no_sign_on', provider: identity.issuer } as const
  await changeLogin(request, request, { action: 'single_sign_on.unlink', details, notice }, async tx => {
    if ((await deleteIdentity(tx, { id, loginId })).length === 0) throw noIdentity()
    await requireAWay(tx, config, loginId)
  })
}

const noIdentity = () => new AppError('not_found', 'No such link to single sign-on')
