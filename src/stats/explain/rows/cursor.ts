import { z } from 'zod'
import { invalidField } from '../../../platform/errors.ts'
import type { ListKey } from '../../counts/shared/key-page.ts'

const Key = z.tuple([z.int().min(-62_135_596_800_000).max(253_370_764_799_999), z.string().max(500)])

/** Returns where a list continues: behind a row. */
export const cursorOf = ({ at, id }: ListKey): string =>
  Buffer.from(JSON.stringify([at, id])).toString('base64url')

const invalidCursor = () => invalidField('cursor', 'must be the next_cursor of an answer')

/** @throws AppError `validation_failed` for a text that is no cursor */
export function readCursor(cursor: string): ListKey {
  try {
    const [at, id] = Key.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { at, id }
  } catch {
    throw invalidCursor()
  }
}

/**
 * Returns the number by which rows of one moment are in order.
 * @throws AppError `validation_failed` for the cursor of another list
 */
export function numberOf({ id }: ListKey): number {
  const number = Number(id)
  if (!Number.isSafeInteger(number)) throw invalidCursor()
  return number
}
