import { groupBy } from '../../platform/lib/group-by.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { Listed, Price } from '../processor/objects.ts'
import type { Origin, PaidInvoice, PastLine } from '../processor/past-objects.ts'
import type { Item } from '../processor/subscription-object.ts'

/** An item from a time on; null: it is gone. */
interface Change {
  at: number
  item: Item | null
  /** What a credit says of the item before. */
  before: Item | null
}

interface PastItems {
  times: number[]
  at(at: number): Item[]
}

/**
 * Derives which items a subscription had when. A line of a cycle says what an item is from its period on; a proration says it of the
 * time of the change, and its credit what the item was before.
 * @param prorations those of invoice items
 * @param startAt when the subscription began
 */
export function itemsOf(
  origin: Origin,
  invoices: readonly PaidInvoice[],
  prorations: readonly PastLine[],
  prices: ReadonlyMap<string, Price>,
  startAt: number,
): PastItems {
  const lines = [...invoices.flatMap(({ past }) => past?.lines ?? []), ...prorations]
  const toItem = itemMaker(origin, prices)
  const changesById = new Map<string, Change[]>()
  for (const [itemId, own] of groupBy(lines, ({ itemId }) => itemId)) {
    changesById.set(itemId, changesOf(own, toItem))
  }
  if (changesById.size === 0) return { times: [], at: () => origin.state.items }
  const firstAt = Math.min(...[...changesById.values()].map(changes => changes[0]!.at))
  const isCutOff = firstAt > startAt + DAY_MS
  for (const changes of changesById.values()) {
    const start = stateAtStart(changes[0]!, isCutOff && changes[0]!.at <= firstAt + DAY_MS)
    if (start && changes[0]!.at > startAt) changes.unshift({ at: startAt, item: start, before: null })
  }
  return {
    times: [...changesById.values()].flatMap(differing),
    at: at =>
      [...changesById.values()].flatMap(changes => changes.findLast(change => change.at <= at)?.item ?? []),
  }
}

/** Before the first line that is known, an item was as its credit says; without one it was there if older lines were not read. */
const stateAtStart = ({ before, item }: Change, isCutOff: boolean) => before ?? (isCutOff ? item : null)

function changesOf(lines: readonly PastLine[], toItem: (line: PastLine) => Item): Change[] {
  const byTime = [...groupBy(lines, ({ at }) => at)].sort(([a], [b]) => a - b)
  return byTime.map(([at, own]) => {
    const credit = own.find(({ isCredit }) => isCredit)
    // A new cycle of the same second says more than a proration.
    const after = own.findLast(({ isProration }) => !isProration) ?? own.findLast(({ isCredit }) => !isCredit)
    return { at, item: after ? toItem(after) : null, before: credit ? toItem(credit) : null }
  })
}

/** Times at which an item differs from before: most cycles change nothing. */
const differing = (changes: readonly Change[]) =>
  changes
    .filter(({ item }, index) => index === 0 || !isSame(item, changes[index - 1]!.item))
    .map(({ at }) => at)

const isSame = (a: Item | null, b: Item | null) =>
  a?.price?.id === b?.price?.id &&
  a?.quantity === b?.quantity &&
  idsOf(a?.discounts).join() === idsOf(b?.discounts).join()

const idsOf = (listed: readonly Listed[] = []) =>
  listed.map(each => (typeof each === 'string' ? each : each.id))

/** Lines do not say which taxes a price includes: the item of now does, or another of the subscription. */
function itemMaker({ state }: Origin, prices: ReadonlyMap<string, Price>): (line: PastLine) => Item {
  return ({ itemId, priceId, quantity, discounts }) => {
    const now = state.items.find(({ id }) => id === itemId)
    const same = state.items.find(({ price }) => price?.id === priceId)
    return {
      id: itemId,
      price: same?.price ?? prices.get(priceId) ?? null,
      quantity,
      discounts,
      includedTaxes: (now ?? state.items[0])?.includedTaxes ?? [],
    }
  }
}
