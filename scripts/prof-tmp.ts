import { connectReads } from '/tmp/w-speed/src/db/connect.ts'
import { fetchMoments } from '/tmp/w-speed/src/stats/funnels/read-moments.ts'
import { findTargets } from '/tmp/w-speed/src/stats/resolve/targets.ts'
import { readMoments } from '/tmp/w-speed/src/stats/funnels/moments.ts'
import { orderMoments } from '/tmp/w-speed/src/stats/funnels/order.ts'
import { findChains } from '/tmp/w-speed/src/stats/funnels/chains.ts'
const db = connectReads(`postgres://postgres@127.0.0.1:5470/${process.argv[2]}`, { max: 2 })
const [site] = await db`select site_no as "siteNo" from sites where domain='large.bench.example'`
const paths = (await db`select distinct path from events where site_no=${site!.siteNo} and at >= '2026-11-20' and type='pageview'`).map(r => r.path as string)
const hits = [
  { kind: 'pageview', value: '/', goals: [0] },
  ...paths.filter(p => p.startsWith('/docs/')).map(value => ({ kind: 'pageview', value, goals: [1] })),
  ...paths.filter(p => p.startsWith('/pricing/')).map(value => ({ kind: 'pageview', value, goals: [2] })),
  { kind: 'event', value: 'signup', goals: [3] },
]
const resolved = { siteNo: site!.siteNo, start: new Date('2026-10-23'), end: new Date('2026-11-22'), filters: { dimensions: [], goals: [], properties: [] }, detailsFrom: null } as never
for (let i = 0; i < 5; i++) {
  const t0 = performance.now()
  const blocks = await fetchMoments({ reads: db, slices: undefined } as never, resolved, { targets: { hits, scrolls: [] } as never, funnel: { unit: 'session_no', hasOwners: true, startsBefore: new Date('2026-11-22') } })
  const t1 = performance.now(), c1 = process.cpuUsage()
  const m = readMoments(blocks)
  const t2 = performance.now()
  const o = orderMoments(m)
  const t3 = performance.now()
  findChains(m, { steps: 4, windowMs: 864e5, isStrict: false })
  const t4 = performance.now()
  console.log(m.units.length, 'fetch', (t1 - t0).toFixed(), 'read', (t2 - t1).toFixed(), 'order', (t3 - t2).toFixed(), 'order+chains', (t4 - t3).toFixed())
}
await db.end()
