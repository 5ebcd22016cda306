/** The web is not older. A line of an earlier time is refused. */
const EARLIEST = Date.UTC(1990, 0, 1)
/** Later times are mistakes; those that lie only in the future are refused by the import. */
const LATEST = Date.UTC(2100, 0, 1)

export const NO_TIME = 'no valid time'

/** Returns a time, Unix milliseconds, if a hit can have it. */
export function validTime(at: number | undefined): number | undefined {
  return at !== undefined && at >= EARLIEST && at < LATEST ? at : undefined
}

/** Returns a time as lines have it; undefined for one that no hit can have. */
export function isoTime(at: number | undefined): string | undefined {
  return validTime(at) === undefined ? undefined : new Date(at!).toISOString()
}

/**
 * Returns Unix milliseconds of a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The unit follows from the
 * size: of the four, only one gives a time from 1990 to 2100.
 */
export function unixTime(value: number): number {
  for (const unit of [1_000, 1, 1e-3, 1e-6]) {
    const at = Math.floor(value * unit)
    if (at >= EARLIEST && at < LATEST) return at
  }
  return Number.NaN
}
