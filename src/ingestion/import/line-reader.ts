import type { Db } from '../../platform/db/connect.ts'
import {
  dropReason,
  type Endpoint,
  givenVisitorId,
  type HitSite,
  makeHit,
  type RoutedHit,
} from '../edge/accept.ts'
import type { Geo } from '../edge/geo.ts'
import { readBody } from '../edge/read-body.ts'
import type { EnrichedHit } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { loadImportSalts } from './import-salts.ts'
import { digestOf, hitIdOf, Ordinals } from './line-ids.ts'
import { type Line, MAX_LINE_BYTES } from './lines.ts'
import { readStoredBody, requireVisitor, restore } from './restored-hit.ts'

/** The site of an import, and from when on hits of it may be imported; null: any time. */
export type ImportSite = HitSite & { detailsFrom?: Date | null }

/** A valid line whose body is not validated yet. */
export interface Entry extends Envelope {
  id: string
  line: number
  bytes: number
  siteNo: number
}

/** Turns the lines of one file, in their order, into hits. */
export interface LineReader {
  /** @throws the reason why the line is rejected */
  readEntry(line: Line): Entry
  /**
   * @param endpoint that of the entry, which is no `identity`
   * @returns undefined for a hit that live ingestion would drop, too
   * @throws the reason why the line is rejected
   */
  readHit(endpoint: Endpoint, entry: Entry): (Omit<RoutedHit, 'hit'> & { hit: EnrichedHit }) | undefined
}

/**
 * @param options.importedAs format of another product that the lines were converted from
 * @param options.keepsErrorIds lines come from this very site
 */
export async function createLineReader(
  site: ImportSite,
  {
    db,
    geo,
    now,
    importedAs,
    keepsErrorIds = false,
  }: {
    db: Db
    geo: Geo
    now: () => Date
    importedAs?: string | undefined
    keepsErrorIds?: boolean | undefined
  },
): Promise<LineReader> {
  const saltsAt = await loadImportSalts(db, site.siteNo, importedAs)
  const ordinals = new Ordinals()

  return {
    readEntry({ number, text }) {
      if (!text) throw new Error(`the line is longer than ${MAX_LINE_BYTES / 1024} KiB`)
      const envelope = readEnvelope(text, now().getTime())
      const isHit = envelope.endpoint !== 'identity'
      if (isHit && site.detailsFrom && envelope.at < site.detailsFrom.getTime()) {
        throw new Error(
          `timestamp lies before ${site.detailsFrom.toISOString()}: the details of the site before that time are gone (retention), and its numbers no longer change`,
        )
      }
      const rest = { line: number, bytes: text.length, siteNo: site.siteNo }
      if (envelope.stored) return { ...envelope, id: envelope.stored.id, ...rest }
      const digest = digestOf(site.siteId, text)
      const ordinal = ordinals.count(digest.key, envelope.at)
      if (ordinal === undefined) {
        throw new Error('the line comes too long after lines of later times; sort the file by time')
      }
      const id = hitIdOf(digest, ordinal, envelope.at)
      return { ...envelope, id, ...rest }
    },
    readHit(endpoint, { at, id, line, sender, location = geo.locate(sender.address), stored, body }) {
      const content = stored ? readStoredBody(endpoint, body) : readBody(endpoint, body)
      if (dropReason(content, sender)) return undefined
      if (stored) requireVisitor(content)
      const salts = givenVisitorId(content, site) ? undefined : saltsAt(at)
      const routed = makeHit(content, { id, at, site, sender, location, salts })
      const hit = enrich({ ...routed.hit, line })
      hit.importedAs = importedAs
      return { ...routed, hit: stored ? restore(hit, stored, keepsErrorIds) : hit }
    },
  }
}
