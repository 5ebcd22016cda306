/** Most events of one second that are put in order by what each says of the time before it: the work doubles with each. */
const MOST = 10

/**
 * Puts events of one second in the order that contradicts least what each says of the time before it.
 * @param events in the order that applies where nothing decides
 * @param costOf how much an event contradicts that it comes next after another one, or first
 */
export function chained<Event>(
  events: readonly Event[],
  costOf: (event: Event, before: Event | undefined) => number,
): Event[] {
  if (events.length < 2 || events.length > MOST) return [...events]
  const costs = events.map(event => events.map(before => costOf(event, before)))
  const first = events.map(event => costOf(event, undefined))
  const costAfter = (last: number | undefined, next: number) =>
    last === undefined ? first[next]! : costs[next]![last]!
  const known = new Map<string, number>()
  /** @param left a bit for each event that is left */
  function least(last: number | undefined, left: number): number {
    if (left === 0) return 0
    const key = `${last}/${left}`
    const found = known.get(key)
    if (found !== undefined) return found
    const cost = Math.min(
      ...indexesIn(left).map(next => costAfter(last, next) + least(next, left & ~(1 << next))),
    )
    known.set(key, cost)
    return cost
  }
  const order: Event[] = []
  let last: number | undefined
  for (let left = (1 << events.length) - 1; left > 0; ) {
    const cost = least(last, left)
    const next = indexesIn(left).find(
      index => costAfter(last, index) + least(index, left & ~(1 << index)) === cost,
    )!
    order.push(events[next]!)
    left &= ~(1 << next)
    last = next
  }
  return order
}

const INDEXES = Array.from({ length: MOST }, (_, index) => index)
const indexesIn = (bits: number) => INDEXES.filter(index => bits & (1 << index))
