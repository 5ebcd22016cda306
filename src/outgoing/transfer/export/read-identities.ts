import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { HitSpan } from './read-hits.ts'

export interface IdentityRow {
  identifier: string
  name: string | null
  avatar: string | null
  /** JSON. */
  custom: string | null
  updatedAt: Date
}

const readExportedIdentities = query<
  HitSpan & { isWhole: boolean; after: string; limit: number },
  IdentityRow
>('read-exported-identities')

const BLOCK_ROWS = 1_000

/**
 * Yields what is known of the users of a site, by identifier.
 * @param span.isWhole all users; otherwise those of sessions that started in the span
 */
export async function* readIdentities(
  db: Queryable,
  span: HitSpan & { isWhole: boolean },
): AsyncGenerator<IdentityRow[]> {
  let after = ''
  for (;;) {
    const rows = await readExportedIdentities(db, { ...span, after, limit: BLOCK_ROWS })
    if (rows.length > 0) yield rows
    if (rows.length < BLOCK_ROWS) return
    after = rows.at(-1)!.identifier
  }
}
