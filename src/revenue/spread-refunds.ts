import { isPaidBy, type Transfer } from './sale-parts.ts'

/** Fields of a payment that refunds need; amounts are minor units. */
interface Bearer {
  transactionId: string
  amountMinor: number
}

/**
 * Distributes refunds over payments. The refunds of a transfer go to the payment that was recorded under one of the transfer's
 * ids, if there is one, then to the parts that the transfer paid, the oldest first, each up to its amount. If several
 * payments were sent for one part, only one of them gets the refund.
 * @param parts the oldest first, each with its ids and its payments
 * @param refunds minor units by charge or payment intent
 * @returns minor units by transaction id, without payments that have no refund
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
  // Transfers that paid few parts go first: otherwise other transfers could use up the amounts of those parts.
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
