import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { siteOf, type Teammate, teammate } from '../support/teammates.ts'

let api: Api
let owner: Teammate
beforeAll(async () => {
  api = await startApi()
  owner = await teammate(api)
})
afterAll(() => api.close())

const TIMES = ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00+14:00']

test('tokens and shares: far ends and odd characters are accepted or refused, never a fault', async () => {
  const shares = `/api/sites/${await siteOf(api, owner.teamId)}/shares`
  const share = { name: 'x', sections: ['traffic'] }
  const asked: [path: string, body: object][] = TIMES.flatMap((expires_at): [string, object][] => [
    ['/api/tokens', { name: 'x', expires_at }],
    [shares, { ...share, expires_at }],
  ])
  for (const value of ['\0', '\ud800', 'a\0b'])
    asked.push([shares, { ...share, name: `${value}x`, filters: { path: value, country: [value] } }])
  for (const [path, body] of asked) {
    const { status } = await owner.ask('POST', path, body)
    expect([201, 422], JSON.stringify(body)).toContain(status)
    expect((await owner.ask('GET', path)).status).toBe(200)
  }
})

test('passkeys: an id that no passkey can have is 404', async () => {
  for (const id of ['\0', '\ud800', 'x'.repeat(9_000)]) {
    const removed = await owner.ask('POST', '/trpc/passkeys.remove', { id })
    expect([id, removed.status]).toEqual([id, 404])
  }
})
