import { createHash } from 'node:crypto'
import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'

// Kept by digest and for ever, beside the recipients: those are removed, expire, and go with their site or membership. An address that
// has unsubscribed must not get mails because its recipient was made anew.

const insertUnsubscribed = query<{ digest: Uint8Array; now: Date }>(
  'insert-unsubscribed-address',
  `insert into unsubscribed_addresses (digest, unsubscribed_at)
  values (:digest, :now)
  on conflict (digest) do update set unsubscribed_at = excluded.unsubscribed_at`,
)

const findUnsubscribed = query<{ digest: Uint8Array }, { at: Date }>(
  'find-unsubscribed-address',
  'select unsubscribed_at as at from unsubscribed_addresses where digest = :digest',
)

const digestOf = (address: string) => createHash('sha256').update(address).digest()

export const rememberUnsubscribed = (transaction: Transaction, address: string, now: Date) =>
  insertUnsubscribed(transaction, { digest: digestOf(address), now })

/** Returns when the address has last unsubscribed from anything; undefined for never. */
export async function lastUnsubscribed(transaction: Transaction, address: string): Promise<Date | undefined> {
  const [row] = await findUnsubscribed(transaction, { digest: digestOf(address) })
  return row?.at
}
