import type { Db, Transaction } from '../../platform/db/connect.ts'
import { unifySpellings } from '../../storage/events/source-spellings.ts'
import type { EnrichedHit } from '../hit.ts'
import { DIRECT, isListed } from '../stages/sources/find-source.ts'

/**
 * Gives the hits that can open a session the site's spelling of their source. Restored hits keep theirs; others follow it.
 * @param hits in the order in which they count; not modified, because the transaction can run again with them
 * @returns the hits in the same order; `commit` must be called after the commit
 */
export async function unifySources(db: Db, tx: Transaction, hits: EnrichedHit[]) {
  const sources = hits.flatMap(hit => {
    const source = sourceOf(hit)
    return source === undefined ? [] : [{ siteNo: hit.siteNo, source }]
  })
  const { spellingOf, commit } = await unifySpellings(db, tx, sources, isListed)
  const unify = (hit: EnrichedHit): EnrichedHit => {
    if (hit.restored || sourceOf(hit) === undefined) return hit
    const source = spellingOf(hit)
    return source === hit.source ? hit : { ...hit, source }
  }
  return { hits: sources.length > 0 ? hits.map(unify) : hits, commit }
}

export type UnifiedSources = Awaited<ReturnType<typeof unifySources>>

function sourceOf({ type, source, restored }: EnrichedHit): string | undefined {
  if (type === 'engagement' || type === 'identify') return undefined
  const given = restored?.session?.dimensions.source ?? source
  return given === DIRECT || given === '' ? undefined : given
}
