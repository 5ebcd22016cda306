// @module-tag full
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dimension, isHitDimension } from '../../../src/platform/dimensions/dimensions.ts'
import { SECTIONS, type Section } from '../../../src/platform/dimensions/sections.ts'
import { ofFile } from '../../support/of-file.ts'
import type { Json } from '../../support/stripe.ts'
import { masked, ownersInput, PUBLIC, READS, type SharedRead } from './reads.ts'
import { GOALS, type Input, type Read, startSharing } from './world.ts'

const world = ofFile(startSharing)
/** Secrets of shares with one section each. */
const secrets = {} as Record<Section, string>
let everything: string

beforeAll(async () => {
  world.api.services.config.limits.browser = 0
  for (const section of SECTIONS) secrets[section] = (await world.share([section])).secret
  everything = (await world.share([...SECTIONS])).secret
})

const WAYS = {
  rest: (read: SharedRead, input: Input, credential?: string) => world.rest(read.path, input, credential),
  tRPC: (read: SharedRead, input: Input, credential?: string) =>
    world.trpc(read.procedure, input, credential),
}
type Ask = (read: SharedRead, input: Input, credential?: string) => Promise<Read>

const nameOf = ({ procedure, input: { from: _f, to: _t, ...rest } }: SharedRead) =>
  `${procedure} ${JSON.stringify(rest)}`

const isMoneyGoal = ({ id }: Json) => {
  const index = world.goals.indexOf(id)
  return index < 0 || GOALS[index]!.isMoney
}

const isOfHits = (name: string) => isHitDimension(name as Dimension)

/** Reads whose answer an owner cannot get by filters: their goals and values are compared by themselves. */
const isListed = ({ procedure, input }: SharedRead) =>
  procedure === 'goals.list' || (procedure === 'stats.filterValues' && input.dimension === 'event_name')

/** Expects what an owner gets with the same filters, without what the sections leave out. */
async function expectOwners(
  ask: Ask,
  read: SharedRead,
  sections: readonly Section[],
  credential?: string,
  fixed: Input = {},
) {
  const answer = await ask(read, read.input, credential)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  if (isListed(read) && !sections.includes('revenue')) return
  const asked = { ...read, input: { ...read.input, ...fixed } }
  const owners = await ask(read, ownersInput(asked, sections), world.owner.token)
  const { links: _, ...expected } = Array.isArray(owners.body)
    ? { links: null, rows: masked(read, owners.body as never, sections, isMoneyGoal) }
    : masked(read, owners.body, sections, isMoneyGoal)
  const { links, ...given } = Array.isArray(answer.body) ? { links: null, rows: answer.body } : answer.body
  // Those times could be of hits that the filters of a share leave out.
  const untimed = (row: object) => ({ ...row, first_seen: null, last_seen: null })
  const isUntimed = read.procedure === 'stats.errors' && Object.keys(fixed).length > 0
  expect(given).toEqual(isUntimed ? { ...expected, data: expected.data.map(untimed) } : expected)
  for (const link of Object.values(links ?? {})) if (link) expect(link).not.toContain('wsh_')
}

// That strangers are refused each read stands in test/contract/access.txt; that ended shares and those of other sites are, in shares.test.ts.
describe.each(Object.entries(WAYS))('shared reads over %s', (_way, ask) => {
  test.each(READS.map(read => [nameOf(read), read] as const))(
    '%s: a share with one section reads it if that is its section, and gets the numbers of an owner',
    async (_, read) => {
      for (const section of SECTIONS) {
        if (section === read.section) await expectOwners(ask, read, [section], secrets[section])
        else {
          const refused = await ask(read, read.input, secrets[section])
          expect([section, refused.status, refused.body.code]).toEqual([section, 403, 'forbidden'])
          expect(refused.body.message).toContain(` ${read.section},`)
        }
      }
    },
  )

  test.each(READS.map(read => [nameOf(read), read] as const))(
    '%s: a share with everything gets the whole answer of an owner',
    async (_, read) => {
      const given = await ask(read, read.input, everything)
      expect(given.body).toEqual((await ask(read, read.input, world.owner.token)).body)
    },
  )

  test.each([
    ['a country', { country: 'DE' }],
    ['a path', { path: { starts_with: '/pri' } }],
    ['a pattern', { title: { matches_pattern: 'Pri*' } }],
    ['two dimensions', { browser: ['Chrome'], path: { is_not: '/home' } }],
    ['an event', { event_name: { is_not: 'outbound' } }],
  ] satisfies [string, Input][])(
    'a share that is narrowed to %s gives the numbers of an owner with that filter',
    async (_, filters) => {
      const { secret } = await world.share([...PUBLIC], { filters })
      for (const read of READS.filter(({ section }) => PUBLIC.includes(section))) {
        const hasOwn = Object.keys(filters).some(name => name in read.input)
        if (hasOwn || (read.procedure.startsWith('stats.error') && read.procedure !== 'stats.errors'))
          continue
        // An owner's filter on the dimension itself is not applied to its values; that of a share is.
        if (read.procedure === 'stats.filterValues' && String(read.input.dimension) in filters) continue
        // An owner's filter on hits keeps whole sessions, that of a share only the matching hits.
        if (read.procedure === 'stats.journeys' && Object.keys(filters).some(isOfHits)) continue
        await expectOwners(ask, read, PUBLIC, secret, filters)
      }
    },
  )
})

test('a share that is narrowed to some pages shows no other page on the way of a session', async () => {
  const ofTitles = READS.find(({ procedure }) => procedure === 'stats.journeys')!
  const { starting_at: _, ...range } = ofTitles.input
  const journeys = { ...ofTitles, input: { ...range, by: 'path', ending_at: '/pricing' } }
  const { secret } = await world.share([...PUBLIC], { filters: { path: { starts_with: '/pri' } } })
  const answers = await Promise.all(
    [secret, world.owner.token].map(credential => WAYS.rest(journeys, journeys.input, credential)),
  )
  const [shown, all] = answers.map(({ body }) =>
    body.steps.flatMap((step: { nodes: { kind: string; value: string }[] }) =>
      step.nodes.filter(({ kind }) => kind === 'value').map(({ value }) => value),
    ),
  )
  expect(shown.length).toBeGreaterThan(0)
  expect(shown.every((value: string) => value.startsWith('/pri'))).toBe(true)
  expect(all.some((value: string) => !value.startsWith('/pri'))).toBe(true)
})

describe.each(Object.entries(WAYS))('public sites over %s', (_way, ask) => {
  beforeAll(() => world.setPublic(true))
  afterAll(() => world.setPublic(false))

  test.each(READS.map(read => [nameOf(read), read] as const))(
    '%s: everybody reads it, but for money, people and stacks',
    async (_, read) => {
      if (PUBLIC.includes(read.section)) await expectOwners(ask, read, PUBLIC)
      else {
        const refused = await ask(read, read.input)
        expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
        expect(refused.body.message).toContain(` ${read.section},`)
      }
    },
  )
})
