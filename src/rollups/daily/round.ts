import { type Db, statement } from '../../infra/db.ts'
import type { RolledUpDay } from '../protocol.ts'

/** Runs `rollUpDay` in this thread or in another one. */
export type RollUpDay = (day: RolledUpDay) => Promise<unknown>

/** Dependencies and time limit of one round of rollup work. */
export interface Round {
  db: Db
  rollUp: RollUpDay
  /** Rollups hold only rows before this time, Unix milliseconds. */
  watermark: number
  hasTime: () => boolean
}

/** First rolled-up moment of a site, and the time zone of its days. */
export interface Span {
  siteNo: number
  rolledUpZone: string
  rolledUpFrom: Date
}

/** Returns the spans of the given sites. Sites without rollups are left out. */
export const findSpans = statement<Span>('find-rollup-spans')
