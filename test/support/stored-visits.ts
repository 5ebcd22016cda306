import type { EnrichedHit, Hit, HitType } from '../../src/ingestion/hit.ts'
import { enrich } from '../../src/ingestion/stages/index.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { isReservedName } from '../../src/storage/events/reserved-names.ts'
import type { SentHit } from './recount.ts'
import type { RecountGoal } from './recount-conversions.ts'
import type { TestSite } from './sites.ts'

const OWN_TYPE = ['outbound', 'download', 'button', 'form', 'copy', 'error'] as const

/** What the edge makes of a custom event's name. */
function typeOf({ kind, name }: SentHit): HitType {
  return (kind === 'event' && OWN_TYPE.find(type => type === name)) || kind
}

/**
 * Stores what was sent, batch by batch, with the dimensions that the recount takes as given.
 * @param between called after each batch with the latest time in it
 */
export async function storeVisits(
  db: Db,
  site: TestSite,
  batches: SentHit[][],
  between: (now: number) => Promise<void> = async () => {},
): Promise<void> {
  for (const batch of batches) {
    await storeHits(db, 0, recordedHits(site, batch))
    await between(Math.max(...batch.map(hit => hit.at)))
  }
}

/** Second deliveries of hits that were not recorded prove nothing: a lost acknowledgement repeats whole batches. */
export function withoutRepeatedDrops(batches: SentHit[][], dropped: string[]): SentHit[][] {
  const gone = new Set(dropped)
  const seen = new Set<string>()
  return batches
    .map(batch => batch.filter(hit => !(gone.has(hit.id) && seen.has(hit.id)) && seen.add(hit.id)))
    .filter(batch => batch.length > 0)
}

/** A batch as it comes to the store: reserved names end at the edge. */
export function recordedHits(site: TestSite, batch: SentHit[]): EnrichedHit[] {
  return batch.filter(hit => !(hit.name && isReservedName(hit.name))).map(hit => toHit(site, hit))
}

function toHit(site: TestSite, sent: SentHit): EnrichedHit {
  const { path, title, name, scroll, engagedMs, identifier, props, revenue, errorName, errorMessage } = sent
  const type = typeOf(sent)
  const hit = {
    id: sent.id,
    at: sent.at,
    siteNo: site.siteNo,
    siteId: site.id,
    type,
    visitorId: sent.visitor,
    hostname: sent.hostname ?? 'example.com',
    url: path,
    title,
    name,
    scroll,
    engagedMs,
    identity: identifier === undefined ? undefined : { identifier },
    props,
    revenue: revenue && { ...revenue, amountMinor: String(revenue.amountMinor) },
    error: type === 'error' ? withoutUndefined({ name: errorName, message: errorMessage }) : undefined,
  }
  return { ...enrich(withoutUndefined(hit) as Hit), ...dimensionsOf(sent) }
}

const withoutUndefined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Names that enrichment gives to dimensions. */
const ENRICHED = {
  source: 'source',
  channel: 'channel',
  referrerPage: 'referrer',
  utmSource: 'utm_source',
  utmMedium: 'utm_medium',
  utmCampaign: 'utm_campaign',
  utmContent: 'utm_content',
  utmTerm: 'utm_term',
  browserName: 'browser',
  browserFullVersion: 'browser_version',
  osName: 'os',
  osFullVersion: 'os_version',
  size: 'size',
  country: 'country',
  region: 'region',
  city: 'city',
} as const

function dimensionsOf({ dims = {} }: SentHit): Partial<EnrichedHit> {
  const [screenWidth, screenHeight] = (dims.screen || 'x').split('x').map(Number)
  return {
    ...Object.fromEntries(Object.entries(ENRICHED).map(([field, name]) => [field, dims[name] ?? ''])),
    ...(dims.language && { language: dims.language }),
    ...(dims.screen && { screenWidth: screenWidth!, screenHeight: screenHeight! }),
  }
}

/** Makes these the goals of a site, whatever it had. Sites of other tests lose goals with the same ids. */
export async function replaceGoals(db: Db, site: TestSite, goals: RecountGoal[]): Promise<void> {
  await db`delete from goals where site_no = ${site.siteNo} or id = any(${goals.map(({ id }) => id)}::uuid[])`
  for (const goal of goals) {
    await db`
      insert into goals (
        id, site_no, display_name, type, match_value, match_operator, scroll_threshold, currency, custom_props
      )
      values (
        ${goal.id}, ${site.siteNo}, ${goal.display_name}, ${goal.type}, ${goal.match_value}, ${goal.match_operator},
        ${goal.scroll_threshold}, ${goal.currency}, ${db.json(goal.custom_props)}
      )`
  }
}
