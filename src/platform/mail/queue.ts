import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Paragraph } from './letter.ts'

export interface QueuedMail {
  address: string
  /** Who must still agree when the mail is sent; null for an owner of the team and the person of a login. */
  recipientId: string | null
  language: string
  subject: string
  paragraphs: Paragraph[]
}

/** Mails of alerts that a site sends in 24 hours. */
const MOST_MAILS = 200
/** Mails about logins and teams that one address gets in 24 hours: a program may change something as often as it likes. */
const MOST_OF_ADDRESS = 50

const insertMails = query<{
  key: string
  siteNo: number | null
  addresses: string[]
  recipientIds: (string | null)[]
  languages: string[]
  subjects: string[]
  paragraphs: string[]
  now: Date
  since: Date
  most: number
  mostOfAddress: number
}>('queue-mails')

/**
 * Queues mails about one thing, in the transaction that makes it happen. Each address gets one mail with the same key, whatever is
 * queued. Beyond 200 mails of a site to recipients in 24 hours, and 50 to an address about logins, further ones are left out.
 * @param about `siteNo`: null for mails about a login
 */
export async function queueMails(
  transaction: Queryable,
  { key, siteNo }: { key: string; siteNo: number | null },
  mails: readonly QueuedMail[],
  now: Date,
): Promise<void> {
  if (mails.length === 0) return
  await insertMails(transaction, {
    key,
    siteNo,
    addresses: mails.map(({ address }) => address),
    recipientIds: mails.map(({ recipientId }) => recipientId),
    languages: mails.map(({ language }) => language),
    subjects: mails.map(({ subject }) => subject),
    paragraphs: mails.map(({ paragraphs }) => JSON.stringify(paragraphs)),
    now,
    since: new Date(now.getTime() - DAY_MS),
    most: MOST_MAILS,
    mostOfAddress: MOST_OF_ADDRESS,
  })
}
