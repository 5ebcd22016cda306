import type { SortOptions } from '../sort/sorter.ts'
import type { SourceFile } from '../source-file.ts'

/** A line of `hits:import` (docs/import.md). */
export interface HitLine {
  endpoint: 'collect' | 'event' | 'engage' | 'identify' | 'web-vitals'
  /** ISO 8601 with `Z`. */
  timestamp: string
  ip?: string
  user_agent?: string
  location?: { country?: string; region?: string; city?: string }
  /** The body of the endpoint without `key`. */
  body: Record<string, unknown>
}

/**
 * What became of a row of a file: its hits, or the reason why it cannot be carried over; and parts of it that are not carried over.
 * Reasons are short plain texts without values of the row, such as `no time` or `image, not a page`, so that equal ones can be counted.
 */
export type Converted =
  | {
      hit: HitLine
      /** This is the first hit of its row. */
      isRow?: boolean
    }
  | {
      left: string
      /** Line of the file on which the row begins, from 1. */
      line?: number
    }
  | { part: string }

export interface ConvertOptions {
  /** Domain of the site that the hits are for: the host of rows that name none. */
  domain: string
  /** Zone of times that name none, IANA. */
  timezone: string
  /** The website in files that hold several, as the format names it; undefined: the only one. */
  website?: string
  /** Where rows lie that a converter must bring together; by default in the temporary folder of the system. */
  sort?: Pick<SortOptions, 'folder' | 'requireFreeDisk'>
}

/** Turns the files of another product into hits. */
export interface Converter {
  /** What a person calls the format, such as `Umami`. */
  title: string
  /** What the file must be, as a sentence for messages and help. */
  file: string
  /** Things that the format has and this service cannot keep, and what is not exact; for the result of a dry run. */
  notes: string[]
  /**
   * Reads a file with constant memory, in the order of the file; the caller puts the hits in time order. Each visitor of the other
   * product has one `visitor_id`, made by `visitorIdOf`.
   *
   * The text of a line is its identity when a longer file is imported: the same row must always give the same line. So a change of
   * a converter that gives another line for a row counts that row again.
   * Rows that give a hit and rows that are left are together the rows of the file.
   * @throws AppError `validation_failed` when the file is not of this format, with what is expected
   */
  convert(file: SourceFile, options: ConvertOptions): AsyncIterable<Converted>
}
