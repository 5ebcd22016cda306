import { expect } from 'vitest'
import { routes } from '../../../src/http/api/routes.ts'
import type { Section } from '../../../src/platform/dimensions/sections.ts'
import { fieldsOf } from '../../../src/platform/schema/known-fields.ts'
import { startRevenue } from '../../contract/revenue-shop.ts'
import { ADA, BEN, DAY, dayOfHits, hit } from '../../contract/stats-site.ts'
import { shareInBrowser } from '../../support/shares.ts'
import type { Json } from '../../support/stripe.ts'

export const RANGE = { from: DAY, to: DAY }

/** The first goal is of pages; events of money convert the others that `isMoney` marks. */
export const GOALS = [
  { isMoney: false, match_type: 'page', match_value: '/pricing' },
  { isMoney: false, match_type: 'event', match_value: 'signup', currency: 'USD' },
  { isMoney: true, match_type: 'event', match_value: 'signup', match_operator: 'is_not' },
  { isMoney: true, match_type: 'event', match_value: '^(pay|sign)', match_operator: 'matches_regex' },
  { isMoney: false, match_type: 'event', match_value: '^sign', match_operator: 'matches_regex' },
  { isMoney: true, match_type: 'event', match_value: 'sub*', match_operator: 'matches_pattern' },
  { isMoney: false, match_type: 'scroll', match_value: '/pricing', scroll_threshold: 50 },
]

/** A site with hits of every kind, payments, subscriptions' goals and goals of its own. */
export async function startSharing() {
  const revenue = await startRevenue()
  const site = await revenue.shop()
  await revenue.store([
    ...dayOfHits(site),
    hit(site, `${DAY}T13:00:00Z`, { url: '/blog/a', title: 'Blog', visitorId: BEN }, { country: 'FR' }),
    hit(
      site,
      `${DAY}T13:01:00Z`,
      { type: 'event', name: 'signup', url: '/blog/a', visitorId: BEN, props: { plan: 'free' } },
      { country: 'FR' },
    ),
  ])
  for (const [visitor, time] of [
    [ADA, '09:30:00'],
    [BEN, '13:05:00'],
  ]) {
    const paid = await revenue.pay(site, { visitor_id: visitor, amount: 5_000, timestamp: `${DAY}T${time}Z` })
    expect(paid.status).toBe(201)
  }
  const goals: string[] = []
  for (const [index, { isMoney: _, ...body }] of GOALS.entries())
    goals.push(await revenue.goal(site, { ...body, display_name: `goal ${index}` }))
  const { data } = await revenue.read(site, `/stats/errors?${toQuery(RANGE)}`)
  const sessions = await revenue.read(site, `/stats/sessions?${toQuery({ ...RANGE, visitor_id: ADA })}`)
  const session = sessions.data[0].session_id as string
  const url = revenue.api.url

  const headersOf = (credential: string | undefined): Record<string, string> =>
    credential === undefined ? {} : { Authorization: `Bearer ${credential}` }

  return {
    ...revenue,
    site,
    goals,
    errorId: data[0].id as string,
    async share(sections: Section[], fields: object = {}): Promise<Json> {
      const body = { name: 'test', sections, ...fields }
      const made = await shareInBrowser(revenue.api, revenue.owner, site.path, body)
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      return made.body
    },
    async setPublic(isPublic: boolean): Promise<void> {
      const set = await revenue.call('PATCH', `${site.path}/sharing`, { is_public: isPublic })
      expect(set.status).toBe(200)
    },
    /** @param path below the site; `{error}` is the id of an error, `{session}` a session and `{person}` its visitor */
    async rest(path: string, input: Input, credential?: string): Promise<Read> {
      const filled = path.replace('{session}', session).replace('{person}', ADA)
      const full = `${site.path}${filled.replace('{error}', String(input.error ?? data[0].id))}`
      const { error: _, ...query } = input
      const answer = await fetch(`${url}${full}?${toQuery(query)}`, { headers: headersOf(credential) })
      return { status: answer.status, headers: answer.headers, body: await answer.json() }
    },
    async trpc(procedure: string, input: Input, credential?: string): Promise<Read> {
      const { inputs } = routes.find(route => route.procedure === procedure)!
      const known = new Set(inputs.flatMap(fieldsOf))
      const keys = { error: data[0].id, session, person: ADA }
      const fields = Object.entries({ siteKey: site.id, ...keys, ...input }).filter(([name]) =>
        known.has(name),
      )
      const text = encodeURIComponent(JSON.stringify(Object.fromEntries(fields)))
      const answer = await fetch(`${url}/trpc/${procedure}?input=${text}`, { headers: headersOf(credential) })
      const body = (await answer.json()) as Json
      return {
        status: answer.status,
        headers: answer.headers,
        body: body.error ? body.error.data : body.result.data,
      }
    },
  }
}

export type Sharing = Awaited<ReturnType<typeof startSharing>>

export interface Read {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  body: any
}

type Filter = string | string[] | Record<string, string | string[]>
export type Input = Record<string, Filter | number>

/** The query string of an input: `{path: {contains: 'a'}}` is `path[contains]=a`. */
function toQuery(input: Input): string {
  const pairs = Object.entries(input).flatMap(([name, given]): [string, string][] => {
    if (typeof given === 'number') return [[name, String(given)]]
    if (typeof given === 'string' || Array.isArray(given)) return [given].flat().map(value => [name, value])
    return Object.entries(given).flatMap(([operator, values]) =>
      [values].flat().map((value): [string, string] => [`${name}[${operator}]`, value]),
    )
  })
  return new URLSearchParams(pairs).toString()
}
