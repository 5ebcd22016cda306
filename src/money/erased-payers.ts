import { hash } from 'node:crypto'
import type { Transaction } from '../platform/db/connect.ts'
import { query } from '../platform/db/query.ts'
import type { Fact } from './processor/event.ts'
import { type AnyFact, isOfSale } from './processor/facts.ts'

// What an import reads again must not bring back people that were erased meanwhile. Only digests of what they were known by are kept.

/**
 * What the payer of a sale is known by. `sale`: an id of the sale, where nothing else may be known but a name. `visit`: an id of a sale whose
 * visitor was erased with one visit and has others.
 */
export interface PayerMark {
  kind: 'customer' | 'email' | 'visitor' | 'sale' | 'visit'
  value: string
}

const upsertErased = query<{ siteNo: number; digests: string[]; at: Date }>(
  'upsert-erased-payers',
  `insert into erased_payers as known (site_no, digest, erased_at)
  select distinct :siteNo::int, digest, :at::timestamptz
  from unnest(:digests::uuid[]) as digest
  on conflict (site_no, digest) do update set erased_at = greatest(known.erased_at, excluded.erased_at)`,
)

const selectErased = query<{ siteNo: number; digests: string[] }, { digest: string; at: Date }>(
  'select-erased-payers',
  `select digest, erased_at as at from erased_payers where site_no = :siteNo and digest = any(:digests::uuid[])`,
)

/** The first half of a SHA-256, in the form of a UUID. */
function digestOf({ kind, value }: PayerMark): string {
  const isCaseless = kind === 'email' || kind === 'visitor'
  const digest = hash('sha256', `${kind}/${isCaseless ? value.toLowerCase() : value}`, 'hex')
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Notes that payers were erased. What they do later is that of new people. */
export async function noteErased(
  tx: Transaction,
  siteNo: number,
  marks: readonly PayerMark[],
  at: Date,
): Promise<void> {
  if (marks.length > 0) await upsertErased(tx, { siteNo, digests: marks.map(digestOf), at })
}

/** E-mail addresses that facts have in the database. After an erasure this is a pseudonym. */
export type KnownEmails = (fact: Pick<Fact, 'eventId' | 'kind' | 'objectId'>) => string | null | undefined

/**
 * Takes erased people out of facts of the time before their erasure: the visitor, the name, and the e-mail address, unless the fact is
 * known with a pseudonym.
 */
export async function withoutErased(
  tx: Transaction,
  siteNo: number,
  facts: readonly AnyFact[],
  knownEmail: KnownEmails,
): Promise<AnyFact[]> {
  const digests = [...new Set(facts.flatMap(marksIn).map(digestOf))]
  if (digests.length === 0) return [...facts]
  const rows = await selectErased(tx, { siteNo, digests })
  if (rows.length === 0) return [...facts]
  const erasedAt = new Map(rows.map(({ digest, at }) => [digest, at]))
  return facts.map(fact => {
    const erased = marksIn(fact).filter(mark => (erasedAt.get(digestOf(mark)) ?? 0) >= fact.at)
    if (erased.length === 0) return fact
    const isVisitorErased = erased.some(({ kind }) => kind === 'visitor' || kind === 'visit')
    const unlinked = { ...fact, visitorId: isVisitorErased ? null : fact.visitorId } as AnyFact
    if (!isOfPayer(unlinked) || erased.every(({ kind }) => kind === 'visit')) return unlinked
    const email = fact.customerId === null ? (knownEmail(fact) ?? null) : null
    return { ...unlinked, body: { ...unlinked.body, email, name: null } } as AnyFact
  })
}

const isOfPayer = (fact: AnyFact) => isOfSale(fact) && fact.body !== null

function marksIn(fact: AnyFact): PayerMark[] {
  const marks: PayerMark[] = []
  const add = (kind: PayerMark['kind'], value: string | null | undefined) => {
    if (value) marks.push({ kind, value })
  }
  add('visitor', fact.visitorId)
  if (fact.visitorId !== null) for (const id of fact.saleIds) add('visit', id)
  if (isOfSale(fact)) {
    add('customer', fact.customerId)
    add('email', fact.body?.email)
    if (fact.body?.name) for (const id of fact.saleIds) add('sale', id)
  }
  return marks
}
