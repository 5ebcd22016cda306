/** The key of a session: the time of its opening hit, and its number. */
export interface SessionKey {
  startedAt: Date
  sessionNo: number
}

const FORM = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})$/
/** The last moment of the year 9998. */
const LATEST_MS = Date.UTC(9999, 0, 1) - 1
/** Keeps times before 1970 positive. */
const OFFSET_MS = -Date.parse('0001-01-01T00:00:00Z')

/** Returns the text that names a session in answers and paths. It is no secret: who may read a site is checked with each call. */
export const sessionIdOf = ({ startedAt, sessionNo }: SessionKey): string =>
  `${(startedAt.getTime() + OFFSET_MS).toString(36)}-${sessionNo.toString(36)}`

/** Returns the session that a text names; undefined when it names none. */
export function readSessionId(id: string): SessionKey | undefined {
  const [, time, number] = FORM.exec(id) ?? []
  if (time === undefined || number === undefined) return undefined
  const at = Number.parseInt(time, 36) - OFFSET_MS
  const sessionNo = Number.parseInt(number, 36)
  const key = { startedAt: new Date(at), sessionNo }
  const isValid = at <= LATEST_MS && Number.isSafeInteger(sessionNo)
  return isValid && sessionIdOf(key) === id ? key : undefined
}
