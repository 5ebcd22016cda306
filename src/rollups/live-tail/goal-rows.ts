import { Rows } from './columns.ts'

/** What an engagement tells of its pageview; `path` as the number of a value. */
interface Scroll {
  /** Time of the engagement, Unix milliseconds. */
  at: number
  session: number
  /** Time of the pageview. */
  pageAt: number
  path: number
  /** Percent. */
  scroll: number
}

/** A hit with revenue. `value`: what goals compare, an event's name or a selector; `minor`: minor units. Values as their numbers. */
interface ReportedRevenue {
  at: number
  kind: number
  value: number
  minor: number
  currency: number
}

/** What only goals count of the rows of a live tail. Rows may be added in any order. */
export class GoalRows {
  /** One row for each engagement, also before the first hit: sessions have all of theirs. */
  readonly scrolls = new Rows({
    at: 'f64',
    session: 'u32',
    pageAt: 'f64',
    path: 'u32',
    scroll: 'i16',
  } as const)
  readonly revenue = new Rows({ at: 'f64', kind: 'u8', value: 'u32', minor: 'f64', currency: 'u32' } as const)

  addScroll(scroll: Scroll): void {
    this.scrolls.addRow(scroll)
  }

  addRevenue(revenue: ReportedRevenue): void {
    this.revenue.addRow(revenue)
  }

  /**
   * Drops revenue before a time, and what sessions scrolled that are gone.
   * @param moved by the index of a session: its new index, plus one; 0 when it is gone
   */
  dropBefore(from: number, moved: Uint32Array): void {
    const { at } = this.revenue.columns
    this.revenue.keep(row => at[row]! >= from)
    const { session } = this.scrolls.columns
    this.scrolls.keep(row => moved[session[row]!] !== 0)
    const { columns, length } = this.scrolls
    for (let row = 0; row < length; row++) columns.session[row] = moved[columns.session[row]!]! - 1
  }

  get bytes(): number {
    return this.scrolls.bytes + this.revenue.bytes
  }
}
