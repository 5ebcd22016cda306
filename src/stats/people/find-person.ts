import { isUuid } from '../../access/sites/domain.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { PeopleFilter } from '../counts/people.ts'
import type { StatsServices } from '../query-context.ts'
import { findVisitorNo } from '../sessions/list-sessions.ts'

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

export const noSuchPerson = () => new AppError('not_found', 'The site has no such visitor and no such user')

/** Returns the visitor id that a person may be; null when the text has not the form of one. */
export const visitorIdOf = (person: string): string | null => (isUuid(person) ? person.toLowerCase() : null)

/**
 * Checks that a site has data of a person: a visitor, the visitor of a payment, or a user.
 * @throws AppError `not_found`
 */
export async function requirePerson(db: Db, siteNo: number, person: string): Promise<void> {
  const [found] = await findPerson(db, { siteNo, person, visitorId: visitorIdOf(person) })
  if (!found!.isKnown) throw noSuchPerson()
}

/**
 * Returns which sessions are those of a person: a visitor's, else a user's.
 * @throws AppError `not_found` when the site has no data of the person
 */
export async function findPeopleFilter(
  { reads }: Pick<StatsServices, 'reads'>,
  siteNo: number,
  person: string,
): Promise<PeopleFilter> {
  await requirePerson(reads, siteNo, person)
  const visitorId = visitorIdOf(person)
  const [visitor] = visitorId ? await findVisitorNo(reads, { siteNo, visitorId }) : []
  return visitor ? { visitorNos: [visitor.visitorNo] } : { userIds: [person] }
}
