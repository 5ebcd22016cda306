import { readFileSync } from 'node:fs'
import jsonata from 'jsonata'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../contract/stats-site.ts'
import { startSharing } from '../stats/sharing/world.ts'
import { ofFile } from '../support/of-file.ts'

interface Target extends Record<'refId' | 'type' | 'source' | 'parser' | 'format' | 'url', string> {
  datasource: object
  url_options: { method: string; params: { key: string; value: string }[] }
  root_selector: string
  columns: { selector: string; text: string; type: string }[]
}
interface Panel {
  id: number
  type: string
  title: string
  datasource: object
  gridPos: { x: number; y: number; w: number; h: number }
  targets: Target[]
}

/** A variable as a dashboard writes it. */
const variable = (name: string) => `\${${name}}`

const FOLDER = 'docs/grafana'
const text = readFileSync(`${FOLDER}/analytics.json`, 'utf8')
const dashboard = JSON.parse(text)
const panels: Panel[] = dashboard.panels
const panelOf = (title: string) => panels.find(panel => panel.title === title)!

/** Panels that Grafana has itself. */
const PANEL_TYPES = ['stat', 'timeseries', 'table']
const INFINITY = 'yesoreyeram-infinity-datasource'

test('grafana, the dashboard: has the fields that Grafana needs, and no id of another installation', () => {
  expect(dashboard).toMatchObject({
    ...{ uid: expect.stringMatching(/^[\w-]{1,40}$/), title: expect.any(String), timezone: 'browser' },
    ...{ version: expect.any(Number), time: { from: 'now-29d/d', to: 'now/d' } },
    annotations: { list: expect.any(Array) },
  })
  expect(dashboard).not.toHaveProperty('id')
  expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36)
})

test('grafana, the dashboard: panels have ids of their own, a known type, and a place of their own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = new Set<string>()
  for (const { type, title, gridPos, targets } of panels) {
    expect(PANEL_TYPES).toContain(type)
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let cell = 0; cell < gridPos.w * gridPos.h; cell++) {
      const place = `${gridPos.y + Math.floor(cell / gridPos.w)} ${gridPos.x + (cell % gridPos.w)}`
      expect(taken.has(place), `${title} overlaps`).toBe(false)
      taken.add(place)
    }
    expect(targets.length).toBeGreaterThan(0)
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
  }
})

