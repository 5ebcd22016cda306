import { expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { type Site, type SiteOptions, sharedWorld } from './world.ts'

const world = sharedWorld()

/** Opens a page, does something there, and returns what the console says about the tracker. */
async function visit(site: Site, script = '') {
  const person = await world.person()
  const said: string[] = []
  person.on('console', message => said.push(message.text()))
  const page = await site.open('/', person)
  await page.evaluate(script)
  return { page, said: () => said.filter(text => text.startsWith('analytics:')) }
}

const TAKEN = 'analytics: window.analytics belongs to another script: choose a name with data-name'
/** As the snippet of Segment begins. */
const SNIPPET = `{ const theirs = window.analytics = window.analytics || []
  theirs.methods = ['track', 'page']
  for (const name of theirs.methods) theirs[name] = (...args) => { theirs.push([name, ...args]); return theirs }
  theirs.page() }`

test.each(
  sweep<[string, SiteOptions, string]>([
    ['a list of another product', { body: `<script>${SNIPPET}</script>` }, 'analytics.length === 1'],
    ['an element', { body: '<p id="analytics">x</p>' }, 'analytics instanceof Element'],
    [
      'a property that cannot be written',
      {
        head: "<script>Object.defineProperty(window, 'analytics', { value: Object.freeze({ a: 1 }) })</script>",
      },
      'analytics.a === 1 && Object.keys(analytics).length === 1',
    ],
    ['a constant', { head: '<script>const analytics = { a: 1 }</script>' }, 'analytics.a === 1'],
    ['a function', { head: '<script>window.analytics = () => 7</script>' }, 'analytics() === 7'],
  ]),
)(
  'tracker: beside %s that has its name a page is tracked, and the function has another name',
  async (_, options, isUntouched) => {
    const site = await world.site(options)
    const { page, said } = await visit(site)
    await site.stored(1)
    expect(await page.evaluate(isUntouched)).toBe(true)
    expect(said()).toEqual([TAKEN])
    const named = await world.site({ ...options, attributes: 'data-name="stats"' })
    const other = await visit(named, "stats('Signup'); stats.identify('user-1')")
    const rows = (await named.stored(3)).filter(({ type }) => type !== 'identify')
    expect(rows.map(({ name }) => name).sort()).toEqual(['', 'Signup'])
    expect([await other.page.evaluate(isUntouched), other.said()]).toEqual([true, []])
  },
)

test('tracker: another script may take the name later, and the console says so once', async () => {
  const site = await world.site()
  const { page, said } = await visit(site, SNIPPET)
  await page.evaluate('analytics = { a: 1 }')
  await site.stored(1)
  expect([await page.evaluate('Object.keys(analytics)'), said()]).toEqual([['a'], [TAKEN]])
})

test('tracker: the attributes may stand in the address of the script, and one without a key says what to do', async () => {
  const { key } = await world.site()
  const untracked = await world.site()
  for (const [address, isTracked] of [
    [`/js/script.js?v=2&key=${key}&exclude=/x/*&name=stats`, true],
    ['/js/script.js', false],
  ] as const) {
    const head = `<script async src="${world.analytics}${address}"></script>`
    const site = await world.site({ head, script: '/js/none.js' })
    const { page, said } = await visit(site)
    if (!isTracked) {
      expect(said()).toEqual([expect.stringContaining('script.js?key=TRACKING_KEY')])
      continue
    }
    await page.waitForFunction('window.stats')
    const sent = page.waitForRequest(/api\/event/)
    await page.evaluate("stats('Signup')")
    expect((await sent).postDataJSON()).toMatchObject({ key, name: 'Signup' })
    expect(said()).toEqual([])
  }
  expect(await untracked.storedAfterAll()).toEqual([])
})

test.each(
  sweep<[string, string, boolean]>([
    ["script-src 'nonce-abc'; connect-src *", '', true],
    ["require-trusted-types-for 'script'; trusted-types analytics", '', true],
    [
      "require-trusted-types-for 'script'; trusted-types other",
      'needs the Trusted Types policy "analytics"',
      false,
    ],
  ]),
)(
  'tracker: under the content security policy %s further scripts are loaded, or the console says what is missing',
  async (policy, hint, isLoaded) => {
    const site = await world.site({
      head: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      ...{ attributes: 'nonce="abc"', trackVitals: true },
    })
    const { page, said } = await visit(site)
    await site.stored(1)
    if (isLoaded)
      await page.waitForFunction(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('vitals.js'))",
      )
    else await page.waitForTimeout(500)
    expect(said()).toEqual(hint ? [expect.stringContaining(hint)] : [])
  },
)
