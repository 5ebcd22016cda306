import type { Audit } from '../../../access/audit/audit.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { AppError } from '../../../platform/errors.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import type { Services } from '../../../platform/services.ts'
import { readStates } from './addresses.ts'
import { announceTest } from './announce.ts'
import { findAlert } from './list-alerts.ts'
import { claimTest, type RuleRow } from './rule-rows.ts'

/** An alert with addresses is tested once in this time. */
const PAUSE_MS = 10 * MINUTE_MS

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }

/**
 * Sends a test to the webhooks of an alert, and to those of its addresses that have agreed.
 * @throws AppError `not_found`; `forbidden` when it has addresses alone, and none has agreed; `rate_limited`
 */
export async function testAlert(
  { db, config, now, audit }: Parts,
  { siteNo, domain, timezone }: Pick<SiteRecord, 'siteNo' | 'domain' | 'timezone'>,
  id: string,
): Promise<void> {
  const at = now()
  await db.begin(async transaction => {
    const rule = await findAlert(transaction, { siteNo }, id)
    const stateOf = await readStates(transaction, siteNo, rule.emails)
    const hasAgreed = rule.emails.some(address => stateOf(address) === 'confirmed')
    if (rule.emails.length > 0 && rule.endpointIds.length === 0 && !hasAgreed) {
      throw new AppError('forbidden', 'No address of the alert has agreed to get mails')
    }
    if (hasAgreed) {
      const [claimed] = await claimTest(transaction, {
        id,
        now: at,
        before: new Date(at.getTime() - PAUSE_MS),
      })
      if (!claimed) throw tooSoon(rule, at)
    }
    await announceTest(transaction, config, { ...rule, domain, timezone }, at)
    await audit(transaction, {
      action: 'alert.test',
      object: { type: 'alert', id },
      details: { name: rule.name, kind: rule.kind, domain },
    })
  })
}

function tooSoon({ testedAt }: RuleRow, now: Date): AppError {
  const since = testedAt ? now.getTime() - testedAt.getTime() : 0
  const retryAfter = Math.max(1, Math.ceil((PAUSE_MS - since) / 1000))
  return new AppError('rate_limited', 'A test was sent within the last ten minutes; try again later', {
    retryAfter,
  })
}
