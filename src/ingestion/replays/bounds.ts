import { DAY_MS, HOUR_MS } from '../../platform/lib/time.ts'

// Bounds of session replays; docs/api.md "Session replays" names them.

const KIB = 1024
const MIB = 1024 * KIB

/** Of one chunk, as it is stored. */
export const MAX_CHUNK_BYTES = 256 * KIB
/** Of one chunk, unpacked. */
export const MAX_EVENTS_BYTES = 4 * MIB
export const MAX_EVENTS = 5_000
/** Levels of JSON: an element of a page takes two. */
export const MAX_DEPTH = 2_000
/** Objects and arrays of one chunk: what a page has takes 17 bytes or more for each, an attack could have one in two bytes. */
export const MAX_PARTS = 250_000
/** Longest time from the first event of a chunk to its latest. */
export const MAX_CHUNK_MS = DAY_MS

/** Of all chunks of a session. */
export const MAX_SESSION_BYTES = 10 * MIB
/** A page sends one every five seconds. */
export const MAX_SESSION_CHUNKS = 5_000
/** From the first chunk of a session to the latest. */
export const MAX_SESSION_MS = 2 * HOUR_MS

/** What one network may use of a site's day: a stranger with invented visitors leaves the rest to others. At least one session. */
export const SHARE_OF_SENDER = 0.1

/** Of all chunks that wait to be stored. */
export const MAX_QUEUED_BYTES = 64 * MIB
