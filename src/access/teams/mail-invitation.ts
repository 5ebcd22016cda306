import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { letter } from '../../platform/mail/letter.ts'
import { sendMail } from '../../platform/mail/send.ts'
import type { Services } from '../../platform/services.ts'
import type { Caller } from './caller.ts'

/** Invitations that a team mails on one day, UTC: the texts are the team's, so it could send anything to anybody. */
const MAX_MAILS = 50

/** Returns no row when the team has mailed as many as it may. */
const countMail = query<{ teamId: string; day: string; limit: number }, { id: string }>(
  'count-invitation-mail',
  `update teams
  set mail_count = case when mail_day = :day::date then mail_count + 1 else 1 end, mail_day = :day::date
  where id = :teamId and (mail_day is distinct from :day::date or mail_count < :limit)
  returning id`,
)

/** Mails to addresses of others that a login causes on one day: invitations in all its teams, which it could make and delete as often as it likes, and links for new addresses. */
const MAX_MAILS_OF_LOGIN = 100

/** Returns no row when the login has mailed as many as it may. */
const countMailOfLogin = query<{ loginId: string; day: string; limit: number }, { id: string }>(
  'count-mail-of-login',
  `update logins
  set mail_count = case when mail_day = :day::date then mail_count + 1 else 1 end, mail_day = :day::date
  where id = :loginId and (mail_day is distinct from :day::date or mail_count < :limit)
  returning id`,
)

/** Returns whether the team, and the login that invites, may mail one more invitation today, and counts it. */
export async function mayMail(
  db: Queryable,
  { config, now }: Pick<Services, 'config' | 'now'>,
  { teamId, loginId }: Pick<Caller, 'teamId' | 'loginId'>,
): Promise<boolean> {
  if (!config.mail) return false
  const day = now().toISOString().slice(0, 10)
  if ((await countMail(db, { teamId, day, limit: MAX_MAILS })).length === 0) return false
  return loginId === null || mayMailToOthers(db, loginId, now())
}

/** Returns whether a login may cause one more mail to an address of another person today, and counts it. */
export async function mayMailToOthers(db: Queryable, loginId: string, now: Date): Promise<boolean> {
  const day = now.toISOString().slice(0, 10)
  return (await countMailOfLogin(db, { loginId, day, limit: MAX_MAILS_OF_LOGIN })).length > 0
}

/** Mails the link of an invitation. @param invitation `works`: how long the link does. @returns whether the mail server has taken it */
export function mailInvitation(
  services: Pick<Services, 'config' | 'log'>,
  {
    email,
    teamName,
    invitedBy,
    url,
    works,
  }: Record<'email' | 'teamName' | 'invitedBy' | 'url' | 'works', string>,
): Promise<boolean> {
  const { host } = new URL(services.config.baseUrl)
  return sendMail(services, {
    to: email,
    subject: `${invitedBy} invites you to the team ${teamName} on ${host}`,
    ...letter([
      `${invitedBy} invites you to the team “${teamName}” of the web analytics on ${host}.`,
      { label: 'Join the team', url },
      `The link works ${works}, and only once. If you do not know what this is about, ignore this mail.`,
    ]),
  })
}
