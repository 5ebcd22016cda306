import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { askAddress } from '../reports/deliveries/report-delivery-rows.ts'
import { ASK_AGAIN_MS, requireMayAsk, requireRoom } from './recipient-limits.ts'
import { insertRecipient, type RecipientFields, type RecipientRow } from './recipient-rows.ts'
import { lastUnsubscribed } from './unsubscribed.ts'

export const NO_MAIL = 'This service sends no mail: its operator has not set SMTP_URL'

/** A user of the team with the address, who reaches the site; `isProven`: they have proved that it is theirs. */
const findUser = query<
  { teamId: string; siteId: string; address: string },
  { id: string; isProven: boolean }
>(
  'find-user-for-mails',
  `select
    users.id,
    coalesce(logins.email = users.email and logins.email_proven_at is not null and logins.disabled_at is null, false) as "isProven"
  from users left join logins on logins.id = users.login_id
  where
    users.team_id = :teamId
    and users.email = :address
    and (users.site_ids is null or :siteId::uuid = any(users.site_ids))`,
)

/**
 * Makes an address a recipient of mails of a site. An address that no user of the site has proved to be theirs, or that has ever
 * unsubscribed, is asked first, by one mail. Call it under the locks of team and site.
 * @param before the row of the address, also one that was removed
 * @returns id of the recipient
 * @throws AppError `forbidden` when site or team have the most recipients; `rate_limited` when too many addresses were asked
 */
export async function admit(
  transaction: Transaction,
  site: Pick<SiteRecord, 'siteNo' | 'id' | 'teamId'>,
  before: RecipientRow | undefined,
  { address, createdBy, now, ...fields }: RecipientFields & { address: string; createdBy: string; now: Date },
): Promise<string> {
  if (!before || before.removedAt) await requireRoom(transaction, site)
  const [user] = await findUser(transaction, { teamId: site.teamId, siteId: site.id, address })
  const hasAgreed = agreed(before, user, await lastUnsubscribed(transaction, address))
  const isAskedNow = !hasAgreed && !wasAsked(before, now)
  if (isAskedNow) await requireMayAsk(transaction, site, address, now)
  const [made] = await insertRecipient(transaction, {
    ...fields,
    siteNo: site.siteNo,
    address,
    userId: user?.id ?? null,
    askedAt: isAskedNow ? now : (before?.askedAt ?? null),
    confirmedAt: hasAgreed ? (before?.confirmedAt ?? now) : null,
    createdBy,
    now,
  })
  if (isAskedNow) await askAddress(transaction, made!.id, now)
  return made!.id
}

/**
 * A recipient who gets mails of the site goes on getting them. Any other consent counts when it is newer than the last time that the
 * address has unsubscribed, from whatever site.
 */
function agreed(
  before: RecipientRow | undefined,
  user: { id: string; isProven: boolean } | undefined,
  unsubscribedAt: Date | undefined,
): boolean {
  if (before?.confirmedAt) {
    const isLive = !before.removedAt && !before.unsubscribedAt
    const isSame = before.userId === (user?.id ?? null)
    if (isLive && (isSame || before.userId === null)) return true
    if (isSame && (!unsubscribedAt || before.confirmedAt > unsubscribedAt)) return true
  }
  return user?.isProven === true && !unsubscribedAt
}

/** Whether the question was sent lately, and not agreed to since: then it is not sent again, and its link works. */
export const wasAsked = (
  before: Pick<RecipientRow, 'askedAt' | 'confirmedAt'> | undefined,
  now: Date,
): boolean =>
  before?.askedAt != null &&
  before.confirmedAt === null &&
  now.getTime() - before.askedAt.getTime() < ASK_AGAIN_MS
