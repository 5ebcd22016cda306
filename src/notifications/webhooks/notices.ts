import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { letter } from '../../mail/letter.ts'
import { sendMail } from '../../mail/send.ts'
import type { Services } from '../../services.ts'
import { GIVE_UP_MS } from './limits.ts'

/** Takes the notices that are due: each is mailed at most once. */
const takeNotices = query<
  void,
  { id: string; name: string; shownUrl: string; domain: string; emails: string[] }
>(
  'take-webhook-notices',
  `with taken as (
    update webhook_endpoints set is_notice_due = false where is_notice_due returning id, site_no, name, shown_url
  )
  select
    taken.id, taken.name, taken.shown_url as "shownUrl", sites.domain,
    array(
      select coalesce(logins.email, users.email)
      from users
      left join logins on logins.id = users.login_id
      where users.team_id = sites.team_id and users.role = 'owner' and logins.disabled_at is null
      order by 1
    ) as emails
  from taken
  join sites on sites.site_no = taken.site_no and sites.deleted_at is null`,
)

/** Mails the owners of a team that one of its endpoints was switched off. */
export async function sendNotices(services: Pick<Services, 'config' | 'log'> & { db: Db }): Promise<void> {
  if (!services.config.mail) return
  for (const { name, shownUrl, domain, emails } of await takeNotices(services.db)) {
    const { origin } = new URL(shownUrl)
    const content = letter([
      `All messages of ${domain} to the webhook “${name}” (${origin}) have failed for ${GIVE_UP_MS / DAY_MS} days. It is switched off: nothing is sent to it any more.`,
      'When its receiver works again, switch it on in the settings of the site. What was not delivered stands in its log, from where each message can be sent again.',
      {
        label: 'Webhooks of the site',
        url: `${services.config.baseUrl}/sites/${encodeURIComponent(domain)}/settings/webhooks`,
      },
    ])
    for (const to of emails)
      await sendMail(services, {
        to,
        subject: `The webhook “${name}” of ${domain} is switched off`,
        ...content,
      })
  }
}
