import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  type Ask,
  after,
  alertBody,
  bodies,
  change,
  connect,
  type Exercise,
  erase,
  expectItems,
  funnelBody,
  goalBody,
  hit,
  items,
  newAlert,
  newAnnotation,
  newestSessionId,
  newestVisitorId,
  newFunnel,
  newGoal,
  newSegment,
  newShare,
  newSite,
  newTotals,
  newWebhook,
  newWebhookId,
  ofError,
  one,
  page,
  patch,
  pay,
  payment,
  processor,
  queries,
  turnOff,
  twice,
  webhookBody,
} from './exercise-steps.ts'
import { SIGN_IN_EXERCISES } from './exercises-of-sign-in.ts'
import { importExercises } from './import-exercises.ts'
import { loginExercises } from './login-exercises.ts'
import { reportExercises } from './report-exercises.ts'
import { teamExercises } from './team-exercises.ts'

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))

/** Asks for a script, and again with its tag. */
const twiceCached = async (ask: Ask) => {
  const { headers } = await ask()
  await ask({ headers: { 'If-None-Match': headers.get('etag')! } })
}

/**
 * How each operation is brought to each answer that is particular to it. What many have in common (400, 401, 402, 403, 413,
 * 429, 503…) is asked of every one without being written here.
 */
export const exercises: Record<string, Exercise> = {
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
  'GET /api/sites/{siteKey}/export': queries(
    'format=jsonl',
    'format=csv',
    'format=parquet',
    'from=2026-03-01',
  ),
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
  'GET /js/script.js': twiceCached,
  'GET /js/vitals.js': twiceCached,
  'GET /js/replay.js': twiceCached,
  'GET /healthz': ask => ask(),
  'GET /readyz': ask => ask(),
  'GET /metrics': async (ask, { api }) => {
    await ask()
    await ask({ headers: { 'X-Forwarded-For': '203.0.113.7' } })
    api.services.config.metricsToken = 'a token for metrics'
    await ask()
    api.services.config.metricsToken = undefined
  },
  'GET /api/sites': queries('search=e&sort=domain_asc&period=7d', 'sort=size'),
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
    await ask({ query: `goal=${await newGoal(world)}&compare=previous_year` })
    await ask({ query: 'from=2026-03-01' })
  },
  'GET /api/sites/{siteKey}/stats/timeseries': async ask => {
    await items('values', 'metric=visitors&range=last_7_days', 'metric=mood')(ask)
    await items('values', 'metric=bounce_rate&range=last_7_days')(ask)
    await items('previous_labels', 'metric=visitors&compare=previous&group=hour')(ask)
  },
  'GET /api/sites/{siteKey}/stats/live': items('minutes', 'country[is_not]=XX', 'path[near]=/'),
  'GET /api/sites/{siteKey}/stats/breakdown': async (ask, world) => {
    await page('dimension=browser')(ask)
    const asked = `dimension=path&search=/&compare=previous&conversion_goal=${await newGoal(world)}`
    await items('data', `${asked}&sort=conversion_rate&order=asc`)(ask)
    await queries('dimension=hour_of_week&sort=revenue', 'dimension=source&sort=scroll_depth')(ask)
  },
  'GET /api/sites/{siteKey}/explain': after(pay, async ask => {
    await expectItems(ask({ query: 'metric=pageviews&compare=previous' }), body => body.rows.data)
    await items('sources', 'metric=revenue&range=last_30_days', 'metric=mood')(ask)
  }),
  'GET /api/sites/{siteKey}/stats/goals': after(newGoal, items('', '', 'prop_value=1')),
  'POST /api/sites/{siteKey}/check-installation': ask => ask(),
  'GET /api/sites/{siteKey}/stats/goal-preview': items(
    'examples',
    `definition=${json({ match_type: 'page', match_value: '/**' })}`,
    'definition=none',
  ),
  'GET /api/sites/{siteKey}/stats/funnel': items(
    'rows',
    `steps=${json(funnelBody().steps)}&range=last_7_days&dimension=path&compare=previous`,
    'steps=none',
  ),
  'GET /api/sites/{siteKey}/stats/funnels/{funnel}': one('funnel', newFunnel, '', 'dimension=goal'),
  'GET /api/sites/{siteKey}/stats/events': page('types=pageview,event,error'),
  'GET /api/sites/{siteKey}/stats/events/timeseries': async ask => {
    await expectItems(ask({ query: 'types=event' }), body => body.series.event)
    await ask({ query: 'path[near]=/' })
  },
  'GET /api/sites/{siteKey}/stats/events/property-breakdown': items(
    'rows',
    'event_type=event&event_name=signup',
    'event_type=pageview&event_name=signup',
  ),
  'GET /api/sites/{siteKey}/stats/sessions': page(),
  'GET /api/sites/{siteKey}/stats/sessions/{session}': one('session', newestSessionId, '', 'per_page=0'),
  'GET /api/sites/{siteKey}/stats/replays': page(),
  'GET /api/sites/{siteKey}/stats/replays/{session}': one('session', newestSessionId, '', 'cursor=none'),
  'DELETE /api/sites/{siteKey}/stats/replays/{session}': async (ask, world) => {
    await twice('session', newestSessionId)(ask, world)
    await ask({ path: { session: 'a'.repeat(101) } })
  },
  'GET /api/sites/{siteKey}/stats/people': page('kind=visitors'),
  'GET /api/sites/{siteKey}/stats/people/{person}': one('person', newestVisitorId, '', 'range=ever'),
  'GET /api/sites/{siteKey}/stats/people/{person}/timeline': one(
    'person',
    newestVisitorId,
    '',
    'page=1000&per_page=100',
  ),
  'GET /api/sites/{siteKey}/stats/journeys': items(
    'steps',
    'starting_at=/pricing&range=last_7_days',
    'by=title',
  ),
  'GET /api/sites/{siteKey}/stats/retention': items(
    'cohorts',
    'period=day&range=last_7_days',
    'cohort=payment&measure=visitors',
  ),
  'GET /api/sites/{siteKey}/stats/web-vitals': queries('compare=previous', 'path[near]=/'),
  'GET /api/sites/{siteKey}/stats/web-vitals/breakdown': queries(
    'metric=lcp&dimension=path&sort=p75',
    'metric=lcp&dimension=event_name',
  ),
  'GET /api/sites/{siteKey}/stats/web-vitals/timeseries': items('samples', 'metric=cls', 'metric=speed'),
  'GET /api/sites/{siteKey}/stats/web-vitals/attribution': queries('metric=inp', 'metric=inp&per_page=0'),
  'GET /api/sites/{siteKey}/stats/page-titles': page(),
  'GET /api/sites/{siteKey}/stats/page-titles/timeseries': items('values', 'title=Pricing', ''),
  'GET /api/sites/{siteKey}/stats/clicks': page('types=button,form'),
  'GET /api/sites/{siteKey}/stats/scroll': items('reached', 'path=/', ''),
  'GET /api/sites/{siteKey}/stats/filter-values': items('values', 'dimension=path&limit=5', 'dimension=goal'),
  'GET /api/sites/{siteKey}/stats/money': queries('range=last_7_days&compare=previous_year', 'compare=never'),
  'GET /api/sites/{siteKey}/stats/money/movements': items(
    'mrr',
    'range=last_7_days&compare=previous',
    'group=second',
  ),
  'GET /api/sites/{siteKey}/stats/money/changes': queries('', 'per_page=0'),
  'GET /api/sites/{siteKey}/stats/money/breakdown': after(pay, page('dimension=channel')),
  'GET /api/sites/{siteKey}/stats/money/lifetime-value': after(pay, page('dimension=channel')),
  'GET /api/sites/{siteKey}/stats/money/customers': after(pay, page()),
  'GET /api/sites/{siteKey}/stats/money/subscriptions': queries('', 'status=late'),
  'GET /api/sites/{siteKey}/stats/errors': page(),
  'GET /api/sites/{siteKey}/stats/errors/{error}': ofError(),
  'GET /api/sites/{siteKey}/stats/errors/{error}/timeseries': ofError(body => body.series.error),
  'GET /api/sites/{siteKey}/stats/errors/{error}/events': ofError(body => body.data),
  'GET /api/sites/{siteKey}/goals': after(newGoal, page('per_page=1&search=visit')),
  'GET /api/sites/{siteKey}/funnels': after(newFunnel, page('per_page=1')),
  'POST /api/sites/{siteKey}/funnels': bodies(...Array(2).fill(funnelBody())),
  'GET /api/sites/{siteKey}/funnels/{funnel}': one('funnel', newFunnel),
  'PATCH /api/sites/{siteKey}/funnels/{funnel}': patch('funnel', newFunnel, funnelBody(), { steps: [] }),
  'DELETE /api/sites/{siteKey}/funnels/{funnel}': twice('funnel', newFunnel),
  'POST /api/sites/{siteKey}/goals': bodies(...Array(2).fill(goalBody())),
  'POST /api/sites/{siteKey}/goals/batch': bodies(
    { event_names: ['signup', 'payment'] },
    { event_names: [] },
  ),
  'PATCH /api/sites/{siteKey}/goals/{goal}': patch('goal', newGoal, goalBody(), {
    match_type: 'scroll',
    match_value: '/',
  }),
  'DELETE /api/sites/{siteKey}/goals/{goal}': twice('goal', newGoal),
  'GET /api/sites/{siteKey}/payments': after(pay, page()),
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
  'GET /api/sites/{siteKey}/erasures': after(erase, page()),
  'GET /api/sites/{siteKey}/erasures/{id}': one('id', erase),
  'GET /api/sites/{siteKey}/shared': ask => ask(),
  'GET /api/sites/{siteKey}/segments': after(newSegment, items('')),
  'POST /api/sites/{siteKey}/segments': async (ask, world) => {
    const filters = { path: { starts_with: '/blog' }, goal: await newGoal(world) }
    await bodies({ name: 'a', filters, visibility: 'site' }, { name: 'a', filters: {} })(ask)
  },
  'GET /api/sites/{siteKey}/segments/{segment}': one('segment', newSegment),
  'PATCH /api/sites/{siteKey}/segments/{segment}': patch('segment', newSegment, { name: 'b' }, { name: '' }),
  'DELETE /api/sites/{siteKey}/segments/{segment}': twice('segment', newSegment),
  'GET /api/sites/{siteKey}/annotations': after(newAnnotation, page('range=all')),
  'POST /api/sites/{siteKey}/annotations': bodies(
    { text: 'a', starts_at: '2026-03-09', ends_at: '2026-03-10' },
    { text: 'a', starts_at: 'today' },
  ),
  'PATCH /api/sites/{siteKey}/annotations/{annotation}': patch(
    'annotation',
    newAnnotation,
    { starts_at: '2026-03-09T10:00:00Z' },
    { text: '' },
  ),
  'DELETE /api/sites/{siteKey}/annotations/{annotation}': twice('annotation', newAnnotation),
  'GET /api/sites/{siteKey}/imported-totals': after(newTotals, items('')),
  'DELETE /api/sites/{siteKey}/imported-totals/{import}': twice('import', newTotals),
  'GET /api/sites/{siteKey}/shares': after(newShare, items('')),
  'POST /api/sites/{siteKey}/shares': async ask => {
    const filters = { country: ['DE'], path: { starts_with: '/blog' } }
    const share = { name: 'a', sections: ['traffic'], filters, expires_at: '2099-12-31T00:00:00Z' }
    await bodies(share, { ...share, sections: [] })(ask)
  },
  'PATCH /api/sites/{siteKey}/shares/{id}': patch(
    'id',
    async world => (await newShare(world)).id,
    { sections: ['traffic', 'pages'] },
    { sections: ['everything'] },
  ),
  'DELETE /api/sites/{siteKey}/shares/{id}': twice('id', async world => (await newShare(world)).id),
  'POST /api/shares/open': async (ask, world) => {
    const { secret } = await newShare(world, { password: 'correct horse battery' })
    await ask({ body: { secret, password: 'correct horse battery' } })
    await ask({ body: { secret } })
  },
  'GET /api/sites/{siteKey}/webhooks': after(newWebhook, items('')),
  'POST /api/sites/{siteKey}/webhooks': bodies(webhookBody(), {
    ...webhookBody(),
    url: 'file:///etc/passwd',
  }),
  'PATCH /api/sites/{siteKey}/webhooks/{webhook}': patch(
    'webhook',
    newWebhookId,
    { is_enabled: false },
    { name: '' },
  ),
  'DELETE /api/sites/{siteKey}/webhooks/{webhook}': twice('webhook', newWebhookId),
  'POST /api/sites/{siteKey}/webhooks/{webhook}/secret': patch(
    'webhook',
    newWebhookId,
    { overlap_hours: 1 },
    { overlap_hours: -1 },
  ),
  'POST /api/sites/{siteKey}/webhooks/{webhook}/test': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook } })
    await turnOff(world, webhook)
    await ask({ path: { webhook } })
    await ask()
  },
  'GET /api/sites/{siteKey}/webhooks/{webhook}/deliveries': async (ask, world) => {
    const path = { webhook: await newWebhookId(world) }
    await expectItems(ask({ path }), body => body.data)
    await ask({ path, query: 'state=lost' })
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
  'GET /api/sites/{siteKey}/alerts': after(newAlert, items('')),
  'GET /api/sites/{siteKey}/alerts/incidents': async (ask, { api, site }) => {
    await api.services.db`
      insert into alert_incidents (rule_id, site_no, rule_name, kind, text, value, bound, opened_at)
      select gen_random_uuid(), site_no, 'Silence', 'no_hits', 'text', 3, 3, now() from sites where id = ${site.id}`
    await page('page=1')(ask)
  },
  'POST /api/sites/{siteKey}/alerts': bodies(
    alertBody(),
    // Without a mail server no address can be asked.
    { ...alertBody(), emails: ['ada@example.com'] },
    { ...alertBody(), webhooks: [randomUUID()] },
  ),
  'PATCH /api/sites/{siteKey}/alerts/{alert}': patch(
    'alert',
    newAlert,
    { is_enabled: false },
    { emails: ['x'] },
  ),
  'DELETE /api/sites/{siteKey}/alerts/{alert}': twice('alert', newAlert),
  'POST /api/sites/{siteKey}/alerts/{alert}/test': one('alert', newAlert),
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
