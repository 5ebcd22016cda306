import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'

// Any manager can write any address, so what the service mails to addresses that have not agreed is bounded in each direction.

/** Most recipients of a site, and of all sites of a team. */
export const MOST_OF_SITE = 20
const MOST_OF_TEAM = 200
/** An address is asked for the same site again after this time at the earliest. It also bounds how long an unanswered address is kept. */
export const ASK_AGAIN_MS = 30 * DAY_MS
/** Most addresses that a team asks in 24 hours. */
const MOST_ASKED_BY_TEAM = 50
/** How often one address is asked in 24 hours, by whatever teams. */
const MOST_ASKED_OF_ADDRESS = 3

const countRecipients = query<{ siteNo: number; teamId: string }, { ofSite: number; ofTeam: number }>(
  'count-report-recipients',
  `select count(*) filter (where sites.site_no = :siteNo)::int as "ofSite", count(*)::int as "ofTeam"
  from mail_recipients join sites on sites.site_no = mail_recipients.site_no
  where sites.team_id = :teamId and sites.deleted_at is null and mail_recipients.removed_at is null`,
)

/** Removed recipients count, too: their mails were sent. */
const countAsked = query<
  { teamId: string; address: string; since: Date },
  { byTeam: number; ofAddress: number }
>(
  'count-asked-report-addresses',
  `select
    (
      select count(*)::int
      from mail_recipients join sites on sites.site_no = mail_recipients.site_no
      where sites.team_id = :teamId and mail_recipients.asked_at > :since::timestamptz
    ) as "byTeam",
    (
      select count(*)::int from mail_recipients where address = :address and asked_at > :since::timestamptz
    ) as "ofAddress"`,
)

interface Site {
  siteNo: number
  teamId: string
}

/**
 * Checks that the site can have one more recipient. The result is valid while the lock of the team is held.
 * @throws AppError `forbidden`
 */
export async function requireRoom(transaction: Transaction, { siteNo, teamId }: Site): Promise<void> {
  const [present] = await countRecipients(transaction, { siteNo, teamId })
  if (present!.ofSite >= MOST_OF_SITE) {
    throw new AppError('forbidden', `The site has ${MOST_OF_SITE} recipients of mails, as many as it may`)
  }
  if (present!.ofTeam >= MOST_OF_TEAM) {
    throw new AppError(
      'forbidden',
      `The sites of the team have ${MOST_OF_TEAM} recipients of mails, as many as they may`,
    )
  }
}

/**
 * Checks that the team may ask one more address, and that the address is not asked too often.
 * @throws AppError `rate_limited`
 */
export async function requireMayAsk(
  transaction: Transaction,
  { teamId }: Site,
  address: string,
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - DAY_MS)
  const [asked] = await countAsked(transaction, { teamId, address, since })
  const refuse = (message: string) => new AppError('rate_limited', message, { retryAfter: DAY_MS / 1000 })
  if (asked!.byTeam >= MOST_ASKED_BY_TEAM) {
    throw refuse(`The team has asked ${MOST_ASKED_BY_TEAM} addresses within 24 hours; try again tomorrow`)
  }
  if (asked!.ofAddress >= MOST_ASKED_OF_ADDRESS) {
    throw refuse('This address was asked too often today; try again tomorrow')
  }
}
