import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from './requests.ts'
import { DAY, hit, type Stats, type StatsSite, startStats, THAT_DAY } from './stats-site.ts'

let stats: Stats
let site: StatsSite
let fingerprint: string
const read = (path: string) => stats.read(site, path)
const link = (path: string) => `${stats.api.services.config.baseUrl}${site.path}${path}`

/** Seven visitors, each with a page, a title and an error of their own, and one error that all have. */
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  await stats.store(
    LETTERS.flatMap((letter, index) => {
      const visitorId = `00000000-0000-4000-8000-00000000000${letter}`.replace('g', '9')
      const at = `${DAY}T10:00:0${index}Z`
      const page = { visitorId, url: `/${letter}?x=1`, title: `Title ${letter}` }
      const error = { ...page, type: 'error', name: 'error' } as const
      return [
        hit(site, at, page),
        hit(site, at, { ...error, error: { message: 'shared' } }),
        hit(site, at, { ...error, error: { message: `own ${letter}` } }),
      ]
    }),
  )
  fingerprint = (await read(`/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

/** Every list in pages: its path and query, its default `per_page` and how many rows it has. */
const lists = (): [string, string, number, number][] => [
  ['/stats/events', '', 50, 21],
  ['/stats/page-titles', '', 25, 7],
  ['/stats/breakdown', 'dimension=path&', 25, 7],
  ['/stats/errors', '', 20, 8],
  [`/stats/errors/${fingerprint}/events`, '', 20, 7],
]
const NAMES = ['events', 'titles', 'breakdown', 'errors', 'occurrences'].map((name, index) => ({
  name,
  index,
}))

describe.each(NAMES)('pages of $name', ({ index }) => {
  test('default size and a single page', async () => {
    const [path, own, perPage, total] = lists()[index]!
    const query = `${own}${THAT_DAY}`
    const { links, meta } = await read(`${path}?${query}`)
    expect(meta).toEqual({ current_page: 1, per_page: perPage, total, last_page: 1 })
    const only = link(`${path}?${query}&page=1`)
    expect(links).toEqual({ first: only, last: only, prev: null, next: null })
  })

  test('all pages together have each row once and in order', async () => {
    const [path, own, , total] = lists()[index]!
    const all = (await read(`${path}?${own}${THAT_DAY}`)).data
    const seen: unknown[] = []
    let next: string | null = link(`${path}?${own}${THAT_DAY}&per_page=3`)
    for (let page = 1; next; page++) {
      const { pathname, search } = new URL(next)
      const answer = await stats.ask(`${pathname}${search}`)
      expect(answer.status, answer.text).toBe(200)
      const lastPage = Math.ceil(total / 3)
      expect(answer.json.meta).toEqual({ current_page: page, per_page: 3, total, last_page: lastPage })
      expect(answer.json.links.prev === null).toBe(page === 1)
      seen.push(...answer.json.data)
      next = answer.json.links.next
    }
    expect(seen).toEqual(all)
  })

  test('a page beyond the last one is empty and has a previous page', async () => {
    const [path, own, , total] = lists()[index]!
    const lastPage = Math.ceil(total / 3)
    for (const page of [lastPage + 1, 1_000_000]) {
      const { data, links, meta } = await read(`${path}?${own}${THAT_DAY}&per_page=3&page=${page}`)
      expect(data).toEqual([])
      expect(meta).toEqual({ current_page: page, per_page: 3, total, last_page: lastPage })
      expect(links.next).toBeNull()
      expect(links.prev).toBe(links.last)
    }
  })

  test('a list without rows has one page', async () => {
    const [path, own, perPage] = lists()[index]!
    const { data, links, meta } = await read(`${path}?${own}from=2026-01-01&to=2026-01-01`)
    expect(data).toEqual([])
    expect(meta).toEqual({ current_page: 1, per_page: perPage, total: 0, last_page: 1 })
    expect(links).toMatchObject({ prev: null, next: null })
    expect(links.first).toBe(links.last)
  })

  test.each([
    ...['0', '101', '-1', '1.5', '1.0', '1e1', 'abc', '', '%20', '+5', '0x1', 'NaN', '9'.repeat(400)].map(
      value => `per_page=${value}`,
    ),
    ...['0', '-1', '1.5', '1.0', '1e1', 'abc', '', '%20', 'Infinity'].map(value => `page=${value}`),
    'page=1&page=2',
    'per_page=1&per_page=1',
    'per_page[]=5',
    'page[is]=1',
  ])('%s is refused', async given => {
    const [path, own] = lists()[index]!
    const answer = await stats.ask(`${site.path}${path}?${own}${THAT_DAY}&${given}`)
    // A name with brackets may be a parameter that nobody knows; it must not be half understood.
    if (given.includes('[') && answer.status === 200) {
      expect(answer.headers['x-ignored-parameters']).toBeDefined()
      return
    }
    expectError(answer, 422, 'validation_failed')
    expect(Object.keys(answer.json.errors)[0]).toMatch(/page/)
  })

  test.each(['1e18', '1000000000000000000', '9007199254740993', '9'.repeat(40)])(
    'page=%s is beyond the last page or refused',
    async page => {
      const [path, own] = lists()[index]!
      const answer = await stats.ask(`${site.path}${path}?${own}${THAT_DAY}&page=${page}`)
      expect([200, 422], answer.text).toContain(answer.status)
      if (answer.status === 200) expect(answer.json.data).toEqual([])
    },
  )

  test('per_page can be 1 and 100', async () => {
    const [path, own, , total] = lists()[index]!
    expect((await read(`${path}?${own}${THAT_DAY}&per_page=1`)).data).toHaveLength(1)
    expect((await read(`${path}?${own}${THAT_DAY}&per_page=100`)).data).toHaveLength(total)
  })
})

describe('links to other pages', () => {
  const parametersOf = (url: string) => [...new URL(url).searchParams].filter(([name]) => name !== 'page')

  test.each([
    'path=/a&path=/b&path=/c',
    'path[contains]=/&title[contains]=Title',
    'path%5Bcontains%5D=%2F',
    'path[does_not_contain]=100%25%26%3D%23',
    'title[is_not]=Gr%C3%BC%C3%9Fe+%F0%9F%99%82&title[is_not]=a%2Bb',
    'foo=1&foo=2&bar',
  ])('links to other pages keep the parameters %s', async given => {
    const query = `${THAT_DAY}&${given}&per_page=1&page=2`
    const { links, meta, data } = await read(`/stats/events?${query}`)
    expect(meta.current_page).toBe(2)
    expect(data).toHaveLength(1)
    const asked = parametersOf(link(`/stats/events?${query}`))
    const pages = { first: 1, prev: 1, next: 3, last: meta.last_page }
    for (const [name, page] of Object.entries(pages)) {
      expect(parametersOf(links[name]), name).toEqual(asked)
      expect(new URL(links[name]).searchParams.getAll('page'), name).toEqual([String(page)])
      const { origin, pathname } = new URL(links[name])
      expect(origin + pathname).toBe(link('/stats/events'))
    }
    const { pathname, search } = new URL(links.next)
    expect((await stats.ask(`${pathname}${search}`)).json.meta).toEqual({ ...meta, current_page: 3 })
  })

  test('links to other pages keep the site key of the request', async () => {
    const { json } = await stats.ask(`${site.path}`)
    const path = `/api/sites/${json.domain}/stats/events`
    const { json: page } = await stats.ask(`${path}?${THAT_DAY}`)
    expect(new URL(page.links.first).pathname).toBe(path)
  })
})

test('ranking: ties are sorted by text', async () => {
  const titles = (await read(`/stats/page-titles?${THAT_DAY}`)).data.map(
    (row: { title: string }) => row.title,
  )
  expect(titles).toEqual(LETTERS.map(letter => `Title ${letter}`))
  const { data } = await read(`/stats/breakdown?dimension=path&${THAT_DAY}`)
  expect(data.map((row: { value: string }) => row.value)).toEqual(LETTERS.map(letter => `/${letter}`))
  const { values } = await read(`/stats/filter-values?dimension=title&${THAT_DAY}`)
  expect(values.map((row: { value: string }) => row.value)).toEqual(titles)
})

test('unknown parameters: they are ignored and named in a header', async () => {
  for (const path of ['/stats/events?', '/stats/goals?', `/stats/errors/${fingerprint}?`, '/overview?']) {
    const answer = await stats.ask(`${site.path}${path}${THAT_DAY}&nonsense=1`)
    expect(answer.status).toBe(200)
    expect(answer.headers['x-ignored-parameters']).toBe('nonsense')
  }
})

test.each([0, 1001, -1, '1.5', 'abc', '', '1e2'])('filter values: the limit "%s" is refused', async limit => {
  const answer = await stats.ask(`${site.path}/stats/filter-values?dimension=path&${THAT_DAY}&limit=${limit}`)
  expectError(answer, 422, 'validation_failed')
  expect(answer.json.errors).toHaveProperty('limit')
})

test('filter values: the limit can be 1 and 1000', async () => {
  const of = (limit: number) => read(`/stats/filter-values?dimension=path&${THAT_DAY}&limit=${limit}`)
  expect((await of(1)).values).toHaveLength(1)
  expect((await of(1000)).values).toHaveLength(7)
})
