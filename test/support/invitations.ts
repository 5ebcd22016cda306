import { randomUUID } from 'node:crypto'
import type { Answer, Api } from './api.ts'
import type { Teammate } from './teammates.ts'

export const newAddress = () => `${randomUUID()}@example.com`

/** Invites an address; a new one unless given. */
export const invite = (
  person: Teammate,
  body: { email?: unknown; role?: unknown; site_ids?: unknown } = {},
): Promise<Answer> => person.ask('POST', '/api/invitations', { email: newAddress(), role: 'member', ...body })

/** The secret in the link of an answer. */
export const secretOf = ({ body }: Answer): string => new URL(body.url).hash.slice(1)

export const PASSWORD = 'a long enough password'

/** Accepts as somebody without a login. */
export const acceptAsNew = (api: Api, secret: unknown, fields: object = { password: PASSWORD }) =>
  api.call('POST', '/api/invitations/accept', { body: { secret, ...fields } })

export const acceptAs = (person: Teammate, secret: string): Promise<Answer> =>
  person.ask('POST', '/api/invitations/accept', { secret })

export const lookUp = (api: Api, secret: unknown) =>
  api.call('POST', '/api/invitations/look-up', { body: { secret } })
