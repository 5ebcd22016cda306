import { z } from 'zod'
import { invalidField } from '../../../errors.ts'

/** Where a list of rows continues: behind the row at this time, of several at one time behind the one with this id. */
export interface After {
  at: Date
  id: string
}

const Key = z.tuple([z.int().min(-62_135_596_800_000).max(253_370_764_799_999), z.string().max(500)])

export const cursorOf = ({ at, id }: After): string =>
  Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url')

/** @throws AppError `validation_failed` for a text that is no cursor */
export function readCursor(cursor: string): After {
  try {
    const [at, id] = Key.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { at: new Date(at), id }
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of an answer')
  }
}

/** Comes before the first page of a list of the newest first. */
export const AFTER_ALL = new Date('9999-12-31T00:00:00Z')

/** Parameters of statements that list rows, the newest first. */
export interface PageParams {
  /** One time. */
  afterAt: Date[]
  afterId: string
  limit: number
}

export const pageParams = (after: After | undefined, limit: number): PageParams => ({
  afterAt: [after?.at ?? AFTER_ALL],
  afterId: after?.id ?? '',
  limit,
})
