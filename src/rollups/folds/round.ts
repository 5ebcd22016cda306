import { type Db, statement } from '../../infra/db.ts'
import type { FoldedDay } from '../protocol.ts'

/** Runs `foldDay`, here or in a thread. */
export type FoldDay = (day: FoldedDay) => Promise<unknown>

/** A round of work on folds: what it may use, and until when. */
export interface Round {
  db: Db
  fold: FoldDay
  /** Folds hold nothing that is later, Unix milliseconds. */
  horizon: number
  hasTime: () => boolean
}

/** From when on a site is folded, and by which zone's days. */
export interface Span {
  siteNo: number
  foldedZone: string
  foldedFrom: Date
}

/** What is folded of sites, of those of which anything is. */
export const findSpans = statement<Span>('find-fold-spans')
