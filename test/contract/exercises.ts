import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { signIn } from '../support/browser-session.ts'
import {
  type Ask,
  after,
  alertBody,
  asUnproven,
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
  renewedShare,
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

const paths =
  (...asked: Record<string, string>[]) =>
  async (ask: Ask) => {
    for (const path of asked) await ask({ path })
  }

/** Asks of a site of its own, which is that of the world meanwhile. */
const ofNewSite =
  (exercise: Exercise): Exercise =>
  async (ask, world) => {
    const site = await newSite(world)
    await exercise(asked => ask({ path: { siteKey: site.id }, ...asked }), { ...world, site })
  }

/** Operations on a site: method and what follows `/api/sites/{siteKey}`. */
const siteExercises: Record<string, Exercise> = {
  'GET /export': queries('format=jsonl', 'format=csv', 'format=parquet', 'from=2026-03-01'),
  'GET /export/{kind}': paths({ kind: 'settings' }, { kind: 'secrets' }),
  'PATCH /domain': ofNewSite(async (ask, world) => {
    for (const domain of [`${randomUUID()}.example`, world.site.domain]) await ask({ body: { domain } })
  }),
  'PATCH /timezone': change({ timezone: 'Asia/Kolkata' }, { timezone: 'PST' }),
  'PATCH /currency': change({ currency: 'EUR' }, { currency: 'XXX' }),
  'PATCH /tracking-mode': change({ tracking_mode: 'cookie' }, {}),
  'PATCH /sharing': change({ is_public: true }, { is_public: 'yes' }),
  'PATCH /features': change({ track_errors: true }, { track_errors: 1 }),
  'PATCH /retention': change({ retention_months: 25 }, { retention_months: 0 }),
  'DELETE /history': ofNewSite(async (ask, { api, site }) => {
    await ask({ query: 'before=2026-03-01' })
    await api.services.db`update sites set details_from = '2026-04-01' where id = ${site.id}`
    await ask({ query: 'before=2026-03-01' })
  }),
  'PATCH /pin': ofNewSite(ask => ask()),
  'GET /identify-secret': ask => ask(),
  'PUT /identify-secret': ofNewSite(ask => ask()),
  'DELETE /identify-secret': ofNewSite(async (ask, { api, owner, site }) => {
    await ask()
    await api.call('PUT', `/api/sites/${site.id}/identify-secret`, { token: owner.token })
    await ask()
  }),
  'GET /overview': async (ask, world) => {
    await ask({ path: { siteKey: (await newSite(world)).id } })
    await pay(world)
    await connect(world)
    const { body } = await ask({ query: 'range=last_7_days' })
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['revenue', 'mrr']))
    await ask({ query: `goal=${await newGoal(world)}&compare=previous_year` })
    await ask({ query: 'from=2026-03-01' })
  },
  'GET /stats/timeseries': async ask => {
    await items('values', 'metric=visitors&range=last_7_days', 'metric=mood')(ask)
    await items('values', 'metric=bounce_rate&range=last_7_days')(ask)
    await items('previous_labels', 'metric=visitors&compare=previous&group=hour')(ask)
  },
  'GET /stats/live': items('minutes', 'country[is_not]=XX', 'path[near]=/'),
  'GET /stats/breakdown': async (ask, world) => {
    await page('dimension=browser')(ask)
    const asked = `dimension=path&search=/&compare=previous&conversion_goal=${await newGoal(world)}`
    await items('data', `${asked}&sort=conversion_rate&order=asc`)(ask)
    await queries('dimension=hour_of_week&sort=revenue', 'dimension=source&sort=scroll_depth')(ask)
  },
  'GET /explain': after(pay, async ask => {
    await expectItems(ask({ query: 'metric=pageviews&compare=previous' }), body => body.rows.data)
    await items('buckets', 'metric=revenue&range=last_30_days', 'metric=mood')(ask)
  }),
  'GET /stats/goals': after(newGoal, items('', '', 'prop_value=1')),
  'POST /check-installation': ask => ask(),
  'GET /stats/goal-preview': items(
    'examples',
    `definition=${json({ match_type: 'page', match_value: '/**' })}`,
    'definition=none',
  ),
  'GET /stats/funnel': items(
    'rows',
    `steps=${json(funnelBody().steps)}&range=last_7_days&dimension=path&compare=previous`,
    'steps=none',
  ),
  'GET /stats/funnels/{funnel}': one('funnel', newFunnel, '', 'dimension=goal'),
  'GET /stats/events': page('types=pageview,event,error'),
  'GET /stats/events/timeseries': async ask => {
    await expectItems(ask({ query: 'types=event' }), body => body.series.event)
    await ask({ query: 'path[near]=/' })
  },
  'GET /stats/events/property-breakdown': items(
    'rows',
    'event_type=event&event_name=signup',
    'event_type=pageview&event_name=signup',
  ),
  'GET /stats/sessions': page(),
  'GET /stats/sessions/{session}': one('session', newestSessionId, '', 'per_page=0'),
  'GET /stats/replays': page(),
  'GET /stats/replays/{session}': one('session', newestSessionId, '', 'cursor=none'),
  'DELETE /stats/replays/{session}': async (ask, world) => {
    await twice('session', newestSessionId)(ask, world)
    await ask({ path: { session: 'a'.repeat(101) } })
  },
  'GET /stats/people': page('kind=visitors'),
  'GET /stats/people/{person}': one('person', newestVisitorId, '', 'range=ever'),
  'GET /stats/people/{person}/timeline': one('person', newestVisitorId, '', 'page=1000&per_page=100'),
  'GET /stats/journeys': items('steps', 'starting_at=/pricing&range=last_7_days', 'by=title'),
  'GET /stats/retention': items('cohorts', 'period=day&range=last_7_days', 'cohort=payment&measure=visitors'),
  'GET /stats/web-vitals': queries('compare=previous', 'path[near]=/'),
  'GET /stats/web-vitals/breakdown': queries(
    'metric=lcp&dimension=path&sort=p75',
    'metric=lcp&dimension=event_name',
  ),
  'GET /stats/web-vitals/timeseries': items('samples', 'metric=cls', 'metric=speed'),
  'GET /stats/web-vitals/attribution': queries('metric=inp', 'metric=inp&per_page=0'),
  'GET /stats/page-titles': page(),
  'GET /stats/page-titles/timeseries': items('values', 'title=Pricing', ''),
  'GET /stats/clicks': page('types=button,form'),
  'GET /stats/scroll': items('reached', 'path=/', ''),
  'GET /stats/filter-values': items('values', 'dimension=path&limit=5', 'dimension=goal'),
  'GET /stats/money': queries('range=last_7_days&compare=previous_year', 'compare=never'),
  'GET /stats/money/movements': items('mrr', 'range=last_7_days&compare=previous', 'group=second'),
  'GET /stats/money/changes': queries('', 'per_page=0'),
  'GET /stats/money/breakdown': after(pay, page('dimension=channel')),
  'GET /stats/money/lifetime-value': after(pay, page('dimension=channel')),
  'GET /stats/money/customers': after(pay, page()),
  'GET /stats/money/subscriptions': queries('', 'status=late'),
  'GET /stats/errors': page(),
  'GET /stats/errors/{error}': ofError(),
  'GET /stats/errors/{error}/timeseries': ofError(body => body.series.error),
  'GET /stats/errors/{error}/events': ofError(body => body.data),
  'GET /goals': after(newGoal, page('per_page=1&search=visit')),
  'GET /funnels': after(newFunnel, page('per_page=1')),
  'POST /funnels': bodies(...Array(2).fill(funnelBody())),
  'GET /funnels/{funnel}': one('funnel', newFunnel),
  'PATCH /funnels/{funnel}': patch('funnel', newFunnel, funnelBody(), { steps: [] }),
  'DELETE /funnels/{funnel}': twice('funnel', newFunnel),
  'POST /goals': bodies(...Array(2).fill(goalBody())),
  'POST /goals/batch': async ask => {
    await expectItems(ask({ body: { event_names: ['signup', 'payment'] } }), body => body)
    await ask({ body: { event_names: [] } })
  },
  'PATCH /goals/{goal}': patch('goal', newGoal, goalBody(), {
    match_type: 'scroll',
    match_value: '/',
  }),
  'DELETE /goals/{goal}': twice('goal', newGoal),
  'GET /payments': after(pay, page()),
  'POST /payments': async ask => {
    const body = payment()
    await bodies(body, body, { ...body, amount: 0 })(ask)
  },
  'DELETE /payments': async (ask, world) => {
    const { transaction_id } = await pay(world)
    await bodies({ transaction_id }, { transaction_id })(ask)
  },
  'PUT /processor': change(processor, { provider: 'other' }),
  'GET /processor': ofNewSite(async (ask, world) => {
    await ask()
    await connect(world)
    await ask()
  }),
  'POST /processor/import': ofNewSite(async (ask, world) => {
    await ask()
    await connect(world)
    await ask()
    await connect(world, { ...processor, api_key: 'rk_test_1' })
    await bodies({ from: 'yesterday' }, { from: '2026-01-01' })(ask)
  }),
  'GET /processor/import': ofNewSite(async (ask, world) => {
    const { api, owner, site } = world
    await ask()
    await connect(world, { ...processor, api_key: 'rk_test_1' })
    await api.call('POST', `/api/sites/${site.id}/processor/import`, { token: owner.token, body: {} })
    await ask()
  }),
  'DELETE /processor': ofNewSite(async (ask, world) => {
    await connect(world)
    await ask()
    await ask()
  }),
  'DELETE /visitors/{person}': paths({ person: 'user-1' }, { person: 'x'.repeat(1_001) }),
  'GET /visitors/{person}/export': async ask => {
    await expectItems(ask({ path: { person: 'user-1' } }), body => body.hits)
    await ask({ path: { person: 'user-1' }, query: 'cursor=x' })
  },
  'GET /erasures': after(erase, page()),
  'GET /erasures/{id}': one('id', erase),
  'GET /shared': ask => ask(),
  'GET /segments': after(newSegment, items('')),
  'POST /segments': async (ask, world) => {
    const filters = { path: { starts_with: '/blog' }, goal: await newGoal(world) }
    await bodies({ name: 'a', filters, visibility: 'site' }, { name: 'a', filters: {} })(ask)
  },
  'GET /segments/{segment}': one('segment', newSegment),
  'PATCH /segments/{segment}': patch('segment', newSegment, { name: 'b' }, { name: '' }),
  'DELETE /segments/{segment}': twice('segment', newSegment),
  'GET /annotations': after(newAnnotation, page('range=all')),
  'POST /annotations': bodies(
    { text: 'a', starts_at: '2026-03-09', ends_at: '2026-03-10' },
    { text: 'a', starts_at: 'today' },
  ),
  'PATCH /annotations/{annotation}': patch(
    'annotation',
    newAnnotation,
    { starts_at: '2026-03-09T10:00:00Z' },
    { text: '' },
  ),
  'DELETE /annotations/{annotation}': twice('annotation', newAnnotation),
  'GET /imported-totals': after(newTotals, items('')),
  'DELETE /imported-totals/{import}': twice('import', newTotals),
  'GET /shares': after(newShare, items('')),
  'POST /shares': async ask => {
    const filters = { country: ['DE'], path: { starts_with: '/blog' } }
    const share = { name: 'a', sections: ['traffic'], filters, expires_at: '2099-12-31T00:00:00Z' }
    await bodies(share, { ...share, sections: [] })(ask)
  },
  'PATCH /shares/{id}': patch(
    'id',
    async world => (await newShare(world)).id,
    { sections: ['traffic', 'pages'] },
    { sections: ['everything'] },
  ),
  'POST /shares/{id}/link': async (ask, world) => {
    const { headers } = await signIn(world.api, { teamId: world.owner.teamId })
    const path = { id: (await newShare(world)).id }
    await ask({ path, headers })
    await ask({ path })
    await ask({ headers })
  },
  'DELETE /shares/{id}': twice('id', async world => (await newShare(world)).id),
  'GET /webhooks': after(newWebhook, items('')),
  'POST /webhooks': bodies(webhookBody(), {
    ...webhookBody(),
    url: 'file:///etc/passwd',
  }),
  'PATCH /webhooks/{webhook}': patch('webhook', newWebhookId, { is_enabled: false }, { name: '' }),
  'DELETE /webhooks/{webhook}': twice('webhook', newWebhookId),
  'POST /webhooks/{webhook}/secret': patch(
    'webhook',
    newWebhookId,
    { overlap_hours: 1 },
    { overlap_hours: -1 },
  ),
  'POST /webhooks/{webhook}/test': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    await ask({ path: { webhook } })
    await turnOff(world, webhook)
    await ask({ path: { webhook } })
    await ask()
  },
  'GET /webhooks/{webhook}/deliveries': async (ask, world) => {
    const { webhook } = await newWebhook(world)
    const path = { webhook }
    await expectItems(ask({ path }), body => body.data)
    await ask({ path, query: 'state=lost' })
    await ask()
  },
  'GET /webhooks/{webhook}/deliveries/{delivery}': async (ask, world) => {
    await ask({ path: await newWebhook(world) })
    await ask()
  },
  'POST /webhooks/{webhook}/deliveries/{delivery}/redeliver': async (ask, world) => {
    const path = await newWebhook(world)
    await ask({ path })
    await turnOff(world, path.webhook)
    await ask({ path })
    await ask()
  },
  'GET /alerts': after(newAlert, items('')),
  'GET /alerts/incidents': async (ask, { api, site }) => {
    await api.services.db`
      insert into alert_incidents (rule_id, site_no, rule_name, kind, text, value, bound, opened_at)
      select gen_random_uuid(), site_no, 'Silence', 'no_hits', 'text', 3, 3, now() from sites where id = ${site.id}`
    await page('page=1')(ask)
  },
  'POST /alerts': bodies(
    alertBody(),
    // Without a mail server no address can be asked.
    { ...alertBody(), emails: ['ada@example.com'] },
    { ...alertBody(), webhooks: [randomUUID()] },
  ),
  'PATCH /alerts/{alert}': patch('alert', newAlert, { is_enabled: false }, { emails: ['x'] }),
  'DELETE /alerts/{alert}': twice('alert', newAlert),
  'POST /alerts/{alert}/test': one('alert', newAlert),
}

