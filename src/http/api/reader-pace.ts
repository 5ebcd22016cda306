/** A reader that takes less is disconnected: a download of 1 GB then takes 18 hours, and holds a place as long. */
const LEAST_BYTES_PER_SECOND = 16 * 1024
/** Time that a reader may be behind. */
const PATIENCE_MS = 60_000

/** Decides how long a reader may take for the pieces of a download. A fast beginning is no credit for a pause that lasts longer. */
export function createPace() {
  let patienceMs = PATIENCE_MS
  const allowedFor = (bytes: number) => patienceMs + (1000 * bytes) / LEAST_BYTES_PER_SECOND
  return {
    /** Returns how many milliseconds the next piece may take. */
    allowedFor,
    /** Notes that a piece was taken. */
    took(bytes: number, ms: number): void {
      patienceMs = Math.min(PATIENCE_MS, allowedFor(bytes) - ms)
    },
  }
}
