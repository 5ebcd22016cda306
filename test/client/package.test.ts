// @module-tag full
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/platform/config/config.ts'
import { appRouter } from '../../src/trpc/root.ts'
import { dayOfHits, startStats } from '../contract/stats-site.ts'
import { ofFile } from '../support/of-file.ts'
import { emptyProject } from './empty-project.ts'

const project = ofFile(emptyProject)
const stats = ofFile(() => startStats())

test('client package: it holds JavaScript and declarations, under 100 kB, and imports tRPC alone', async () => {
  const files = await readdir(project.installed, { recursive: true })
  const built = ['dist', 'dist/LICENSE', 'dist/index.d.ts', 'dist/index.js']
  expect(files.sort()).toEqual(['README.md', ...built, 'package.json'])
  expect((await stat(project.tarball)).size).toBeLessThan(100_000)
  expect(Object.keys(project.manifest.dependencies!)).toEqual(['@trpc/client', '@trpc/server'])
  expect(project.manifest.peerDependencies).toBeUndefined()
  // TypeScript is a peer dependency of tRPC.
  expect(project.packages).toEqual(['@trpc/client', '@trpc/server', 'typescript'])
  for (const file of ['index.js', 'index.d.ts']) {
    const text = await readFile(join(project.installed, 'dist', file), 'utf8')
    for (const [, imported] of text.matchAll(/(?<!["'])\b(?:from|import)\s*\(?["']([^"']+)/g))
      expect(imported).toMatch(/^@trpc\/(client|server)$/)
  }
})

const TYPES = `
import { type AppRouter, createClient, type Goal, type Inputs, type Outputs, type Site } from '@analytics-backend/client'
import type { TRPCClientError } from '@trpc/client'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Expect<T extends true> = T
type IsTyped<T> = 0 extends 1 & T ? false : true

const client = createClient('http://127.0.0.1:3000', 'wa_')
`

const SAMPLES = `
export const overview = client.stats.overview.query({ siteKey: 'a.com', range: 'today', path: { contains: ['/a'] } })
export const site = client.sites.create.mutate({ domain: 'a.com' })
export const goals = client.goals.list.query({ siteKey: 'a.com', page: 2 })
export const sites = client.sites.list.query()
type Overview = Awaited<typeof overview>
type Code = NonNullable<TRPCClientError<AppRouter>['data']>['code']
export type Cases = [
  Expect<Equal<Overview['visitors'], number>>,
  Expect<Equal<Overview['revenue'], number | undefined>>,
  Expect<Equal<keyof Overview['kpi'], 'metric' | 'label' | 'currency' | 'static'>>,
  Expect<Equal<Awaited<typeof site>, Site>>,
  Expect<Equal<Site['tracking_mode'], 'cookieless' | 'cookie'>>,
  Expect<Equal<Site['created_at'], string | null>>,
  Expect<Equal<Awaited<typeof goals>['data'], Goal[]>>,
  Expect<Equal<Goal['custom_props'], Record<string, string>>>,
  Expect<Equal<Outputs['stats']['timeseries']['values'], number[]>>,
  Expect<Equal<Inputs['payments']['delete'], { siteKey: string; transaction_id: string }>>,
  Expect<Equal<Inputs['sites']['updateSharing'], { siteKey: string; is_public: boolean }>>,
  Expect<Equal<Extract<Code, 'not_found' | 'misspelt'>, 'not_found'>>,
]
// @ts-expect-error: the site is missing
client.stats.overview.query({ range: 'today' })
// @ts-expect-error: no such range
client.stats.overview.query({ siteKey: 'a.com', range: 'someday' })
// @ts-expect-error: no such operator
client.stats.overview.query({ siteKey: 'a.com', path: { resembles: '/a' } })
// @ts-expect-error: an amount is a number
client.payments.record.mutate({ siteKey: 'a.com', amount: '1', currency: 'USD', transaction_id: 'a' })
// @ts-expect-error: a mutation is not a query
client.sites.create.query({ domain: 'a.com' })
// @ts-expect-error: no such procedure
client.stats.undersight.query({ siteKey: 'a.com' })
`

type Procedures = Record<string, { _def: { type: 'query' | 'mutation' } }>
const procedures = appRouter._def.procedures as unknown as Procedures
/** A call of each procedure, and checks that its types are not lost. */
const calls = Object.entries(procedures).map(([path, { _def }], index) => {
  const [input, output] = ['Inputs', 'Outputs'].map(all => `${all}['${path.replaceAll('.', "']['")}']`)
  const verb = _def.type === 'query' ? 'query' : 'mutate'
  return `
export const call${index} = (input: ${input}): Promise<${output}> => client.${path}.${verb}(input)
export type Typed${index} = [Expect<IsTyped<${input}>>, Expect<IsTyped<${output}>>]`
})

/** Installed with the client, since tRPC needs it. */
const COMPILER = 'node_modules/typescript/bin/tsc'
const NATIVE_COMPILER = join(projectRoot, 'node_modules', 'typescript-7', 'bin', 'tsc')

test.each([
  ['the default settings', [COMPILER]],
  ['TypeScript 7 and libraries of ES2022', [NATIVE_COMPILER, '--target', 'es2022', '--module', 'nodenext']],
])(
  'client package: inputs and outputs of every procedure are inferred, with %s',
  { tags: ['full'] },
  async (_, command) => {
    expect(calls.length).toBeGreaterThan(40)
    const text = TYPES + SAMPLES + calls.join('')
    expect(await project.run('types.ts', text, [...command, '--strict', '--noEmit'])).toBe('')
  },
)

test('client package: the script of its README reads an overview', { tags: ['full'] }, async () => {
  const readme = await readFile(join(projectRoot, 'src', 'client', 'README.md'), 'utf8')
  const script = readme.match(/```js\n([\s\S]*?)```/)![1]!
  const site = await stats.site()
  await stats.store(dayOfHits(site))
  const siteKey = site.id
  const { domain } = await stats.client.sites.get.query({ siteKey })
  const { visitors, previous } = await stats.client.stats.overview.query({ siteKey, range: 'last_30_days' })
  expect(visitors).toBe(3)
  const settings = { ANALYTICS_URL: stats.api.url, ANALYTICS_TOKEN: stats.owner.token }
  expect(await project.run('script.js', script, [], settings)).toBe(
    `${domain}: ${visitors} visitors, ${previous.visitors} before\n`,
  )
})
