import type { EnrichedHit } from '../hit.ts'
import { channelOf } from './channel.ts'
import { sourceOfHost } from './known-source.ts'
import { hostOfPage } from './referrer.ts'
import { sourceOfTag } from './tagged-source.ts'
import { readTags } from './url.ts'

const DIRECT = 'Direct / None'

/**
 * Sets `source` and `channel` from the URL's tags and the referrer. A tag is kept as sent; a referrer gets its canonical
 * name. Both have a category (search, social…).
 */
export function attribute(hit: EnrichedHit): void {
  const { source: shortTag, adClick } = readTags(hit.url)
  const tag = hit.utmSource || shortTag
  const host = hostOfPage(hit.referrerPage)
  const tagged = tag ? sourceOfTag(tag) : undefined
  const known = tagged ? tagged.known : host ? sourceOfHost(host) : undefined

  hit.source = tag || known?.name || host || DIRECT
  hit.channel = channelOf({
    source: tag || host,
    name: known?.name ?? '',
    category: known?.category ?? 'other',
    medium: hit.utmMedium,
    campaign: hit.utmCampaign,
    adClick,
    isAd: tagged?.isAd ?? false,
  })
}
