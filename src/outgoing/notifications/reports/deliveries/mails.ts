import type { SiteRecord } from '../../../../access/sites/site-schema.ts'
import type { Language } from '../../../../platform/mail/languages.ts'
import { letter } from '../../../../platform/mail/letter.ts'
import type { Mail } from '../../../../platform/mail/message.ts'
import { plain } from '../../../../platform/mail/plain.ts'
import { senderHost } from '../../../../platform/mail/sender-host.ts'
import type { Services } from '../../../../platform/services.ts'
import { linkTo, unsubscribeHeaders } from '../../recipients/links.ts'
import { findRecipient } from '../../recipients/recipient-rows.ts'
import { composeReport } from '../compose.ts'
import { textsOf } from '../mail/mail-texts.ts'
import type { Period } from '../periods.ts'
import type { ReportNumbers } from '../read-report.ts'
import type { Delivery } from './report-delivery-rows.ts'

type Parts = Pick<Services, 'config'>

/** Returns the mail of a report, with the links and headers by which its recipient unsubscribes (RFC 8058). */
export function reportMail(
  { config }: Parts,
  site: SiteRecord,
  period: Period,
  numbers: ReportNumbers,
  { id, address, language }: { id: string; address: string; language: Language },
): Mail {
  const unsubscribeUrl = linkTo(config, 'unsubscribe', id)
  const mail = composeReport(config, site, period, numbers, { address, language, unsubscribeUrl })
  return {
    ...mail,
    to: address,
    messageId: messageId(config, id, period.frequency, period.from),
    headers: {
      ...unsubscribeHeaders(config, id),
      'List-Id': `<${site.id}.reports.${senderHost(config)}>`,
    },
  }
}

/** Returns the question whether an address wants reports; undefined when its recipient is gone. */
export async function confirmationMail(
  { db, config }: Parts & Pick<Services, 'db'>,
  { id, kind, from }: Delivery,
): Promise<Mail | undefined> {
  const [recipient] = await findRecipient(db, { id })
  if (!recipient || recipient.isSiteDeleted) return undefined
  const language = recipient.language as Language
  const { confirmation: texts } = textsOf(language)
  const domain = plain(recipient.domain)
  const { host } = new URL(config.baseUrl)
  return {
    to: recipient.address,
    subject: texts.subject(domain),
    messageId: messageId(config, id, kind, from),
    ...letter(
      [
        texts.text(plain(recipient.createdBy ?? host), domain, host),
        { label: texts.button, url: linkTo(config, 'confirm', id) },
        texts.ignore,
      ],
      language,
    ),
  }
}

/** The same for each attempt, so that a mail program shows a mail once that arrived twice. */
const messageId = (config: Services['config'], id: string, kind: string, from: string): string =>
  `<report-${id}-${kind}-${from}@${senderHost(config)}>`
