import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { queueMails } from '../../../platform/mail/queue.ts'
import type { Services } from '../../../platform/services.ts'
import { GIVE_UP_MS } from './webhook-limits.ts'

interface Notice {
  id: string
  siteNo: number
  name: string
  shownUrl: string
  givenUpAt: Date
  domain: string
  emails: string[]
}

/** Takes the notices that are due. One whose webhook was switched on again is dropped. */
const takeNotices = query<void, Notice>(
  'take-webhook-notices',
  `with taken as (
    update webhook_endpoints
    set is_notice_due = false
    where is_notice_due
    returning id, site_no, name, shown_url, given_up_at
  )
  select
    taken.id, taken.site_no as "siteNo", taken.name, taken.shown_url as "shownUrl", taken.given_up_at as "givenUpAt", sites.domain,
    array(
      select distinct coalesce(logins.email, users.email)
      from users
      left join logins on logins.id = users.login_id
      where users.team_id = sites.team_id and users.role = 'owner' and logins.disabled_at is null
      order by 1
    ) as emails
  from taken
  join sites on sites.site_no = taken.site_no and sites.deleted_at is null
  where taken.given_up_at is not null`,
)

/**
 * Queues the mails to the owners of a team, one each, that say that one of its endpoints was switched off. Without a mail server the
 * notices wait until there is one.
 */
export async function queueNotices(
  { db, config }: Pick<Services, 'config'> & { db: Db },
  now: Date,
): Promise<void> {
  if (!config.mail) return
  await db.begin(async transaction => {
    for (const notice of await takeNotices(transaction)) {
      const { id, siteNo, name, shownUrl, givenUpAt, domain, emails } = notice
      const mail = {
        recipientId: null,
        language: 'en',
        subject: `The webhook “${name}” of ${domain} is switched off`,
        paragraphs: [
          `All messages of ${domain} to the webhook “${name}” (${new URL(shownUrl).origin}) have failed for ${GIVE_UP_MS / DAY_MS} days. It is switched off: nothing is sent to it any more.`,
          'When its receiver works again, switch it on in the settings of the site. What was not delivered stands in its log, from where each message can be sent again.',
          {
            label: 'Webhooks of the site',
            url: `${config.baseUrl}/sites/${encodeURIComponent(domain)}/settings/webhooks`,
          },
        ],
      }
      const key = `webhook-off/${id}/${givenUpAt.getTime()}`
      await queueMails(
        transaction,
        { key, siteNo },
        emails.map(address => ({ ...mail, address })),
        now,
      )
    }
  })
}
