import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  type Ask,
  alertBody,
  change,
  connect,
  expectItems,
  funnelBody,
  goalBody,
  hit,
  newAlert,
  newAnnotation,
  newestSession,
  newFunnel,
  newGoal,
  newSegment,
  newShare,
  newSite,
  newTotals,
  newWebhook,
  ofError,
  page,
  pay,
  payment,
  processor,
  turnOff,
  type World,
  webhookBody,
} from './exercise-steps.ts'
import { SIGN_IN_EXERCISES } from './exercises-of-sign-in.ts'
import { importExercises } from './import-exercises.ts'
import { loginExercises } from './login-exercises.ts'
import { reportExercises } from './report-exercises.ts'
import { teamExercises } from './team-exercises.ts'

/**
 * How each operation is brought to each answer that is particular to it. What many have in common (400, 401, 402, 403, 413,
 * 429, 503…) is asked of every one without being written here.
 */
export const exercises: Record<string, (ask: Ask, world: World) => Promise<unknown>> = {
  ...SIGN_IN_EXERCISES,
  ...loginExercises,
  ...teamExercises,
  ...importExercises,
  ...reportExercises,
  'POST /api/collect': hit({ url: { path: '/' } }, { url: {} }),
  'POST /api/event': hit({ name: 'signup', revenue: { amount: 5, currency: 'USD' } }, { name: '' }),
  'POST /api/engage': hit({ url: { path: '/' }, sd: 20, time: 1_000 }, { sd: -1 }),
  'POST /api/web-vitals': hit(
    { url: { path: '/' }, id: '0b8a4d1e-5a7f-4a53-9c66-3d2f3c0f7c11', lcp: 2_140.5, cls: 0.02 },
    { lcp: -1 },
  ),
  'POST /api/replay': hit({ path: '/', page_ms: 5 }, { page_ms: -1 }),
  'POST /api/identify': hit(
    { identifier: 'user-1', avatar: 'https://example.com/a.png' },
    { avatar: 'a.png' },
  ),
  'GET /api/sites/{siteKey}/export': async ask => {
    for (const format of ['jsonl', 'csv', 'parquet']) await ask({ query: `format=${format}` })
    await ask({ query: 'from=2026-03-01' })
  },
  'GET /api/sites/{siteKey}/export/{kind}': async ask => {
    await ask({ path: { kind: 'settings' } })
    await ask({ path: { kind: 'secrets' } })
  },
  'GET /favicons/{domain}': async (ask, { site }) => {
    await ask({ path: { domain: site.domain } })
    await ask({ path: { domain: 'unknown.example' } })
  },
  'GET /avatars/{file}': async ask => {
    await ask({ path: { file: `${randomUUID()}.svg` } })
    await ask({ path: { file: 'nobody.svg' } })
  },
  'GET /avatars/{visitor}/{picture}': async ask => {
    await ask()
    await ask({ path: { picture: 'made-up' } })
  },
  'GET /js/script.js': async ask => {
    const { headers } = await ask()
    await ask({ headers: { 'If-None-Match': headers.get('etag')! } })
  },
  'GET /js/vitals.js': async ask => {
    const { headers } = await ask()
    await ask({ headers: { 'If-None-Match': headers.get('etag')! } })
  },
  'GET /js/replay.js': async ask => {
    const { headers } = await ask()
    await ask({ headers: { 'If-None-Match': headers.get('etag')! } })
  },
  'GET /healthz': ask => ask(),
  'GET /readyz': ask => ask(),
  'GET /metrics': async (ask, { api }) => {
    await ask()
    await ask({ headers: { 'X-Forwarded-For': '203.0.113.7' } })
    api.services.config.metricsToken = 'a token for metrics'
    await ask()
    api.services.config.metricsToken = undefined
  },
  'GET /api/sites': async ask => {
    await ask({ query: 'search=e&sort=domain_asc&period=7d' })
    await ask({ query: 'sort=size' })
  },
  'POST /api/sites': async (ask, { api, site }) => {
    await ask({ body: { domain: `${randomUUID()}.example`, timezone: 'Europe/Berlin' } })
    await ask({ body: { domain: site.domain } })
    await ask({ body: { domain: 'a.example' }, token: (await api.member({ plan: 'lapsed' })).token })
  },
  'GET /api/sites/{siteKey}': (ask, { site }) => ask({ path: { siteKey: site.domain } }),
  'DELETE /api/sites/{siteKey}': async (ask, world) => {
    const { id } = await newSite(world)
    await ask({ path: { siteKey: id } })
  },
  'PATCH /api/sites/{siteKey}/domain': async (ask, world) => {
    const { id } = await newSite(world)
    await ask({ path: { siteKey: id }, body: { domain: `${randomUUID()}.example` } })
    await ask({ path: { siteKey: id }, body: { domain: world.site.domain } })
  },
  'PATCH /api/sites/{siteKey}/timezone': change({ timezone: 'Asia/Kolkata' }, { timezone: 'PST' }),
  'PATCH /api/sites/{siteKey}/currency': change({ currency: 'EUR' }, { currency: 'XXX' }),
  'PATCH /api/sites/{siteKey}/tracking-mode': change({ tracking_mode: 'cookie' }, {}),
  'PATCH /api/sites/{siteKey}/sharing': change({ is_public: true }, { is_public: 'yes' }),
  'PATCH /api/sites/{siteKey}/features': change({ track_errors: true }, { track_errors: 1 }),
  'PATCH /api/sites/{siteKey}/retention': change({ retention_months: 25 }, { retention_months: 0 }),
  'DELETE /api/sites/{siteKey}/history': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await ask({ path, query: 'before=2026-03-01' })
    await world.api.services.db`update sites set details_from = '2026-04-01' where id = ${path.siteKey}`
    await ask({ path, query: 'before=2026-03-01' })
  },
  'PATCH /api/sites/{siteKey}/pin': async (ask, world) =>
    ask({ path: { siteKey: (await newSite(world)).id } }),
  'GET /api/sites/{siteKey}/identify-secret': async ask => ask(),
  'PUT /api/sites/{siteKey}/identify-secret': async (ask, world) =>
    ask({ path: { siteKey: (await newSite(world)).id } }),
  'DELETE /api/sites/{siteKey}/identify-secret': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await ask({ path })
    await world.api.call('PUT', `/api/sites/${path.siteKey}/identify-secret`, { token: world.owner.token })
    await ask({ path })
  },
  'GET /api/sites/{siteKey}/overview': async (ask, world) => {
    await ask({ path: { siteKey: (await newSite(world)).id } })
    await pay(world)
    await connect(world, world.site.id)
    const { body } = await ask({ query: 'range=last_7_days' })
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['revenue', 'mrr']))
    await ask({ query: `goal=${(await newGoal(world)).id}&compare=previous_year` })
    await ask({ query: 'from=2026-03-01' })
  },
  'GET /api/sites/{siteKey}/stats/timeseries': async ask => {
    for (const metric of ['visitors', 'bounce_rate']) {
      await expectItems(ask({ query: `metric=${metric}&range=last_7_days` }), body => body.values)
    }
    await expectItems(
      ask({ query: 'metric=visitors&compare=previous&group=hour' }),
      body => body.previous_labels,
    )
    await ask({ query: 'metric=mood' })
  },
  'GET /api/sites/{siteKey}/stats/live': async ask => {
    await expectItems(ask({ query: 'country[is_not]=XX' }), body => body.minutes)
    await ask({ query: 'path[near]=/' })
  },
  'GET /api/sites/{siteKey}/stats/breakdown': async (ask, world) => {
    await page('dimension=browser')(ask)
    const asked = `dimension=path&search=/&compare=previous&conversion_goal=${(await newGoal(world)).id}`
    await expectItems(ask({ query: `${asked}&sort=conversion_rate&order=asc` }), body => body.data)
    await ask({ query: 'dimension=hour_of_week&sort=revenue' })
    await ask({ query: 'dimension=source&sort=scroll_depth' })
  },
  'GET /api/sites/{siteKey}/explain': async (ask, world) => {
    await expectItems(ask({ query: 'metric=pageviews&compare=previous' }), body => body.rows.data)
    await pay(world)
    await expectItems(ask({ query: 'metric=revenue&range=last_30_days' }), body => body.sources)
    await ask({ query: 'metric=mood' })
  },
  'GET /api/sites/{siteKey}/stats/goals': async (ask, world) => {
    await newGoal(world)
    await expectItems(ask(), body => body)
    await ask({ query: 'prop_value=1' })
  },
  'POST /api/sites/{siteKey}/check-installation': ask => ask(),
  'GET /api/sites/{siteKey}/stats/goal-preview': async ask => {
    const definition = encodeURIComponent(JSON.stringify({ match_type: 'page', match_value: '/**' }))
    await expectItems(ask({ query: `definition=${definition}` }), body => body.examples)
    await ask({ query: 'definition=none' })
  },
  'GET /api/sites/{siteKey}/stats/funnel': async ask => {
    const steps = encodeURIComponent(JSON.stringify(funnelBody().steps))
    await expectItems(
      ask({ query: `steps=${steps}&range=last_7_days&dimension=path&compare=previous` }),
      body => body.rows,
    )
    await ask({ query: 'steps=none' })
  },
  'GET /api/sites/{siteKey}/stats/funnels/{funnel}': async (ask, world) => {
    const path = { funnel: (await newFunnel(world)).id }
    await expectItems(ask({ path }), body => body.steps)
    await ask({ path: { funnel: randomUUID() } })
    await ask({ path, query: 'dimension=goal' })
  },
  'GET /api/sites/{siteKey}/stats/events': page('types=pageview,event,error'),
  'GET /api/sites/{siteKey}/stats/events/timeseries': async ask => {
    await expectItems(ask({ query: 'types=event' }), body => body.series.event)
    await ask({ query: 'path[near]=/' })
  },
  'GET /api/sites/{siteKey}/stats/events/property-breakdown': async ask => {
    await expectItems(ask({ query: 'event_type=event&event_name=signup' }), body => body.rows)
    await ask({ query: 'event_type=pageview&event_name=signup' })
  },
  'GET /api/sites/{siteKey}/stats/sessions': page(),
  'GET /api/sites/{siteKey}/stats/sessions/{session}': async (ask, world) => {
    const path = { session: (await newestSession(world)).session_id }
    await expectItems(ask({ path }), body => body.data)
    await ask({ path: { session: 'none' } })
    await ask({ path, query: 'per_page=0' })
  },
  'GET /api/sites/{siteKey}/stats/replays': page(),
  'GET /api/sites/{siteKey}/stats/replays/{session}': async (ask, world) => {
    const path = { session: (await newestSession(world)).session_id }
    await expectItems(ask({ path }), body => body.data)
    await ask({ path: { session: 'none' } })
    await ask({ path, query: 'cursor=none' })
  },
  'DELETE /api/sites/{siteKey}/stats/replays/{session}': async (ask, world) => {
    const path = { session: (await newestSession(world)).session_id }
    await ask({ path })
    await ask({ path })
    await ask({ path: { session: 'a'.repeat(101) } })
  },
  'GET /api/sites/{siteKey}/stats/people': page('kind=visitors'),
  'GET /api/sites/{siteKey}/stats/people/{person}': async (ask, world) => {
    await ask({ path: { person: (await newestSession(world)).visitor_id } })
    await ask({ path: { person: 'nobody' } })
    await ask({ query: 'range=ever' })
  },
  'GET /api/sites/{siteKey}/stats/people/{person}/timeline': async (ask, world) => {
    const path = { person: (await newestSession(world)).visitor_id }
    await expectItems(ask({ path }), body => body.data)
    await ask({ path: { person: 'nobody' } })
    await ask({ path, query: 'page=1000&per_page=100' })
  },
  'GET /api/sites/{siteKey}/stats/journeys': async ask => {
    await expectItems(ask({ query: 'starting_at=/pricing&range=last_7_days' }), body => body.steps)
    await ask({ query: 'by=title' })
  },
  'GET /api/sites/{siteKey}/stats/retention': async ask => {
    await expectItems(ask({ query: 'period=day&range=last_7_days' }), body => body.cohorts)
    await ask({ query: 'cohort=payment&measure=visitors' })
  },
  'GET /api/sites/{siteKey}/stats/web-vitals': async ask => {
    await ask({ query: 'compare=previous' })
    await ask({ query: 'path[near]=/' })
  },
  'GET /api/sites/{siteKey}/stats/web-vitals/breakdown': async ask => {
    await ask({ query: 'metric=lcp&dimension=path&sort=p75' })
    await ask({ query: 'metric=lcp&dimension=event_name' })
  },
  'GET /api/sites/{siteKey}/stats/web-vitals/timeseries': async ask => {
    await expectItems(ask({ query: 'metric=cls' }), body => body.samples)
    await ask({ query: 'metric=speed' })
  },
  'GET /api/sites/{siteKey}/stats/web-vitals/attribution': async ask => {
    await ask({ query: 'metric=inp' })
    await ask({ query: 'metric=inp&per_page=0' })
  },
  'GET /api/sites/{siteKey}/stats/page-titles': page(),
  'GET /api/sites/{siteKey}/stats/page-titles/timeseries': async ask => {
    await expectItems(ask({ query: 'title=Pricing' }), body => body.values)
    await ask()
  },
  'GET /api/sites/{siteKey}/stats/clicks': page('types=button,form'),
  'GET /api/sites/{siteKey}/stats/scroll': async ask => {
    await expectItems(ask({ query: 'path=/' }), body => body.reached)
    await ask()
  },
  'GET /api/sites/{siteKey}/stats/filter-values': async ask => {
    await expectItems(ask({ query: 'dimension=path&limit=5' }), body => body.values)
    await ask({ query: 'dimension=goal' })
  },
  'GET /api/sites/{siteKey}/stats/money': async ask => {
    await ask({ query: 'range=last_7_days&compare=previous_year' })
    await ask({ query: 'compare=never' })
  },
  'GET /api/sites/{siteKey}/stats/money/movements': async ask => {
    await expectItems(ask({ query: 'range=last_7_days&compare=previous' }), body => body.mrr)
    await ask({ query: 'group=second' })
  },
  'GET /api/sites/{siteKey}/stats/money/changes': async ask => {
    await ask()
    await ask({ query: 'per_page=0' })
  },
  'GET /api/sites/{siteKey}/stats/money/breakdown': async (ask, world) => {
    await pay(world)
    await page('dimension=channel')(ask)
  },
  'GET /api/sites/{siteKey}/stats/money/lifetime-value': async (ask, world) => {
    await pay(world)
    await page('dimension=channel')(ask)
  },
  'GET /api/sites/{siteKey}/stats/money/customers': async (ask, world) => {
    await pay(world)
    await page()(ask)
  },
  'GET /api/sites/{siteKey}/stats/money/subscriptions': async ask => {
    await ask()
    await ask({ query: 'status=late' })
  },
  'GET /api/sites/{siteKey}/stats/errors': page(),
  'GET /api/sites/{siteKey}/stats/errors/{error}': ofError(),
  'GET /api/sites/{siteKey}/stats/errors/{error}/timeseries': ofError(body => body.series.error),
  'GET /api/sites/{siteKey}/stats/errors/{error}/events': ofError(body => body.data),
  'GET /api/sites/{siteKey}/goals': async (ask, world) => {
    await newGoal(world)
    await page('per_page=1&search=visit')(ask)
  },
  'GET /api/sites/{siteKey}/funnels': async (ask, world) => {
    await newFunnel(world)
    await page('per_page=1')(ask)
  },
  'POST /api/sites/{siteKey}/funnels': async ask => {
    const body = funnelBody()
    await ask({ body })
    await ask({ body })
  },
  'GET /api/sites/{siteKey}/funnels/{funnel}': async (ask, world) => {
    await ask({ path: { funnel: (await newFunnel(world)).id } })
    await ask({ path: { funnel: randomUUID() } })
  },
  'PATCH /api/sites/{siteKey}/funnels/{funnel}': async (ask, world) => {
    const path = { funnel: (await newFunnel(world)).id }
    await ask({ path, body: funnelBody() })
    await ask({ path, body: { steps: [] } })
    await ask({ path: { funnel: randomUUID() }, body: funnelBody() })
  },
  'DELETE /api/sites/{siteKey}/funnels/{funnel}': async (ask, world) => {
    const path = { funnel: (await newFunnel(world)).id }
    await ask({ path })
    await ask({ path })
  },
  'POST /api/sites/{siteKey}/goals': async ask => {
    const body = goalBody()
    await ask({ body })
    await ask({ body })
  },
  'POST /api/sites/{siteKey}/goals/batch': async ask => {
    await expectItems(ask({ body: { event_names: ['signup', 'payment'] } }), body => body)
    await ask({ body: { event_names: [] } })
  },
  'PATCH /api/sites/{siteKey}/goals/{goal}': async (ask, world) => {
    const { id } = await newGoal(world)
    await ask({ path: { goal: id }, body: goalBody() })
    await ask({ path: { goal: id }, body: { match_type: 'scroll', match_value: '/' } })
    await ask({ body: goalBody() })
  },
  'DELETE /api/sites/{siteKey}/goals/{goal}': async (ask, world) => {
    const { id } = await newGoal(world)
    await ask({ path: { goal: id } })
    await ask({ path: { goal: id } })
  },
  'GET /api/sites/{siteKey}/payments': async (ask, world) => {
    await pay(world)
    await page()(ask)
  },
  'POST /api/sites/{siteKey}/payments': async ask => {
    const body = payment()
    await ask({ body })
    await ask({ body })
    await ask({ body: { ...body, amount: 0 } })
  },
  'DELETE /api/sites/{siteKey}/payments': async (ask, world) => {
    const { transaction_id } = await pay(world)
    await ask({ body: { transaction_id } })
    await ask({ body: { transaction_id } })
  },
  'POST /api/processor/webhook/{siteId}': async ask => {
    const event = {
      id: 'evt_1',
      object: 'event',
      created: 1_774_777_267,
      type: 'unheard.of',
      data: { object: {} },
    }
    await ask({ body: event })
    await ask({ body: event, headers: { 'Stripe-Signature': 't=1,v1=00' } })
    await ask({ path: { siteId: randomUUID() }, body: event })
  },
  'PUT /api/sites/{siteKey}/processor': change(processor, { provider: 'other' }),
  'GET /api/sites/{siteKey}/processor': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await ask({ path })
    await connect(world, path.siteKey)
    await ask({ path })
  },
  'POST /api/sites/{siteKey}/processor/import': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await ask({ path })
    await connect(world, path.siteKey)
    await ask({ path })
    await connect(world, path.siteKey, { ...processor, api_key: 'rk_test_1' })
    await ask({ path, body: { from: 'yesterday' } })
    await ask({ path, body: { from: '2026-01-01' } })
  },
  'GET /api/sites/{siteKey}/processor/import': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await ask({ path })
    await connect(world, path.siteKey, { ...processor, api_key: 'rk_test_1' })
    await world.api.call('POST', `/api/sites/${path.siteKey}/processor/import`, {
      token: world.owner.token,
      body: {},
    })
    await ask({ path })
  },
  'DELETE /api/sites/{siteKey}/processor': async (ask, world) => {
    const path = { siteKey: (await newSite(world)).id }
    await connect(world, path.siteKey)
    await ask({ path })
    await ask({ path })
  },
  'PATCH /api/tokens/{id}': async (ask, { api, owner }) => {
    const made = await api.call('POST', '/api/tokens', { token: owner.token, body: { name: 'before' } })
    await ask({ path: { id: made.body.id }, body: { name: 'after' } })
    await ask({ body: { name: 'of none' } })
  },
  'DELETE /api/sites/{siteKey}/visitors/{person}': async ask => {
    await ask({ path: { person: 'user-1' } })
    await ask({ path: { person: 'x'.repeat(1_001) } })
  },
  'GET /api/sites/{siteKey}/visitors/{person}/export': async ask => {
    await expectItems(ask({ path: { person: 'user-1' } }), body => body.hits)
    await ask({ path: { person: 'user-1' }, query: 'cursor=x' })
  },
  'GET /api/sites/{siteKey}/erasures': async (ask, { api, owner, site }) => {
    await api.call('DELETE', `/api/sites/${site.id}/visitors/user-1`, { token: owner.token })
    await page()(ask)
  },
  'GET /api/sites/{siteKey}/erasures/{id}': async (ask, { api, owner, site }) => {
    const path = `/api/sites/${site.id}/visitors/user-1`
    const { body } = await api.call('DELETE', path, { token: owner.token })
    await ask({ path: { id: body.id } })
    await ask({ path: { id: randomUUID() } })
  },
  'GET /api/sites/{siteKey}/shared': ask => ask(),
  'GET /api/sites/{siteKey}/segments': async (ask, world) => {
    await newSegment(world)
    await expectItems(ask(), body => body)
  },
  'POST /api/sites/{siteKey}/segments': async (ask, world) => {
    const filters = { path: { starts_with: '/blog' }, goal: (await newGoal(world)).id }
    await ask({ body: { name: 'a', filters, visibility: 'site' } })
    await ask({ body: { name: 'a', filters: {} } })
  },
  'GET /api/sites/{siteKey}/segments/{segment}': async (ask, world) => {
    await ask({ path: { segment: await newSegment(world) } })
    await ask()
  },
  'PATCH /api/sites/{siteKey}/segments/{segment}': async (ask, world) => {
    const path = { segment: await newSegment(world) }
    await ask({ path, body: { name: 'b' } })
    await ask({ path, body: { name: '' } })
    await ask({ body: {} })
  },
  'DELETE /api/sites/{siteKey}/segments/{segment}': async (ask, world) => {
    await ask({ path: { segment: await newSegment(world) } })
    await ask()
  },
  'GET /api/sites/{siteKey}/annotations': async (ask, world) => {
    await newAnnotation(world)
    await page('range=all')(ask)
  },
  'POST /api/sites/{siteKey}/annotations': async ask => {
    await ask({ body: { text: 'a', starts_at: '2026-03-09', ends_at: '2026-03-10' } })
    await ask({ body: { text: 'a', starts_at: 'today' } })
  },
  'PATCH /api/sites/{siteKey}/annotations/{annotation}': async (ask, world) => {
    const path = { annotation: await newAnnotation(world) }
    await ask({ path, body: { starts_at: '2026-03-09T10:00:00Z' } })
    await ask({ path, body: { text: '' } })
    await ask({ body: {} })
  },
  'DELETE /api/sites/{siteKey}/annotations/{annotation}': async (ask, world) => {
    await ask({ path: { annotation: await newAnnotation(world) } })
    await ask()
  },
  'GET /api/sites/{siteKey}/imported-totals': async (ask, world) => {
    await newTotals(world)
    await expectItems(ask(), body => body)
  },
  'DELETE /api/sites/{siteKey}/imported-totals/{import}': async (ask, world) => {
    await ask({ path: { import: await newTotals(world) } })
    await ask({ path: { import: randomUUID() } })
  },
  'GET /api/sites/{siteKey}/shares': async (ask, world) => {
    await newShare(world)
    await expectItems(ask(), body => body)
  },
  'POST /api/sites/{siteKey}/shares': async ask => {
    const filters = { country: ['DE'], path: { starts_with: '/blog' } }
    await ask({ body: { name: 'a', sections: ['traffic'], filters, expires_at: '2099-12-31T00:00:00Z' } })
    await ask({ body: { name: 'a', sections: [] } })
  },
  'PATCH /api/sites/{siteKey}/shares/{id}': async (ask, world) => {
    const { id } = await newShare(world)
    await ask({ path: { id }, body: { sections: ['traffic', 'pages'] } })
    await ask({ path: { id }, body: { sections: ['everything'] } })
    await ask({ path: { id: randomUUID() }, body: {} })
  },
  'DELETE /api/sites/{siteKey}/shares/{id}': async (ask, world) => {
    const { id } = await newShare(world)
    await ask({ path: { id } })
    await ask({ path: { id } })
  },
  'POST /api/shares/open': async (ask, world) => {
    const { secret } = await newShare(world, { password: 'correct horse battery' })
    await ask({ body: { secret, password: 'correct horse battery' } })
    await ask({ body: { secret } })
  },
  'GET /api/sites/{siteKey}/webhooks': async (ask, world) => {
    await newWebhook(world)
    await expectItems(ask(), body => body)
  },
  'POST /api/sites/{siteKey}/webhooks': async ask => {
    await ask({ body: webhookBody() })
    await ask({ body: { ...webhookBody(), url: 'file:///etc/passwd' } })
  },
  'PATCH /api/sites/{siteKey}/webhooks/{webhook}': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook }, body: { is_enabled: false } })
    await ask({ path: { webhook }, body: { name: '' } })
    await ask({ body: {} })
  },
  'DELETE /api/sites/{siteKey}/webhooks/{webhook}': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook } })
    await ask({ path: { webhook } })
  },
  'POST /api/sites/{siteKey}/webhooks/{webhook}/secret': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook }, body: { overlap_hours: 1 } })
    await ask({ path: { webhook }, body: { overlap_hours: -1 } })
    await ask({ body: {} })
  },
  'POST /api/sites/{siteKey}/webhooks/{webhook}/test': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook } })
    await turnOff(world, webhook)
    await ask({ path: { webhook } })
    await ask()
  },
  'GET /api/sites/{siteKey}/webhooks/{webhook}/deliveries': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await expectItems(ask({ path: { webhook } }), body => body.data)
    await ask({ path: { webhook }, query: 'state=lost' })
    await ask()
  },
  'GET /api/sites/{siteKey}/webhooks/{webhook}/deliveries/{delivery}': async (ask, world) => {
    await ask({ path: await newWebhook(world) })
    await ask()
  },
  'POST /api/sites/{siteKey}/webhooks/{webhook}/deliveries/{delivery}/redeliver': async (ask, world) => {
    const path = await newWebhook(world)
    await ask({ path })
    await turnOff(world, path.webhook)
    await ask({ path })
    await ask()
  },
  'GET /api/sites/{siteKey}/alerts': async (ask, world) => {
    await newAlert(world)
    await expectItems(ask(), body => body)
  },
  'GET /api/sites/{siteKey}/alerts/incidents': async (ask, { api, site }) => {
    await api.services.db`
      insert into alert_incidents (rule_id, site_no, rule_name, kind, text, value, bound, opened_at)
      select gen_random_uuid(), site_no, 'Silence', 'no_hits', 'text', 3, 3, now() from sites where id = ${site.id}`
    await page('page=1')(ask)
  },
  'POST /api/sites/{siteKey}/alerts': async ask => {
    await ask({ body: alertBody() })
    // Without a mail server no address can be asked.
    await ask({ body: { ...alertBody(), emails: ['ada@example.com'] } })
    await ask({ body: { ...alertBody(), webhooks: [randomUUID()] } })
  },
  'PATCH /api/sites/{siteKey}/alerts/{alert}': async (ask, world) => {
    const path = { alert: await newAlert(world) }
    await ask({ path, body: { is_enabled: false } })
    await ask({ path, body: { emails: ['x'] } })
    await ask({ body: {} })
  },
  'DELETE /api/sites/{siteKey}/alerts/{alert}': async (ask, world) => {
    const path = { alert: await newAlert(world) }
    await ask({ path })
    await ask({ path })
  },
  'POST /api/sites/{siteKey}/alerts/{alert}/test': async (ask, world) => {
    await ask({ path: { alert: await newAlert(world) } })
    await ask()
  },
  'GET /api/timezones': ask => ask(),
  'GET /api/currencies': ask => ask(),
  'GET /api/audit-log': page('action=site.create'),
  'GET /api/tokens': ask => ask(),
  'POST /api/tokens': async (ask, { api, site }) => {
    await ask({ body: { name: 'one site', site_ids: [site.id], expires_at: '2099-12-31T00:00:00Z' } })
    await ask({ body: { name: 'none', site_ids: [randomUUID()] } })
    await ask({ body: { name: '' } })
    const full = await api.member()
    for (let made = 1; made < 50; made++) await api.token(full, {})
    await ask({ body: { name: 'one too many' }, token: full.token })
  },
  'DELETE /api/tokens/{id}': async (ask, { api, owner, viewer }) => {
    const made = await api.call('POST', '/api/tokens', { token: owner.token, body: { name: 'short-lived' } })
    await ask({ path: { id: made.body.id }, token: viewer.token })
    await ask({ path: { id: made.body.id }, body: { cascade: true } })
    await ask({ path: { id: made.body.id } })
  },
}
