import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownSources } from '../../../src/ingestion/stages/sources/known-sources.ts'
import { listedSources } from '../../../src/ingestion/stages/sources/listed-sources.ts'
import { runs, seeded } from '../../support/runs.ts'
import { enriched } from './hit.ts'

const ofTag = (source: string, more = '') => {
  const { source: shown, channel } = enriched({ url: `/?utm_source=${encodeURIComponent(source)}${more}` })
  return { shown, channel }
}
const channelOfTag = (source: string, more?: string) => ofTag(source, more).channel
const channelOfHost = (host: string) => enriched({ referrer: `https://${host}/` }).channel

test.each(
  Object.entries({
    'Paid Social': [
      ...['fb-ads', 'FB Ads', 'fbad', 'facebook_feed_ad', 'facebook.com-ads', 'facebook_ads_retargeting'],
      ...['meta-ads', 'metaads', 'ig_ads', 'x-ads', 'RedditAds', 'tik-tok-ads', 'snapads', 'threads-ads'],
    ],
    'Paid Search': [
      ...['googleads', 'google_ads_brand', 'gads', 'adwords', 'google-adwords', 'googleadwords'],
      ...['bing-ads', 'microsoft advertising', 'msads', 'yandex-direct', 'duckduckgo-ads'],
    ],
    'Paid Video': ['yt-ads', 'youtubeads'],
    'Paid Shopping': ['amazon-ads', 'google_shopping_ads'],
    'Paid Other': ['spotify-ads', 'newsletter-ads', 'acme-ads', 'native_ads', 'apple-search-ads'],
  }),
)(
  'channel, a source that names the ads of a network is paid: %s: %j, which are shown unchanged',
  (channel, sources) => {
    for (const source of sources) expect(ofTag(source)).toEqual({ shown: source, channel })
  },
)

test('channel: a source that names the ads of a network is paid with every medium, unless an earlier rule applies', () => {
  for (const medium of ['', 'social', 'email', 'organic', 'referral', 'display']) {
    expect(channelOfTag('fb-ads', `&utm_medium=${medium}`)).toBe('Paid Social')
  }
  expect(channelOfTag('acme-ads', '&utm_medium=display')).toBe('Display')
  expect(channelOfTag('acme-ads', '&utm_campaign=eshop')).toBe('Paid Shopping')
  expect(channelOfTag('google-ads', '&utm_campaign=cross-network')).toBe('Cross-network')
})

const networks = knownSources.filter(({ category }) =>
  ['search', 'social', 'video', 'shopping'].includes(category),
)
const paid = {
  search: 'Paid Search',
  social: 'Paid Social',
  video: 'Paid Video',
  shopping: 'Paid Shopping',
}
test.each(networks.map(each => [each.name, each] as const))(
  'channel, a source that names the ads of a network is paid: %s, in each of its spellings',
  (_name, network) => {
    for (const spelling of [network.name, ...(network.aliases ?? [])]) {
      for (const suffix of ['-ads', '_ads', ' ads', 'ads', '-ad', ' Ad']) {
        expect([spelling + suffix, channelOfTag(spelling + suffix)]).toEqual([
          spelling + suffix,
          paid[network.category as keyof typeof paid],
        ])
      }
    }
  },
)

test.each([
  ...['downloads', 'uploads', 'leads', 'beads', 'roads', 'squads', 'heads', 'salads'],
  ...['nomads', 'pads', 'ads', 'download', 'read', 'ipad', 'launchpad', 'nomad', 'ahmedabad'],
  ...['ad', 'roadshow', 'adsense-blog', 'loads', 'job-ad', 'print_ad', 'my-downloads'],
  ...['web-leads', 'crossroads-blog', 'adspert', 'ads-blog', 'dads', '-ads'],
])('channel, a source that only ends in "ads" is not paid: %s', source => {
  expect(ofTag(source)).toEqual({ shown: source, channel: 'Referral' })
})

