import { AppError } from '../../platform/errors.ts'
import type { PeopleFilter } from '../counts/people.ts'
import type { StatsServices } from '../query-context.ts'
import { findVisitorNo } from '../sessions/list.ts'
import { requirePerson, visitorIdOf } from './find-person.ts'

export const noSuchPerson = () => new AppError('not_found', 'The site has no such visitor and no such user')

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
