import type { EnrichedHit } from '../hit.ts'
import { hostOfPage } from './referrer.ts'
import { DIRECT, listedSpelling, sourceOfHost, sourceOfTag } from './sources/find-source.ts'
import type { SourceCategory } from './sources/source.ts'
import { readTags } from './url.ts'

/** What attribution reads and sets. */
export type Attributed = Pick<
  EnrichedHit,
  'url' | 'referrerPage' | 'utmSource' | 'utmMedium' | 'utmCampaign' | 'source' | 'channel'
>

/**
 * Sets `source` and `channel` from the URL's tags, the referrer, and without both from the network's click id. A tag is kept as
 * sent, except that it gets the listed case; a referrer gets its canonical name. All have a category (search, social…).
 */
export function attribute(hit: Attributed): void {
  const { source: shortTag, adClick, socialClick } = readTags(hit.url)
  const tag = hit.utmSource || shortTag
  const host = hostOfPage(hit.referrerPage)
  const click = tag || host ? '' : adClick || socialClick
  const tagged = tag || click ? sourceOfTag(tag || click) : undefined
  const known = tagged ? tagged.known : host ? sourceOfHost(host) : undefined

  hit.source = listedSpelling(tag) || tag || known?.name || host || DIRECT
  const medium = hit.utmMedium.toLowerCase()
  const campaign = hit.utmCampaign.toLowerCase()
  const isPaid = tagged?.isAd || /^(.*cp.*|ppc|retargeting|paid.*)$/s.test(medium)
  const category = known && !(known.isOurs && isClear(medium)) ? known.category : 'other'
  const facts: Facts = {
    source: (tag || host).toLowerCase(),
    name: known?.name ?? '',
    category,
    medium,
    campaign,
    adClick,
    isPaid,
    isShopping: category === 'shopping' || /([^a-df-z]|^)shop|shopping/.test(campaign),
  }
  hit.channel = channels.find(channel => channel.holds(facts))?.name ?? 'Direct'
}

/** What the channel depends on. All texts but `name` are in lower case, unknown ones are empty. */
interface Facts {
  /** The tag, or the referrer's host. */
  source: string
  /** Canonical name of a known source. */
  name: string
  category: SourceCategory
  medium: string
  campaign: string
  adClick: 'Google' | 'Bing' | ''
  isPaid: boolean
  isShopping: boolean
}

interface Channel {
  name: string
  holds: (facts: Facts) => boolean
}

const displayMediums = new Set(['display', 'banner', 'expandable', 'interstitial', 'cpm'])
const socialMediums = new Set([
  ...['social', 'social-network', 'social-media', 'sm'],
  ...['social network', 'social media', 'social_network', 'social_media'],
])
const emailTags = new Set(['email', 'e-mail', 'e_mail', 'e mail'])
const affiliateMediums = new Set(['affiliate', 'affiliates'])

/** Tells whether a medium decides the channel, so that it outranks the category of a source that Google's table does not have. */
const isClear = (medium: string): boolean =>
  emailTags.has(medium) || medium === 'sms' || affiliateMediums.has(medium)

const directTags = new Set(['direct', '(direct)', '(none)', '(not set)', 'direct / none'])
const noMediums = new Set(['', '(none)', '(not set)', 'none'])

/**
 * Rules of Google's default channel group, in the order of this service; the first rule that holds gives the channel.
 * @see https://support.google.com/analytics/answer/9756891
 */
const channels: Channel[] = [
  { name: 'Cross-network', holds: f => f.campaign.includes('cross-network') },
  { name: 'Paid Shopping', holds: f => f.isShopping && f.isPaid },
  {
    name: 'Paid Search',
    holds: f => (f.category === 'search' && f.isPaid) || (f.adClick !== '' && f.adClick === f.name),
  },
  { name: 'Paid Social', holds: f => f.category === 'social' && f.isPaid },
  { name: 'Paid Video', holds: f => f.category === 'video' && f.isPaid },
  { name: 'Display', holds: f => displayMediums.has(f.medium) },
  { name: 'Paid Other', holds: f => f.isPaid },
  { name: 'Organic Shopping', holds: f => f.isShopping },
  { name: 'Organic Social', holds: f => f.category === 'social' || socialMediums.has(f.medium) },
  { name: 'Organic Video', holds: f => f.category === 'video' || f.medium.includes('video') },
  { name: 'AI Assistants', holds: f => f.category === 'ai' || f.medium === 'ai-assistant' },
  { name: 'Organic Search', holds: f => f.category === 'search' || f.medium === 'organic' },
  { name: 'Email', holds: f => f.category === 'email' || isEmail(f) },
  {
    name: 'Affiliates',
    holds: f => f.category === 'affiliate' || affiliateMediums.has(f.medium),
  },
  { name: 'Audio', holds: f => f.category === 'audio' || f.medium === 'audio' },
  { name: 'SMS', holds: f => f.source === 'sms' || f.medium === 'sms' },
  { name: 'Mobile Push Notifications', holds: f => f.source === 'firebase' || isPush(f.medium) },
  { name: 'Referral', holds: f => isReferral(f) },
]

const isEmail = ({ source, medium }: Facts) =>
  emailTags.has(source) || emailTags.has(medium) || source.includes('newsletter')

function isPush(medium: string): boolean {
  return medium.endsWith('push') || medium.includes('mobile') || medium.includes('notification')
}

/** A hit with any source is a referral, whatever its medium, unless source and medium both mean "direct". */
function isReferral({ source, medium }: Facts): boolean {
  if (medium === 'referral' || medium === 'app' || medium === 'link') return true
  return source !== '' && !(directTags.has(source) && noMediums.has(medium))
}
