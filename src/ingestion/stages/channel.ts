import type { SourceCategory } from './sources.ts'

/** What a channel is decided from; empty strings where nothing is known. */
interface Origin {
  /** Tag as sent or the referrer's host. */
  source: string
  /** Canonical name of a well-known source. */
  name: string
  category: SourceCategory
  medium: string
  campaign: string
  adClick: 'Google' | 'Bing' | ''
  /** The source names a network's advertisements. */
  isAd: boolean
}

interface Channel {
  name: string
  holds: (facts: Facts) => boolean
}

interface Facts extends Origin {
  isPaid: boolean
  isShopping: boolean
}

const displayMediums = new Set(['display', 'banner', 'expandable', 'interstitial', 'cpm'])
const socialMediums = new Set([
  ...['social', 'social-network', 'social-media', 'sm'],
  ...['social network', 'social media', 'social_network', 'social_media'],
])
const emailTags = new Set(['email', 'e-mail', 'e_mail', 'e mail'])
const directTags = new Set(['direct', '(direct)', '(none)', '(not set)', 'direct / none'])
const noMediums = new Set(['', '(none)', '(not set)', 'none'])

/**
 * Google's default channel group in the order in which this service asks; the first that holds is the channel.
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
    holds: f => f.category === 'affiliate' || f.medium === 'affiliate' || f.medium === 'affiliates',
  },
  { name: 'Audio', holds: f => f.category === 'audio' || f.medium === 'audio' },
  { name: 'SMS', holds: f => f.source === 'sms' || f.medium === 'sms' },
  { name: 'Mobile Push Notifications', holds: f => f.source === 'firebase' || isPush(f.medium) },
  { name: 'Referral', holds: f => isReferral(f) },
]

/** @returns one of the nineteen channel names; `Direct` when nothing else holds */
export function channelOf(origin: Origin): string {
  const campaign = origin.campaign.toLowerCase()
  const medium = origin.medium.toLowerCase()
  const facts: Facts = {
    source: origin.source.toLowerCase(),
    name: origin.name,
    category: origin.category,
    medium,
    campaign,
    adClick: origin.adClick,
    isAd: origin.isAd,
    isPaid: origin.isAd || /^(.*cp.*|ppc|retargeting|paid.*)$/s.test(medium),
    isShopping: origin.category === 'shopping' || /([^a-df-z]|^)shop|shopping/.test(campaign),
  }
  return channels.find(channel => channel.holds(facts))?.name ?? 'Direct'
}

const isEmail = ({ source, medium }: Facts) =>
  emailTags.has(source) || emailTags.has(medium) || source.includes('newsletter')

function isPush(medium: string): boolean {
  return medium.endsWith('push') || medium.includes('mobile') || medium.includes('notification')
}

/** Whoever came from somewhere was referred, whatever medium the link claims. */
function isReferral({ source, medium }: Facts): boolean {
  if (medium === 'referral' || medium === 'app' || medium === 'link') return true
  return source !== '' && !(directTags.has(source) && noMediums.has(medium))
}
