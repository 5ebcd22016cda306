import { isUuid } from '../../../access/sites/domain.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { inErasingTransaction } from './erasing-transaction.ts'
import { addItems, type Erasure, type Outcome } from './items.ts'

const findVisitor = query<
  { siteNo: number; id: string },
  { visitorNo: number; pendingIdentifier: string | null }
>(
  'find-erased-visitor',
  `select visitor_no as "visitorNo", pending_identifier as "pendingIdentifier"
  from visitors
  where site_no = :siteNo and id = :id::uuid`,
)

/** Without this, an identity that waits for a hit would come back with it. */
const clearPending = query<{ siteNo: number; identifier: string }, { visitorNo: number }>(
  'clear-erased-pending',
  `update visitors
  set pending_identifier = null, pending_since = null, pending_splits = false
  where site_no = :siteNo and pending_identifier = :identifier
  returning visitor_no as "visitorNo"`,
)

const deleteIdentity = query<{ siteNo: number; identifier: string }>(
  'delete-erased-identity',
  'delete from identities where site_no = :siteNo and identifier = :identifier',
)

/** Hits that could not be stored are JSON texts, perhaps cut off. */
const deleteLetters = query<{ siteNo: number; parts: string[] }>(
  'delete-erased-letters',
  `delete from dead_letters
  where site_no = :siteNo
    and exists (select from unnest(:parts::text[]) as part where strpos(payload, part) > 0)`,
)

/**
 * Finds the visitor, and removes at once what later hits could bring back: the identity, and where it waits for a visitor's next
 * hit. What comes in from now on under the same ids is new data.
 */
export async function prepareErasure(db: Db, erasure: Erasure): Promise<Outcome> {
  const { siteNo, person } = erasure
  await inErasingTransaction(db, siteNo, async tx => {
    const parts = [`"identifier":${JSON.stringify(person)}`]
    if (isUuid(person)) {
      const id = person.toLowerCase()
      const [visitor] = await findVisitor(tx, { siteNo, id })
      await addItems(tx, erasure, 'linked', [id])
      if (visitor) await addItems(tx, erasure, 'visitor', [visitor.visitorNo])
      if (visitor?.pendingIdentifier) await addItems(tx, erasure, 'identifier', [visitor.pendingIdentifier])
      parts.push(`"visitorId":"${id}"`, `"previousVisitorId":"${id}"`)
    }
    const waiting = await clearPending(tx, { siteNo, identifier: person })
    await addItems(
      tx,
      erasure,
      'touched',
      waiting.map(({ visitorNo }) => visitorNo),
    )
    await deleteIdentity(tx, { siteNo, identifier: person })
    await deleteLetters(tx, { siteNo, parts })
  })
  return 'done'
}
