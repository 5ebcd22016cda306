import { Reader, Writer } from './varints.ts'

/** How often something happened, by time: in units of the dimension (`TIME_UNITS`) since the start of the day. */
export type Times = Map<number, number>

export interface TimedValue {
  valueId: number
  times?: Times | undefined
}

/** Encoded times of the values of a dimension on a day. */
export interface EncodedTimes {
  /** Value ids, and the size of the times of each. */
  timesIndex: Buffer
  times: Buffer
}

/** Where the times of a value lie. */
export interface TimesPlace {
  offset: number
  size: number
}

/**
 * Encodes times as two byte strings, so that a reader of one value reads the index and only the bytes of that value: for 2,000 titles
 * 5 KB a day instead of 60. Times are differences, each with its count: a title takes at most 96 pairs a day, however many sessions.
 */
export function encodeTimes(values: readonly TimedValue[]): EncodedTimes {
  const ordered = values
    .flatMap(({ valueId, times }) => (times ? [{ valueId, times }] : []))
    .sort((a, b) => a.valueId - b.valueId)
  const times = new Writer()
  const sizes = ordered.map(value => {
    const start = times.length
    let before = 0
    for (const time of [...value.times.keys()].sort((a, b) => a - b)) {
      times.write(time - before)
      times.write(value.times.get(time)!)
      before = time
    }
    return times.length - start
  })
  const index = new Writer()
  index.write(ordered.length)
  index.writeAscending(ordered.map(({ valueId }) => valueId))
  for (const size of sizes) index.write(size)
  return { timesIndex: index.finish(), times: times.finish() }
}

/** Returns where the times of a value lie; undefined without any. */
export const findTimes = (index: Uint8Array, wanted: number): TimesPlace | undefined =>
  findAllTimes(index, new Set([wanted])).get(wanted)

/** Returns where the times of values lie, by value id; those without times are absent. */
export function findAllTimes(index: Uint8Array, wanted: ReadonlySet<number>): Map<number, TimesPlace> {
  const reader = new Reader(index)
  const places = new Map<number, TimesPlace>()
  let offset = 0
  for (const valueId of reader.readAscending(reader.read())) {
    const size = reader.read()
    if (wanted.has(valueId)) places.set(valueId, { offset, size })
    offset += size
  }
  return places
}

/** Decodes the times of one value. */
export function decodeTimes(bytes: Uint8Array): Times {
  const reader = new Reader(bytes)
  const times: Times = new Map()
  let time = 0
  while (!reader.isAtEnd) {
    time += reader.read()
    times.set(time, reader.read())
  }
  return times
}

/** Returns the first and the last of the times of one value, which has at least one. */
export function endsOfTimes(bytes: Uint8Array): { first: number; last: number } {
  const reader = new Reader(bytes)
  const first = reader.read()
  let last = first
  for (reader.read(); !reader.isAtEnd; reader.read()) last += reader.read()
  return { first, last }
}

/** Decodes the times of all values, by value id. */
export function decodeAllTimes(index: Uint8Array, times: Uint8Array): Map<number, Times> {
  const reader = new Reader(index)
  const valueIds = reader.readAscending(reader.read())
  const all = new Map<number, Times>()
  let offset = 0
  for (const valueId of valueIds) {
    const size = reader.read()
    all.set(valueId, decodeTimes(times.subarray(offset, offset + size)))
    offset += size
  }
  return all
}

/** Adds the counts of each time to `into`, if there is one, and returns the sums. */
export function addTimes(into: Times | undefined, added: Times): Times {
  if (!into) return added
  for (const [time, count] of added) into.set(time, (into.get(time) ?? 0) + count)
  return into
}

/** Reads a list of times in the form of `int4send`, in any order and with repetitions. */
export function timesIn(list: Buffer): Times {
  const times: Times = new Map()
  for (let at = 0; at < list.length; at += 4) {
    const time = list.readInt32BE(at)
    times.set(time, (times.get(time) ?? 0) + 1)
  }
  return times
}
