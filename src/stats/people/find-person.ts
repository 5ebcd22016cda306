import { isUuid } from '../../access/sites/domain.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'

const findPerson = query<{ siteNo: number; person: string; visitorId: string | null }, { isKnown: boolean }>(
  'find-person',
  `select
    exists (select from visitors where site_no = :siteNo::int and id = :visitorId::uuid)
    or exists (select from payments where site_no = :siteNo::int and visitor_id = :visitorId::uuid)
    or exists (select from processor_facts where site_no = :siteNo::int and visitor_id = :visitorId::uuid)
    or exists (select from identities where site_no = :siteNo::int and identifier = :person::text)
    or exists (select from visitors where site_no = :siteNo::int and pending_identifier = :person::text)
    as "isKnown"`,
)

/** Returns the visitor id that a person may be; null when the text has not the form of one. */
export const visitorIdOf = (person: string): string | null => (isUuid(person) ? person.toLowerCase() : null)

/**
 * Checks that a site has data of a person: a visitor, the visitor of a payment, or a user.
 * @throws AppError `not_found`
 */
export async function requirePerson(db: Db, siteNo: number, person: string): Promise<void> {
  const [found] = await findPerson(db, { siteNo, person, visitorId: visitorIdOf(person) })
  if (!found!.isKnown) throw new AppError('not_found', 'The site has no such visitor and no such user')
}
