import { randomUUID } from 'node:crypto'

const ACCEPTABLE = /^[A-Za-z0-9_-]{8,64}$/

/** The id under which a request is answered and logged: its own when that is a harmless one, else a new UUID. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID()
}