const ofSites = Object.entries(siteExercises).map(([operation, exercise]) => [
  operation.replace(' ', ' /api/sites/{siteKey}'),
  exercise,
])

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
  ...Object.fromEntries(ofSites),
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
  'GET /favicons/{domain}': (ask, { site }) =>
    paths({ domain: site.domain }, { domain: 'unknown.example' })(ask),
  'GET /avatars/{file}': paths({ file: `${randomUUID()}.svg` }, { file: 'nobody.svg' }),
  'GET /avatars/{visitor}/{picture}': paths({}, { picture: 'made-up' }),
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
  'DELETE /api/sites/{siteKey}': ofNewSite(ask => ask()),
  'POST /api/processor/webhook/{siteId}': async ask => {
    const about = { id: 'evt_1', object: 'event', created: 1_774_777_267, type: 'unheard.of' }
    const event = { ...about, data: { object: {} } }
    await ask({ body: event })
    await ask({ body: event, headers: { 'Stripe-Signature': 't=1,v1=00' } })
    await ask({ path: { siteId: randomUUID() }, body: event })
  },
  'PATCH /api/tokens/{id}': async (ask, { api, owner }) => {
    const made = await api.call('POST', '/api/tokens', { token: owner.token, body: { name: 'before' } })
    await ask({ path: { id: made.body.id }, body: { name: 'after' } })
    await ask({ body: { name: 'of none' } })
  },
  'POST /api/shares/open': async (ask, world) => {
    const { id } = await newShare(world, { password: 'correct horse battery' })
    const { secret } = await renewedShare(world, id)
    await ask({ body: { secret, password: 'correct horse battery' } })
    await ask({ body: { secret } })
  },
  'GET /api/timezones': ask => ask(),
  'GET /api/currencies': ask => ask(),
  'GET /api/audit-log': page('action=site.create'),
  'GET /api/tokens': ask => ask(),
  'POST /api/tokens': async (ask, world) => {
    const { api, site } = world
    await ask({ ...(await asUnproven(world)), body: { name: 'unproven' } })
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
