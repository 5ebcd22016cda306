import { isPaidBy, type Transfer } from './sale-parts.ts'

/** A payment as far as refunds go; amounts are minor units. */
interface Bearer {
  transactionId: string
  amountMinor: number
}

/**
 * Which payment bears how much of what was given back. What a transfer gave back is borne by the payment that was recorded
 * under its own ids, if there is one, then by the parts that it paid, the oldest first, each up to its amount. Of several
 * payments that were sent for one part only one bears it.
 * @param parts the oldest first, each with the ids it is known by and its payments
 * @param refunds minor units by charge or payment intent
 * @returns minor units by transaction id; whoever bears nothing is left out
 */
export function spreadRefunds(
  parts: readonly { ids: readonly string[]; payments: readonly Bearer[] }[],
  transfers: readonly Transfer[],
  refunds: ReadonlyMap<string, number>,
): Map<string, number> {
  const borne = new Map<string, number>()
  const takeOf = ({ transactionId, amountMinor }: Bearer, amount: number) => {
    const before = borne.get(transactionId) ?? 0
    const taken = Math.min(amount, amountMinor - before)
    if (taken > 0) borne.set(transactionId, before + taken)
    return amount - taken
  }
  const given = transfers.map(transfer => {
    const paid = parts.filter(({ ids }) => isPaidBy(ids[0]!, transfer))
    const amount = sum([...refunds].filter(([id]) => transfer.ids.has(id)).map(([, minor]) => minor))
    return { transfer, paid: paid.length > 0 ? paid : parts.slice(0, 1), amount }
  })
  // Those that can be borne by few come first, so that they find room.
  for (const { transfer, paid, amount } of given.sort((a, b) => a.paid.length - b.paid.length)) {
    const named = parts.find(({ payments }) => payments.some(isNamedBy(transfer)))
    let left = amount
    if (named) left = takeOf(named.payments.find(isNamedBy(transfer))!, left)
    for (const part of paid) {
      const bearer = part.payments[0]
      if (part !== named && bearer) left = takeOf(bearer, left)
    }
  }
  return borne
}

const isNamedBy =
  ({ ids }: Transfer) =>
  ({ transactionId }: Bearer) =>
    ids.has(transactionId)

const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0)
