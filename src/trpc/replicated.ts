import { TRPCError } from '@trpc/server'
import { NeedsPrimary } from '../platform/db/replicas.ts'
import type { Services } from '../platform/services.ts'
import { namesRows } from '../stats/counts/counter.ts'

interface Result {
  ok: boolean
  error?: TRPCError
}

/** Returns a counter for reads of a standby. */
const onStandby = (counter: Services['counter']): Services['counter'] => ({
  async count(name, ...question) {
    if (namesRows(name)) throw new NeedsPrimary()
    return counter.count(name, ...question)
  },
})

type Reading = Pick<Services, 'reads' | 'rollups' | 'counter'>

/**
 * Runs the rest of a procedure on a site: a query with what reads from a hot standby, if one may answer; after a change, later reads
 * of the site show it.
 * @param next runs it with these services in place of those of the context
 */
export async function withReplica<Outcome extends Result>(
  { replicas, reads, rollups, counter }: Pick<Services, 'replicas' | 'reads' | 'rollups' | 'counter'>,
  siteNo: number,
  type: string,
  next: (reading: Reading) => Promise<Outcome>,
): Promise<Outcome> {
  const primary = { reads, rollups, counter }
  if (!replicas) return next(primary)
  if (type === 'query') {
    const failureOf = ({ error }: Outcome) =>
      error instanceof TRPCError ? (error.cause ?? error) : undefined
    return replicas.read(
      siteNo,
      source => next(source ? { ...source, counter: onStandby(counter) } : primary),
      failureOf,
    )
  }
  const outcome = await next(primary)
  await replicas.note(siteNo)
  return outcome
}
