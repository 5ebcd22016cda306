import { findSiteByNo } from '../../../../access/sites/find-site.ts'
import type { SiteRecord } from '../../../../access/sites/site-schema.ts'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'
import { handOver } from '../../../../platform/mail/hand-over.ts'
import type { Language } from '../../../../platform/mail/languages.ts'
import type { Mail } from '../../../../platform/mail/message.ts'
import type { Services } from '../../../../platform/services.ts'
import type { Frequency, Period } from '../periods.ts'
import { isEmpty, type ReportNumbers, readReportInTime } from '../read-report.ts'
import type { ReportSection } from '../report-schema.ts'
import { confirmationMail, reportMail } from './mails.ts'
import {
  beginHandOver,
  claimOf,
  type Delivery,
  finishDelivery,
  GIVE_UP_MS,
  type Outcome,
} from './report-delivery-rows.ts'

export type DeliverServices = Pick<
  Services,
  'db' | 'reads' | 'readsInParts' | 'rollups' | 'patterns' | 'counter' | 'config' | 'log' | 'now'
>

/** Reads the numbers of a report; those of the one before are kept, since recipients of a site come one after the other. */
export type Numbers = (
  site: SiteRecord,
  period: Period,
  sections: readonly ReportSection[],
) => Promise<ReportNumbers>

export function createNumbers(services: DeliverServices): Numbers {
  let kept: { key: string; numbers: ReportNumbers } | undefined
  return async (site, period, sections) => {
    const key = JSON.stringify([site.siteNo, period, sections])
    if (kept?.key !== key) kept = { key, numbers: await readReportInTime(services, site, period, sections) }
    return kept.numbers
  }
}

/** Longer than a hand-over takes: after it, a mail that is still being handed over has lost its process. */
const HAND_OVER_MS = MINUTE_MS

/** Pauses after failed attempts; the last one is repeated until the mail is given up. */
const PAUSES_MS = [1, 5, 15, 30, 60, 120].map(minutes => minutes * MINUTE_MS)

/**
 * Sends a claimed mail. Up to the hand-over it can be sent by another process after the claim; from then on only the answer of the mail
 * server decides, so that no mail is sent twice.
 * @returns whether the mail server cannot be reached
 */
export async function deliver(
  services: DeliverServices,
  delivery: Delivery,
  numbers: Numbers,
  now: Date,
): Promise<{ isServerAway: boolean }> {
  const { db, log } = services
  const finish = async (outcome: Outcome) => {
    await finishDelivery(db, delivery, outcome, services.now())
    return { isServerAway: outcome.problem === 'unreachable' }
  }
  let mail: Mail | undefined
  try {
    mail = await mailOf(services, delivery, numbers)
  } catch (error) {
    log.warn(
      { error, siteNo: delivery.siteNo, kind: delivery.kind },
      'a report could not be made; it will be tried again',
    )
    return finish(laterOrNever(delivery, now, { problem: 'unavailable', response: '' }))
  }
  if (!mail) return finish(skipped(now))
  const until = new Date(services.now().getTime() + HAND_OVER_MS)
  const [begun] = await beginHandOver(db, { ...claimOf(delivery), now: services.now(), until })
  if (!begun) return finish(skipped(now))
  const result = await handOver(services, mail)
  switch (result.outcome) {
    case 'taken':
      return finish({ state: 'sent', nextAt: now, problem: null, response: null })
    case 'uncertain':
      return finish({ ...result, state: 'uncertain', nextAt: now })
    case 'rejected':
      return finish({ ...result, state: 'given_up', nextAt: now })
    case 'failed':
      return finish(laterOrNever(delivery, now, result))
  }
}

const skipped = (now: Date): Outcome => ({ state: 'skipped', nextAt: now, problem: null, response: null })

function laterOrNever(
  { attempts, plannedAt }: Delivery,
  now: Date,
  { problem, response }: { problem: string; response: string },
): Outcome {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1]!
  const nextAt = new Date(now.getTime() + pause)
  const isOver = nextAt.getTime() - plannedAt.getTime() > GIVE_UP_MS
  return { state: isOver ? 'given_up' : 'waiting', nextAt, problem, response }
}

/** @returns undefined when there is nothing to send */
async function mailOf(
  services: DeliverServices,
  delivery: Delivery,
  numbers: Numbers,
): Promise<Mail | undefined> {
  if (delivery.kind === 'confirmation') return confirmationMail(services, delivery)
  const site = await findSiteByNo(services.db, delivery.siteNo)
  if (!site) return undefined
  const period: Period = { frequency: delivery.kind as Frequency, from: delivery.from, to: delivery.to }
  const found = await numbers(site, period, delivery.sections as ReportSection[])
  if (delivery.skipsEmpty && isEmpty(found)) return undefined
  return reportMail(services, site, period, found, {
    id: delivery.id,
    address: delivery.address,
    language: delivery.language as Language,
  })
}
