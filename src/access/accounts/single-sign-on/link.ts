import type { Queryable } from '../../../platform/db/connect.ts'
import { insertIdentity, useIdentity } from './identities.ts'
import type { ProvenPerson } from './provider.ts'
import { SsoRefusal } from './refusal.ts'

/**
 * Links a login to a person at the provider; nothing changes when it is linked to them already.
 * @throws SsoRefusal `linked_elsewhere`
 */
export async function linkIdentity(
  db: Queryable,
  loginId: string,
  { issuer, subject }: Pick<ProvenPerson, 'issuer' | 'subject'>,
  now: Date,
): Promise<void> {
  const [made] = await insertIdentity(db, { issuer, subject, loginId, now })
  if (made) return
  const [known] = await useIdentity(db, { issuer, subject, now })
  if (known?.id !== loginId) throw new SsoRefusal('linked_elsewhere')
}
