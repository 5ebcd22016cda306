import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Services } from '../../../platform/services.ts'
import { composeReport } from './compose.ts'
import { lastPeriod } from './periods.ts'
import type { PreviewQuery, ReportPreview } from './preview-schema.ts'
import { readReport } from './read-report.ts'

type Parts = Pick<
  Services,
  'reads' | 'readsInParts' | 'rollups' | 'patterns' | 'counter' | 'now' | 'config'
> & {
  signal?: AbortSignal | undefined
}

/** Returns the mail about the newest period that is over, as a recipient would get it. Its link to unsubscribe leads nowhere. */
export async function previewReport(
  services: Parts,
  { email }: { email: string },
  site: SiteRecord,
  { frequency, language, sections }: PreviewQuery,
): Promise<ReportPreview> {
  const period = lastPeriod(site.timezone, frequency, services.now())
  const numbers = await readReport(services, site, period, sections)
  const to = { language, address: email, unsubscribeUrl: '#' }
  const { subject, text, html, pictures } = composeReport(services.config, site, period, numbers, to)
  return { from: period.from, to: period.to, subject, text, html: withPictures(html, pictures) }
}

/** A browser has no attachments: pictures stand in the HTML. */
const withPictures = (html: string, pictures: { cid: string; content: Buffer }[]): string =>
  pictures.reduce(
    (all, { cid, content }) =>
      all.replace(`src="cid:${cid}"`, `src="data:image/png;base64,${content.toString('base64')}"`),
    html,
  )