test('grafana, the dashboard: reads only the data source that it lets choose, with known variables', () => {
  const variables: { name: string; type: string; query: string }[] = dashboard.templating.list
  const chosen = variables.find(({ type }) => type === 'datasource')
  expect(chosen).toMatchObject({ name: 'datasource', query: INFINITY })
  for (const { datasource, targets } of panels) {
    for (const each of [datasource, ...targets.map(target => target.datasource)])
      expect(each).toEqual({ type: INFINITY, uid: variable('datasource') })
  }
  const known = [...variables.map(({ name }) => name), '__from', '__to']
  for (const [, name] of text.matchAll(/\$\{(\w+)/g)) expect(known).toContain(name)
})

test('grafana, the dashboard: queries are JSON of a GET with the backend parser, and tables or series of known columns', () => {
  for (const target of panels.flatMap(({ targets }) => targets)) {
    const json = { type: 'json', source: 'url', parser: 'backend', url_options: { method: 'GET' } }
    expect(target).toMatchObject(json)
    expect(['table', 'timeseries']).toContain(target.format)
    const types = target.columns.map(({ type }) => type)
    for (const type of types) expect(['string', 'number', 'timestamp']).toContain(type)
    if (target.format === 'timeseries') expect(types).toEqual(['timestamp', 'number'])
    expect(() => jsonata(target.root_selector || '$')).not.toThrow()
  }
})

test('grafana, the dashboard: files of provisioning name the data source, the token and the folder of the dashboard', () => {
  const source = readFileSync(`${FOLDER}/datasource.yaml`, 'utf8')
  for (const line of [
    ...['apiVersion: 1', `    type: ${INFINITY}`, '    url: $ANALYTICS_URL'],
    ...['      auth_method: bearerToken', '        - $ANALYTICS_URL', '      bearerToken: $ANALYTICS_TOKEN'],
  ]) {
    expect(source.split('\n')).toContain(line)
  }
  const provider = readFileSync(`${FOLDER}/dashboards.yaml`, 'utf8')
  expect(provider).toMatch(/^apiVersion: 1\nproviders:\n.*type: file.*path: \/var\/lib\/grafana/ms)
})

describe('grafana: queries', () => {
  const world = ofFile(startSharing)
  // As Grafana writes `${__from:date:iso}`: moments, not days.
  const range = { from: `${DAY}T03:20:00.000Z`, to: `${DAY}T21:59:59.999Z` }

  beforeAll(async () => {
    const { db } = world.api.services
    await db`
      insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
      select site_no, ${new Date(`${DAY}T12:00:00Z`)}, 'sub', 'start', currency, 12000 from sites where id = ${world.site.id}`
    await db`select derive_mrr_changes(site_no, array['s:sub']) from sites where id = ${world.site.id}`
  })

  const filled = (given: string) =>
    given
      .replaceAll(variable('site'), world.site.id)
      .replaceAll(variable('__from:date:iso'), range.from)
      .replaceAll(variable('__to:date:iso'), range.to)

  /** Runs a query as the data source does: its address and headers, the root selector, then the columns. */
  async function run({ url, url_options, root_selector, columns }: Target) {
    const address = new URL(filled(url), world.api.url)
    for (const { key, value } of url_options.params) address.searchParams.append(key, filled(value))
    const answer = await fetch(address, {
      headers: { Authorization: `Bearer ${world.owner.token}`, Accept: 'application/json' },
    })
    expect([address.pathname, answer.status]).toEqual([address.pathname, 200])
    expect(answer.headers.get('x-ignored-parameters')).toBeNull()
    const body = await answer.json()
    const root = root_selector ? await jsonata(root_selector).evaluate(body) : body
    const rows: Record<string, unknown>[] = [root].flat()
    return rows.map(row =>
      columns.map(({ selector, type }) => {
        const value = row[selector]
        expect(typeof value).toBe(type === 'number' ? 'number' : 'string')
        if (type === 'timestamp') expect(Date.parse(value as string)).not.toBeNaN()
        return value
      }),
    )
  }

  const read = async (path: string) => {
    const query = `${path.includes('?') ? '&' : '?'}from=${DAY}&to=${DAY}`
    return (await world.call('GET', `${world.site.path}${path}${query}`)).body
  }

  test('every query of every panel is answered, with its columns', async () => {
    for (const { targets } of panels) for (const target of targets) expect(await run(target)).not.toEqual([])
  })

  test('figures, series and lists are those of the API for the day in which the moments lie', async () => {
    const overview = await read('/overview')
    const { revenue, mrr } = await read('/stats/money')
    const live = await world.call('GET', `${world.site.path}/stats/live`)
    expect([overview.visitors > 0, mrr]).toEqual([true, 12_000])
    for (const [title, value, target = 0] of [
      ['Visitors', overview.visitors],
      ['Bounce rate', overview.bounce_rate],
      ['Revenue', revenue / 100],
      ['MRR', 120],
      ['Visitors now', live.body.visitors],
      ['Visitors over time', overview.visitors],
      ['Visitors over time', overview.pageviews, 1],
      ['Revenue over time', overview.revenue / 100],
      ['MRR over time', 120],
    ] as const) {
      const rows = await run(panelOf(title).targets[target]!)
      expect(
        rows.map(row => row.at(-1)),
        title,
      ).toEqual([value])
    }
    for (const [title, dimension] of [
      ['Top pages', 'path'],
      ['Sources', 'source'],
    ] as const) {
      const { data } = await read(`/stats/breakdown?per_page=10&dimension=${dimension}`)
      expect(await run(panelOf(title).targets[0]!)).toEqual(
        data.map((row: Record<string, unknown>) => [row.value, row.visitors, row.pageviews, row.bounce_rate]),
      )
    }
  })
})
