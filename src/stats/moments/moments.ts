import { TextIds } from './text-ids.ts'

/** Moments of a funnel as the database sends them: bytes of `array_send`, one entry a moment in each. */
export interface MomentBlock {
  /** `unit × 512 + steps × 2 + 1 if it interrupts nothing`; the lowest bit of `steps` is the first step. */
  moments: Uint8Array
  times: Uint8Array
  /** Visitors of the units; empty where the units themselves are counted. */
  owners: Uint8Array
  /** Value of the dimension of each moment that meets the first step; empty without a dimension. */
  texts: Uint8Array
}

/** Moments in columns of the same length. */
export interface Moments {
  units: Float64Array
  /** Unix milliseconds. */
  times: Float64Array
  /** Steps that each meets, one bit a step; 0: any pageview or event. */
  steps: Uint8Array
  isSilent: Uint8Array
  /** Empty where the units themselves are counted. */
  owners: Uint32Array
  /** Index in `texts`; 0 where there is no dimension. */
  values: Uint32Array
  /** Distinct values in their order. */
  texts: string[]
}

/** Format of `array_send`: dimensions, flags, element type, length, lower bound; then length and bytes of each element. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const UNIT_FACTOR = 512
const HIGH = 4_294_967_296
const EPOCH_2000_MS = 946_684_800_000

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const countOf = (bytes: Uint8Array) => (bytes.byteLength >= HEADER_BYTES ? viewOf(bytes).getInt32(12) : 0)

/** Reads an integer of 8 bytes that a double represents exactly. */
const readInteger = (view: DataView, at: number) => view.getInt32(at) * HIGH + view.getUint32(at + 4)

/**
 * Reads the moments of all blocks.
 * @param hits blocks of hits of the units, whatever they meet; without texts
 */
export function readMoments(blocks: MomentBlock[], hits: MomentBlock[] = []): Moments {
  const all = [...blocks, ...hits]
  const size = all.reduce((sum, { moments }) => sum + countOf(moments), 0)
  const hasOwners = blocks.some(({ owners }) => countOf(owners) > 0)
  const read: Moments = {
    units: new Float64Array(size),
    times: new Float64Array(size),
    steps: new Uint8Array(size),
    isSilent: new Uint8Array(size),
    owners: new Uint32Array(hasOwners ? size : 0),
    values: new Uint32Array(size),
    texts: [],
  }
  const ids = new TextIds()
  let index = 0
  for (const block of all) index = readBlock(read, index, block, ids)
  read.texts = ids.texts
  sortTexts(read)
  return read
}

function readBlock(read: Moments, first: number, block: MomentBlock, ids: TextIds): number {
  const count = countOf(block.moments)
  if (count === 0) return first
  const [moments, times] = [viewOf(block.moments), viewOf(block.times)]
  const owners = countOf(block.owners) > 0 ? viewOf(block.owners) : undefined
  const nextText = textReader(block.texts, ids)
  for (let entry = 0; entry < count; entry++) {
    const at = HEADER_BYTES + entry * (LENGTH_BYTES + 8) + LENGTH_BYTES
    const moment = readInteger(moments, at)
    const flags = moments.getUint32(at + 4) % UNIT_FACTOR
    const index = first + entry
    read.units[index] = (moment - flags) / UNIT_FACTOR
    read.steps[index] = flags >>> 1
    read.isSilent[index] = flags & 1
    read.times[index] = readInteger(times, at) / 1_000 + EPOCH_2000_MS
    if (owners)
      read.owners[index] = owners.getUint32(HEADER_BYTES + entry * (LENGTH_BYTES + 4) + LENGTH_BYTES)
    if (nextText && flags & 2) read.values[index] = nextText()
  }
  return first + count
}

/** Returns the function that reads one text after the other and gives its id. */
function textReader(bytes: Uint8Array, ids: TextIds) {
  if (countOf(bytes) === 0) return undefined
  const view = viewOf(bytes)
  let at = HEADER_BYTES
  return (): number => {
    const start = at + LENGTH_BYTES
    at = start + view.getInt32(at)
    return ids.idOf(bytes, start, at)
  }
}

/** Numbers the texts in the order of their UTF-8 bytes, as the database sorts. */
function sortTexts(read: Moments): void {
  if (read.texts.length === 1) return
  const sorted = read.texts
    .map((text, id) => ({ id, bytes: Buffer.from(text) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
  const rankOf = new Uint32Array(sorted.length)
  for (const [rank, { id }] of sorted.entries()) rankOf[id] = rank
  read.texts = sorted.map(({ id }) => read.texts[id]!)
  for (let index = 0; index < read.values.length; index++) {
    read.values[index] = rankOf[read.values[index]!]!
  }
}

/** Reads the integers of all arrays, one array after the other. */
export function readIntegers(arrays: Uint8Array[]): Float64Array {
  const integers = new Float64Array(arrays.reduce((sum, bytes) => sum + countOf(bytes), 0))
  let index = 0
  for (const bytes of arrays) {
    const view = viewOf(bytes)
    for (let entry = 0, count = countOf(bytes); entry < count; entry++) {
      integers[index++] = readInteger(view, HEADER_BYTES + entry * (LENGTH_BYTES + 8) + LENGTH_BYTES)
    }
  }
  return integers
}
