import { validate as isUuid } from 'uuid'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import { sendMail } from '../../../platform/mail/send.ts'
import type { Services } from '../../../platform/services.ts'
import { NO_MAIL } from '../recipients/admit.ts'
import { linkTo } from '../recipients/links.ts'
import { asTest, composeReport } from './compose.ts'
import { FREQUENCIES, type Frequency, lastPeriod } from './periods.ts'
import { readReport } from './read-report.ts'
import { noSuchRecipient } from './recipients.ts'
import type { ReportSection } from './report-schema.ts'

/** A recipient gets one test in this time. */
const PAUSE_MS = 10 * MINUTE_MS

interface Tested {
  address: string
  language: string
  sections: string[]
  isDaily: boolean
  isWeekly: boolean
  /** Whether reports are sent there. */
  isActive: boolean
  testedAt: Date | null
}

const selectTested = query<{ siteNo: number; id: string }, Tested>(
  'find-recipient-for-test-report',
  `select
    address, language, sections, daily_since is not null as "isDaily", weekly_since is not null as "isWeekly",
    {mail_recipient_agrees} as "isActive", tested_at as "testedAt"
  from mail_recipients
  where site_no = :siteNo and id = :id and removed_at is null and {mail_recipient_gets_reports}`,
)

/** Returns no row when there was a test since `before`. */
const claimTest = query<{ id: string; now: Date; before: Date }, { id: string }>(
  'claim-test-report',
  `update mail_recipients
  set tested_at = :now
  where id = :id and (tested_at is null or tested_at <= :before::timestamptz or tested_at > :now)
  returning id`,
)

type Parts = Pick<
  Services,
  'db' | 'reads' | 'readsInParts' | 'rollups' | 'patterns' | 'counter' | 'now' | 'config' | 'log'
> & {
  signal?: AbortSignal | undefined
}

/**
 * Sends the newest report to a recipient now, marked as a test. It does not count as that report.
 * @throws AppError `not_found`; `forbidden` without mail, and for a recipient who has not agreed; `rate_limited`; `unavailable` when the
 * mail server does not take it
 */
export async function sendTestReport(
  services: Parts,
  site: SiteRecord,
  id: string,
  frequency?: Frequency,
): Promise<void> {
  const { db, config, now } = services
  if (!config.mail) throw new AppError('forbidden', NO_MAIL)
  const [recipient] = isUuid(id) ? await selectTested(db, { siteNo: site.siteNo, id }) : []
  if (!recipient) throw noSuchRecipient()
  if (!recipient.isActive) throw new AppError('forbidden', 'The recipient has not agreed to get reports')
  await requirePause(services, id, recipient)
  const period = lastPeriod(site.timezone, frequency ?? firstOf(recipient), now())
  const language = recipient.language as Language
  const numbers = await readReport(services, site, period, recipient.sections as ReportSection[])
  const unsubscribeUrl = linkTo(config, 'unsubscribe', id)
  const mail = composeReport(config, site, period, numbers, { ...recipient, language, unsubscribeUrl })
  const isTaken = await sendMail(services, { ...asTest(mail, language), to: recipient.address })
  if (!isTaken) throw new AppError('unavailable', 'The mail server did not take the mail', { retryAfter: 60 })
}

async function requirePause({ db, now }: Parts, id: string, { testedAt }: Tested): Promise<void> {
  const at = now()
  const before = new Date(at.getTime() - PAUSE_MS)
  const [claimed] = await claimTest(db, { id, now: at, before })
  if (claimed) return
  const since = testedAt ? at.getTime() - testedAt.getTime() : 0
  throw new AppError('rate_limited', 'A test was sent there within the last ten minutes; try again later', {
    retryAfter: Math.max(1, Math.ceil((PAUSE_MS - since) / 1000)),
  })
}

const firstOf = ({ isDaily, isWeekly }: Tested): Frequency =>
  isDaily ? FREQUENCIES[0] : isWeekly ? FREQUENCIES[1] : FREQUENCIES[2]
