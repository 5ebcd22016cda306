import { expect, test } from 'vitest'
import { DAY, hit, type StatsSite, THAT_DAY, useStats } from './stats-site.ts'

let site: StatsSite
let fingerprint: string
const read = (path: string) => stats.read(site, path)
const link = (path: string) => `${stats.api.services.config.baseUrl}${site.path}${path}`

/** Seven visitors, each with a page, a title and an error of their own, and one error that all have. */
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const stats = useStats(async () => {
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

/** Every list in pages: its path and query, its default `per_page` and how many rows it has. */
const lists = (): [string, string, number, number][] => [
  ['/stats/events', '', 50, 21],
  ['/stats/page-titles', '', 25, 7],
  ['/stats/breakdown', 'dimension=path&', 25, 7],
  ['/stats/errors', '', 20, 8],
  [`/stats/errors/${fingerprint}/events`, '', 20, 7],
]
const NAMES = ['events', 'titles', 'breakdown', 'errors', 'occurrences']

// Every wrong page and size: test/platform/schema/pagination.test.ts.
test.each(NAMES)(
  'pages of %s: each row is on one of them, in order; beyond the last there is none',
  async name => {
    const [path, own, perPage, total] = lists()[NAMES.indexOf(name)]!
    const query = `${own}${THAT_DAY}`
    const { data: all, links, meta } = await read(`${path}?${query}`)
    expect(meta).toEqual({ current_page: 1, per_page: perPage, total, last_page: 1 })
    const only = link(`${path}?${query}&page=1`)
    expect(links).toEqual({ first: only, last: only, prev: null, next: null })
    expect((await read(`${path}?${query}&per_page=100`)).data).toHaveLength(total)

    const seen: unknown[] = []
    const lastPage = Math.ceil(total / 3)
    let next: string | null = link(`${path}?${query}&per_page=3`)
    for (let page = 1; next; page++) {
      const { pathname, search } = new URL(next)
      const answer = await stats.ask(`${pathname}${search}`)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.json.meta).toEqual({ current_page: page, per_page: 3, total, last_page: lastPage })
      expect(answer.json.links.prev === null).toBe(page === 1)
      seen.push(...answer.json.data)
      next = answer.json.links.next
    }
    expect(seen).toEqual(all)

    for (const page of [lastPage + 1, 1_000_000]) {
      const beyond = await read(`${path}?${query}&per_page=3&page=${page}`)
      expect(beyond.data).toEqual([])
      expect(beyond.meta).toEqual({ current_page: page, per_page: 3, total, last_page: lastPage })
      expect(beyond.links.next).toBeNull()
      expect(beyond.links.prev).toBe(beyond.links.last)
    }
    const empty = await read(`${path}?${own}from=2026-01-01&to=2026-01-01`)
    expect(empty.data).toEqual([])
    expect(empty.meta).toEqual({ current_page: 1, per_page: perPage, total: 0, last_page: 1 })
    expect(empty.links).toMatchObject({ prev: null, next: null, first: empty.links.last })

    // A name with brackets is a parameter that nobody knows; it must not be half understood.
    for (const given of ['per_page[]=5', 'page[is]=1']) {
      const answer = await stats.ask(`${site.path}${path}?${query}&${given}`)
      const isIgnored = answer.status === 200 && answer.headers['x-ignored-parameters'] !== undefined
      expect(isIgnored || answer.status === 422, given).toBe(true)
    }
  },
)

test('links to other pages keep the site key of the request', async () => {
  const { json } = await stats.ask(`${site.path}`)
  const path = `/api/sites/${json.domain}/stats/events`
  const { json: page } = await stats.ask(`${path}?${THAT_DAY}`)
  expect(new URL(page.links.first).pathname).toBe(path)
})
