import { Readable } from 'node:stream'
import { deleteSite, updateSite } from '../../src/access/sites/change-site.ts'
import { findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { keepRefreshed } from '../../src/storage/rollups/keep-refreshed.ts'
import { importSource, type Source } from '../import-file.ts'
import { secondsSince } from '../progress.ts'
import { refreshingLease, type Tools } from '../tools.ts'
import { define } from './definitions.ts'
import type { Lines } from './lines.ts'
import { fillMoney } from './record-money.ts'
import { findTeamSite, makeSite, type Owner, servicesOf } from './site.ts'
import { storyOf } from './story.ts'

export interface FillOptions {
  domain: string
  days: number
  seed: number
  timezone: string
  /** Puts the new site in the place of the one of that domain, which is deleted. */
  replace: boolean
}

/** What was made, for the reader of the command. */
export interface Filled {
  seconds: number
  days: number
  hits: number
  pageviews: number
  sessions: number
  visitors: number
  payments: number
  subscribed: number
  mrr: number
}

/**
 * Creates the site and fills it. Until it is whole, it has another name: what a run leaves that was cut off, the next one deletes.
 * @param say told of each step
 * @throws Error when the team has a site for the domain and it is not to be replaced, or when the service did not take every hit
 */
export async function fillDemo(
  tools: Tools,
  owner: Owner,
  options: FillOptions & { now: Date },
  say: (step: string) => void,
): Promise<Filled> {
  const { db, config, log } = tools
  const { domain, days, seed, timezone, now } = options
  const startedAt = performance.now()
  const present = await findTeamSite(db, owner.teamId, domain)
  if (present && !options.replace) throw new Error(thereAlready(domain, config.baseUrl))
  const unfinished = `unfinished.${domain}`
  const left = await findTeamSite(db, owner.teamId, unfinished)
  if (left) say('An earlier run was cut off: this one begins anew')
  say('making up the visits')
  const story = storyOf({ seed, now: now.getTime(), days, hostname: domain })
  const counts = story.lines.counts()
  const shared = { db, config, log, redis: await tools.redis(), now: () => new Date() }
  const services = servicesOf(shared, owner)
  if (left) await deleteSite(services, left)
  const site = await makeSite(services, owner, { domain: unfinished, timezone })
  await define(services, owner.userId, site, story.calendar)

  say(`${figure(counts.lines)} hits of ${daysOf(days)}; all takes less than a minute`)
  const lease = await refreshingLease(tools)
  const target = await findSiteAnywhere(db, site.id)
  const imported = await importSource({ db, lease, config, log }, target, sourceOf(story.lines), say)
  if (imported.accepted !== counts.lines) {
    const why = imported.rejected[0]?.error ?? 'they were dropped'
    throw new Error(`${imported.accepted} of ${counts.lines} hits were taken; the others were not: ${why}`)
  }
  const { payments, events, subscribed, mrr } = story
  say(`${figure(payments)} payments and ${figure(events.length)} events of subscriptions of a year`)
  await fillMoney(services, site, story, say)
  say('rolling up payments')
  // Once at the end: a refresh for every few payments would take as long as they do.
  await keepRefreshed({ db, lease, log, now: shared.now }, async () => {})
  if (present) await deleteSite(services, present)
  await updateSite(services, site, { domain })
  return {
    seconds: secondsSince(startedAt),
    days,
    hits: counts.lines,
    pageviews: counts.pageviews,
    sessions: counts.sessions,
    visitors: counts.visitors,
    ...{ payments, subscribed, mrr },
  }
}

const thereAlready = (domain: string, baseUrl: string) =>
  `${domain} is there already: open ${baseUrl}/sites/${domain}, or run it again with --replace, which deletes the site and makes it ` +
  'anew, or with --domain other.example'

/** The lines in time order; `part` is how many of them were imported. */
function sourceOf(lines: Lines): Source {
  const total = lines.counts().lines
  return { chunks: Readable.from(lines.inOrder()), part: ({ accepted }) => accepted / total }
}

export const daysOf = (days: number): string => (days === 1 ? 'a day' : `${days} days`)
export const figure = (value: number): string => value.toLocaleString('en-US')
