import type { Audit } from '../../audit/audit.ts'
import type { Queryable } from '../../db/connect.ts'
import { auditLogin } from '../audit-login.ts'
import { insertIdentity, useIdentity } from './identities.ts'
import type { ProvenPerson } from './provider.ts'
import { SsoRefusal } from './refusal.ts'

/**
 * Links a login to a person at the provider; nothing changes when it is linked to them already.
 * @throws SsoRefusal `linked_elsewhere`
 */
export async function linkIdentity(
  db: Queryable,
  audit: Audit,
  loginId: string,
  { issuer, subject }: Pick<ProvenPerson, 'issuer' | 'subject'>,
  now: Date,
): Promise<void> {
  const [made] = await insertIdentity(db, { issuer, subject, loginId, now })
  if (made) {
    return auditLogin(db, audit, loginId, { action: 'single_sign_on.link', details: { issuer } })
  }
  const [known] = await useIdentity(db, { issuer, subject, now })
  if (known?.loginId !== loginId) throw new SsoRefusal('linked_elsewhere')
}
