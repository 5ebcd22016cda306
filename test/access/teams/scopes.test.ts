import { expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../../src/access/teams/caller.ts'
import { routes } from '../../../src/http/api/routes.ts'
import { ofFile } from '../../support/of-file.ts'
import { teammate } from '../../support/teammates.ts'
import { useApi } from './use-api.ts'

const api = useApi()
const owner = ofFile(() => teammate(api))

const tokenWith = (scopes: Scope[]) => api.token(owner, { scopes })
const make = (token: string, scopes: unknown) =>
  api.call('POST', '/api/tokens', { token, body: { name: 'x', scopes } })

test('scopes: every endpoint that is neither open nor of a person alone has one', () => {
  const others = routes.filter(({ isScoped, isOpen, isPersonal }) => !isScoped && !isOpen && !isPersonal)
  expect(others.map(({ procedure }) => procedure)).toEqual([])
})

test('scopes: a token never gives a wider scope than its own, which is the default, except for admin', async () => {
  for (const [own, wanted, status] of [
    [['write'], ['read'], 422],
    [['write'], ['write', 'ingest'], 422],
    [['write'], ['write'], 201],
    [['read', 'write'], ['read'], 201],
    [['read', 'write'], ['read', 'write', 'ingest'], 422],
    [['read', 'write', 'ingest'], ['ingest'], 201],
    [['read', 'write', 'ingest'], ['admin'], 422],
    [[...SCOPES], ['read', 'admin'], 201],
    [['read'], ['read'], 403],
    [['ingest'], ['ingest'], 403],
  ] as [Scope[], Scope[], number][]) {
    const made = await make(await tokenWith(own), wanted)
    expect([own, wanted, made.status]).toEqual([own, wanted, status])
    if (status === 201) expect(made.body.scopes).toEqual(wanted)
    if (status === 422) expect(Object.keys(made.body.errors)).toEqual(['scopes'])
  }
  for (const scopes of [undefined, null]) {
    const made = await make(await tokenWith(['read', 'write']), scopes)
    expect(made.body.scopes).toEqual(['read', 'write'])
    expect((await make(made.body.token, ['ingest'])).status).toBe(422)
  }
  const made = await make(await tokenWith([...SCOPES]), undefined)
  expect(made.body.scopes).toEqual(['read', 'write', 'ingest'])
})

test('scopes: a browser gives any scope, admin only by name, and nothing that is none', async () => {
  const give = (scopes: unknown) => owner.ask('POST', '/api/tokens', { name: 'x', scopes })
  expect((await give(undefined)).body.scopes).toEqual(['read', 'write', 'ingest'])
  expect((await give(['ingest', 'read', 'read'])).body.scopes).toEqual(['read', 'ingest'])
  for (const scopes of [[], 'read', ['all'], [5], {}, ['read', 'write', 'ingest', 'admin', 'read']])
    expect([scopes, (await give(scopes)).status]).toEqual([scopes, 422])
})

test('scopes: a token does not rename itself into another scope, and renames need write', async () => {
  const made = (await owner.ask('POST', '/api/tokens', { name: 'x', scopes: ['read'] })).body
  const path = `/api/tokens/${made.id}`
  expect((await api.call('PATCH', path, { token: made.token, body: { name: 'y' } })).status).toBe(403)
  const renamed = await owner.ask('PATCH', path, { name: 'y', scopes: ['write'] })
  expect(renamed.body).toMatchObject({ name: 'y', scopes: ['read'] })
})
