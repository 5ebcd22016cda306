import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import type { InlinePicture } from '../../../platform/mail/message.ts'
import { contentOf, type ReportContent } from './mail/content.ts'
import { emptyHtml, htmlBody } from './mail/html-body.ts'
import { textsOf } from './mail/mail-texts.ts'
import { emptyText, type Frame, textBody } from './mail/text-body.ts'
import type { Period } from './periods.ts'
import { barPicture, linePicture } from './pictures/series-picture.ts'
import { isEmpty, type ReportNumbers } from './read-report.ts'

export interface ReportMail {
  subject: string
  text: string
  html: string
  pictures: InlinePicture[]
}

/** Makes the mail of a report. */
export function composeReport(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  site: SiteRecord,
  period: Period,
  numbers: ReportNumbers,
  to: { language: Language; address: string; unsubscribeUrl: string },
): ReportMail {
  const content = contentOf(site, period, to.language, numbers)
  const { from, to: until } = period
  const frame: Frame = { ...to, url: `${baseUrl}/sites/${site.id}?from=${from}&to=${until}` }
  const nothing = isEmpty(numbers)
  const subject = subjectOf(content, numbers, nothing)
  if (nothing) {
    return {
      subject,
      text: emptyText(content, frame),
      html: emptyHtml(content, frame, subject),
      pictures: [],
    }
  }
  return {
    subject,
    text: textBody(content, frame),
    html: htmlBody(content, frame, subject),
    pictures: picturesOf(content),
  }
}

/** The same mail with a word before its subject. */
export const asTest = (mail: ReportMail, language: Language): ReportMail => ({
  ...mail,
  subject: `${textsOf(language).test}: ${mail.subject}`,
})

function subjectOf(
  { domain, days, texts, figures }: ReportContent,
  { overview }: ReportNumbers,
  nothing: boolean,
) {
  const what = nothing ? texts.nothing : texts.visitors(figures[0]!.value, overview.visitors)
  return `${domain}: ${what} (${days})`
}

function picturesOf({ visitors, revenue }: ReportContent): InlinePicture[] {
  const picture = (cid: string, content: Buffer): InlinePicture => ({
    cid,
    filename: `${cid}.png`,
    content,
    contentType: 'image/png',
  })
  return [
    picture(visitors.cid, linePicture(visitors)),
    ...(revenue ? [picture(revenue.cid, barPicture(revenue))] : []),
  ]
}