test('channel, a source that only ends in "ads" is not paid: random words followed by ads are not paid', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(letters, fc.constantFrom('ads', 'ad'), (word, suffix) => {
      fc.pre(channelOfTag(word) === 'Referral' && !/^(g|ms)$|newsletter/.test(word))
      return !channelOfTag(word + suffix).startsWith('Paid')
    }),
    { seed: seeded(20), numRuns: runs(2_000) },
  )
})

test('channel, a source that only ends in "ads" is not paid: the host of a referrer is not paid', () => {
  expect(channelOfHost('fb-ads.example.org')).toBe('Referral')
  expect(channelOfHost('downloads.example.org')).toBe('Referral')
})

test('channel, a source that contains newsletter is Email: a referrer counts too, and an earlier channel that fits wins', () => {
  expect(channelOfHost('newsletter.example.org')).toBe('Email')
  expect(channelOfTag('newsletter', '&utm_medium=cpc')).toBe('Paid Other')
  expect(channelOfTag('newsletter', '&utm_medium=social')).toBe('Organic Social')
  expect(channelOfHost('newsletter.substack.com')).toBe('Organic Social')
})

test.each(
  Object.entries({
    'Organic Social': [
      ...['answers.yahoo.com', 'chiebukuro.yahoo.co.jp', 'kin.naver.com', 'm.kin.naver.com'],
      ...['sites.google.com', 'groups.google.com', 'plus.url.google.com', 'bit.ly', 'tinyurl.com'],
      ...['www.scribd.com', 'm.badoo.com', 'nicovideo.jp', 'someone.typepad.com', 'viadeo.com'],
      ...['linktr.ee', 'www.producthunt.com', 'app.slack.com', 'teams.microsoft.com'],
      ...['statics.teams.cdn.office.net', 'discord.com', 'steamcommunity.com'],
    ],
    'Organic Search': ['uk.search.yahoo.com', 'search.ukr.net', 'mail.yandex.ru', 'centrum.cz'],
    'Organic Video': ['veoh.com', 'd.tube', 'viadeo.journaldunet.com'],
    'Organic Shopping': ['uk.shopping.net', 's3.amazonaws.com', 'checkout.stripe.com'],
    Referral: ['bucket.s3.amazonaws.com', 'notbadoo.com'],
    'AI Assistants': ['chatgpt.com'],
  }),
)("channel, hosts and tags are classified by Google's source categories: %s: %j", (channel, hosts) => {
  for (const host of hosts) expect([host, channelOfHost(host)]).toEqual([host, channel])
})

test("channel, hosts and tags are classified by Google's source categories: a listed host without a name is shown unchanged", () => {
  expect(enriched({ referrer: 'https://www.badoo.com/x' }).source).toBe('badoo.com')
  expect(enriched({ referrer: 'https://m.badoo.com/x' }).source).toBe('m.badoo.com')
})

test.each(
  Object.entries({
    'Organic Social': [
      'badoo',
      'social',
      'blog.com',
      'threads',
      'Threads',
      'threads.net',
      'wattpad',
      'tiktok',
    ],
    'Organic Video': ['crackle'],
    'Organic Search': ['search-results'],
    Referral: ['blog'],
    Email: [
      ...['newsletter', 'Newsletter', 'weekly-newsletter', 'newsletter_2026_11', 'acmeNewsletters'],
      'linkedin-newsletter',
    ],
  }),
)('channel, tags are classified by their words: %s: %j', (channel, sources) => {
  for (const source of sources) expect([source, channelOfTag(source)]).toEqual([source, channel])
})

const kinds = {
  search: 'Organic Search',
  social: 'Organic Social',
  shopping: 'Organic Shopping',
  video: 'Organic Video',
}
test.each(Object.entries(kinds))(
  "channel, hosts and tags are classified by Google's source categories: every entry of %s is effective and listed once",
  (category, channel) => {
    const words = listedSources[category as keyof typeof kinds].trim().split(/\s+/)
    expect(words).toEqual([...new Set(words)])
    for (const word of words) {
      const host = word.replace('/', '')
      if (host.includes('.')) expect([host, channelOfHost(host)]).toEqual([host, channel])
      const name = word.split('/')[0]!
      expect([name, channelOfTag(name)]).toEqual([name, channel])
    }
  },
)
