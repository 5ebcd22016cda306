import { randomUUID } from 'node:crypto'
import type { Response } from 'express'

const ACCEPTABLE = /^[A-Za-z0-9_-]{8,64}$/

/** Returns the id for the answer and the log: the client's id if it has 8 to 64 safe characters, else a new UUID. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID()
}

/** Returns the id that `app.ts` gave to the request of this response. */
export function givenRequestId(res: Response): string {
  return res.locals.requestId as string
}
