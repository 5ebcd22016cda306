import type { Audit } from '../../../access/audit/audit.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Services } from '../../../platform/services.ts'
import { readRows } from '../rows/read-rows.ts'
import { exportHits, HIT_TYPES } from './export-hits.ts'
import type { HitExportQuery, RowExportPath } from './schema.ts'
import { spanOf } from './span.ts'

/** A file that can be read once. */
export interface OpenedExport {
  contentType: string
  fileName: string
  read(): AsyncIterable<Buffer>
}

/** Opens an export of the hits of a site, and notes it in the audit log: it holds personal data. */
export async function openHitExport(
  { db, now, audit }: Pick<Services, 'db' | 'now'> & { audit: Audit },
  site: SiteRecord,
  { from, to, format, csv_delimiter: delimiter }: HitExportQuery,
): Promise<OpenedExport> {
  await audit(db, {
    action: 'site.export',
    object: { type: 'site', id: site.id },
    details: { format, ...(from !== undefined && { from, to }) },
  })
  const days = from === undefined ? '' : `-${from}-${to}`
  return {
    contentType: HIT_TYPES[format],
    fileName: `${site.domain}-hits${days}.${format}`,
    read: () => exportHits(db, { ...spanOf(site, { from, to }, now()), format, delimiter }),
  }
}

/** Opens an export of other data of a site as JSON lines, and notes it in the audit log. Personal segments are those of the caller alone. */
export async function openRowExport(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  { userId }: { userId: string },
  site: SiteRecord,
  { kind }: RowExportPath,
): Promise<OpenedExport> {
  await audit(db, { action: 'site.export', object: { type: 'site', id: site.id }, details: { kind } })
  return {
    contentType: HIT_TYPES.jsonl,
    fileName: `${site.domain}-${kind}.jsonl`,
    read: () => linesOf(readRows(db, { siteNo: site.siteNo, userId }, kind)),
  }
}

async function* linesOf(blocks: AsyncIterable<string[]>): AsyncGenerator<Buffer> {
  for await (const lines of blocks) yield Buffer.from(`${lines.join('\n')}\n`)
}
