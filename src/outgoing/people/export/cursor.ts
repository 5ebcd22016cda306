import { z } from 'zod'
import { invalidField } from '../../../platform/errors.ts'

export const PARTS = ['visits', 'loose', 'vitals', 'replays', 'payments', 'service'] as const

const Time = z.int().min(-8.64e15).max(8.64e15)

/** Place of a row in the order of its part: time in Unix milliseconds, then id or number. */
const Place = z.object({ at: Time, key: z.string().max(40) })
export type Place = z.infer<typeof Place>

const Cursor = z.object({
  /** Time of the first page: what is stored with a later time is not exported. */
  until: Time,
  part: z.enum(PARTS),
  /** The latest row of the part on the pages before; null before its first. */
  after: Place.nullable(),
  /** With part `visits`: the latest hit of the session `after`, whose other hits are still to come; null when it is complete. */
  hit: Place.nullable(),
})
export type Cursor = z.infer<typeof Cursor>

export const firstCursor = (now: Date): Cursor => ({
  until: now.getTime(),
  part: 'visits',
  after: null,
  hit: null,
})

export const writeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** @throws AppError `validation_failed` for a text that no page gave */
export function readCursor(text: string): Cursor {
  try {
    const cursor = Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    checkKeys(cursor)
    return cursor
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of a page of this export')
  }
}

const NUMBER = /^-?\d{1,18}$/
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Keys become parameters of statements, where another text would be an error of the database. */
function checkKeys({ part, after, hit }: Cursor): void {
  const isValid =
    (after === null || (part === 'visits' ? NUMBER : UUID).test(after.key)) &&
    (hit === null || (part === 'visits' && after !== null && UUID.test(hit.key)))
  if (!isValid) throw new RangeError('no place of a row')
}
