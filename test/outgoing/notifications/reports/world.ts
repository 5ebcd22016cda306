import { beforeEach } from 'vitest'
import type { Hit } from '../../../../src/ingestion/hit.ts'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { sendReports } from '../../../../src/outgoing/notifications/reports/deliveries/send-reports.ts'
import { startApi } from '../../../support/api.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import { type Teammate, teammate } from '../../../support/teammates.ts'

/** The API, a mail server, and a clock. */
export async function startWorld(now: string) {
  /** What every caller takes for the present. */
  const clock = { now: new Date(now) }
  /** What the mail server answers to a recipient: an SMTP code, or none to take the mail. */
  const refusal: { code?: number | undefined } = {}
  const server = await startMailServer(() =>
    refusal.code === undefined
      ? undefined
      : Object.assign(new Error('not now,\r\nplease'), { responseCode: refusal.code }),
  )
  const api = await startApi({ now: () => clock.now, config: { mail: server.mail } })
  /** Runs the scheduled job at a moment. */
  const run = async (at: string) => {
    clock.now = new Date(at)
    return sendReports(api.services, clock.now)
  }
  return {
    ...{ api, server, clock, refusal, run },
    /** Runs it, and returns how many mails have arrived by then. */
    async mailsAt(at: string) {
      await run(at)
      return server.mails.length
    },
    /** A person whose address is proven. */
    async person(options: Parameters<typeof teammate>[1] = {}) {
      const made = await teammate(api, { at: clock.now, ...options })
      await api.services.db`update logins set email_proven_at = now() where id = ${made.loginId}`
      return made
    },
    async close() {
      await Promise.all([api.close(), server.close()])
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

export async function newSite({ api }: World, owner: Teammate, timezone = 'UTC') {
  const site = await api.site(owner, { timezone })
  return {
    ...site,
    /** Stores a pageview, or what `fields` say. */
    async hit(at: string, visitor: string, fields?: Partial<Hit>): Promise<void> {
      await storeHits(api.services.db, 0, [
        enrichedHit(site, Date.parse(at), { visitorId: visitor, ...fields }),
      ])
    },
  }
}

export type ReportSite = Awaited<ReturnType<typeof newSite>>

/** An owner and a site of their own for each test; before it, nothing is left of others, and it is this moment. */
export function ownSite(
  world: World,
  start: string,
  timezone?: string,
): { owner: Teammate; site: ReportSite } {
  const own = { owner: {} as Teammate, site: {} as ReportSite }
  beforeEach(async () => {
    const { services } = world.api
    await services.db`delete from mail_recipients`
    world.server.mails.length = 0
    world.refusal.code = undefined
    services.config.mail = world.server.mail
    world.clock.now = new Date(start)
    Object.assign(own.owner, await world.person())
    Object.assign(own.site, await newSite(world, own.owner, timezone))
  })
  return own
}

/** Adds a recipient; by default the person themselves, who needs no confirmation. */
export async function addRecipient(owner: Teammate, site: ReportSite, body: object = {}) {
  const answer = await owner.ask('POST', `${site.path}/reports`, {
    address: owner.email,
    frequencies: ['daily'],
    ...body,
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}

export const listed = async (owner: Teammate, site: ReportSite) =>
  (await owner.ask('GET', `${site.path}/reports`)).body.recipients
