import { statement } from '../infra/db.ts'
import { type PageUrl, paginate, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { findGoals } from './find-goal.ts'
import { presentGoal } from './present-goal.ts'
import type { ListGoals } from './schema.ts'

interface Named {
  id: string
  displayName: string
}

const selectNames = statement<Named>('list-goal-names')

/**
 * A page of the site's goals by display name, in any case; ties by id. Sorted and searched here, so that no two
 * databases differ in what is one letter's other case.
 */
export async function listGoals(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: Pick<SiteRecord, 'siteNo'>,
  { search = '', ...query }: ListGoals,
) {
  const names = await selectNames(context.db, siteNo)
  const wanted = search.toLowerCase()
  const found = names
    .map(({ id, displayName }) => ({ id, key: displayName.toLowerCase() }))
    .filter(({ key }) => key.includes(wanted))
    .sort((a, b) => compare(a.key, b.key) || compare(a.id, b.id))
  const { limit, offset } = windowOf(query)
  const ids = found.slice(offset, offset + limit).map(({ id }) => id)
  const goals = ids.length > 0 ? await findGoals(context.db, siteNo, ids) : []
  const rows = goals.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(presentGoal)
  return paginate(context, query, { rows, total: found.length })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
