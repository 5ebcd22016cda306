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

test.each(TIMES)('tokens: the end %s is accepted or refused, never a fault', async expires_at => {
  const made = await owner.ask('POST', '/api/tokens', { name: 'x', expires_at })
  expect([201, 422]).toContain(made.status)
  expect((await owner.ask('GET', '/api/tokens')).status).toBe(200)
})

test.each(TIMES)('shares: the end %s is accepted or refused, never a fault', async expires_at => {
  const site = await siteOf(api, owner.teamId)
  const share = { name: 'x', sections: ['traffic'], expires_at }
  const made = await owner.ask('POST', `/api/sites/${site}/shares`, share)
  expect([201, 422]).toContain(made.status)
  expect((await owner.ask('GET', `/api/sites/${site}/shares`)).status).toBe(200)
})

test.each(['\0', '\ud800', 'a\0b'])(
  'shares: a filter by %j is accepted or refused, never a fault',
  async value => {
    const site = await siteOf(api, owner.teamId)
    const share = { name: `${value}x`, sections: ['traffic'], filters: { path: value, country: [value] } }
    const made = await owner.ask('POST', `/api/sites/${site}/shares`, share)
    expect([201, 422]).toContain(made.status)
  },
)

test('passkeys: an id that no passkey can have is 404', async () => {
  for (const id of ['\0', '\ud800', 'x'.repeat(9_000)]) {
    const removed = await owner.ask('POST', '/trpc/passkeys.remove', { id })
    expect([id, removed.status]).toEqual([id, 404])
  }
})
