import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listedSources } from '../../../src/ingestion/stages/listed-sources.ts'
import { knownSources } from '../../../src/ingestion/stages/sources.ts'
import { enriched } from './hit.ts'

const ofTag = (source: string, more = '') => {
  const { source: shown, channel } = enriched({ url: `/?utm_source=${encodeURIComponent(source)}${more}` })
  return { shown, channel }
}
const channelOfTag = (source: string, more?: string) => ofTag(source, more).channel
const channelOfHost = (host: string) => enriched({ referrer: `https://${host}/` }).channel

describe('channel: a source that names the ads of a network is paid', () => {
  test.each([
    ['fb-ads', 'Paid Social'],
    ['fb_ads', 'Paid Social'],
    ['FB Ads', 'Paid Social'],
    ['fbads', 'Paid Social'],
    ['fbad', 'Paid Social'],
    ['facebook-ads', 'Paid Social'],
    ['facebook_ad', 'Paid Social'],
    ['facebook_feed_ad', 'Paid Social'],
    ['facebook.com-ads', 'Paid Social'],
    ['facebook_ads_retargeting', 'Paid Social'],
    ['meta-ads', 'Paid Social'],
    ['metaads', 'Paid Social'],
    ['ig_ads', 'Paid Social'],
    ['instagramads', 'Paid Social'],
    ['twitter-ads', 'Paid Social'],
    ['x-ads', 'Paid Social'],
    ['reddit-ads', 'Paid Social'],
    ['RedditAds', 'Paid Social'],
    ['linkedin_ads', 'Paid Social'],
    ['tiktokads', 'Paid Social'],
    ['tik-tok-ads', 'Paid Social'],
    ['pinterest-ads', 'Paid Social'],
    ['snapads', 'Paid Social'],
    ['quora-ads', 'Paid Social'],
    ['threads-ads', 'Paid Social'],
    ['google_ads', 'Paid Search'],
    ['google-ads', 'Paid Search'],
    ['googleads', 'Paid Search'],
    ['google_ads_brand', 'Paid Search'],
    ['gads', 'Paid Search'],
    ['adwords', 'Paid Search'],
    ['google-adwords', 'Paid Search'],
    ['googleadwords', 'Paid Search'],
    ['bing-ads', 'Paid Search'],
    ['bingads', 'Paid Search'],
    ['microsoft-ads', 'Paid Search'],
    ['microsoft advertising', 'Paid Search'],
    ['msads', 'Paid Search'],
    ['yandex-direct', 'Paid Search'],
    ['duckduckgo-ads', 'Paid Search'],
    ['yt-ads', 'Paid Video'],
    ['youtubeads', 'Paid Video'],
    ['amazon-ads', 'Paid Shopping'],
    ['google_shopping_ads', 'Paid Shopping'],
    ['spotify-ads', 'Paid Other'],
    ['producthunt-ads', 'Paid Social'],
    ['newsletter-ads', 'Paid Other'],
    ['acme-ads', 'Paid Other'],
    ['native_ads', 'Paid Other'],
    ['apple-search-ads', 'Paid Other'],
  ])('%s is %s, and is shown unchanged', (source, channel) => {
    expect(ofTag(source)).toEqual({ shown: source, channel })
  })

  test('a source that names the ads of a network is paid with every medium, unless an earlier rule applies', () => {
    for (const medium of ['', 'social', 'email', 'organic', 'referral', 'display']) {
      expect(channelOfTag('fb-ads', `&utm_medium=${medium}`)).toBe('Paid Social')
    }
    expect(channelOfTag('acme-ads', '&utm_medium=display')).toBe('Display')
    expect(channelOfTag('acme-ads', '&utm_campaign=eshop')).toBe('Paid Shopping')
    expect(channelOfTag('google-ads', '&utm_campaign=cross-network')).toBe('Cross-network')
  })

  test('a source that names the ads of a network is paid in `ref` and `source` too', () => {
    expect(enriched({ url: '/?ref=fb-ads' })).toMatchObject({ source: 'fb-ads', channel: 'Paid Social' })
    expect(enriched({ url: '/?source=yt-ads' })).toMatchObject({ source: 'yt-ads', channel: 'Paid Video' })
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
    '%s, in each of its spellings',
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
})

describe('channel: a source that only ends in "ads" is not paid', () => {
  test.each([
    ...[
      'downloads',
      'uploads',
      'leads',
      'beads',
      'roads',
      'squads',
      'heads',
      'salads',
      'nomads',
      'pads',
      'ads',
    ],
    ...[
      'download',
      'read',
      'ipad',
      'launchpad',
      'nomad',
      'ahmedabad',
      'ad',
      'roadshow',
      'adsense-blog',
      'loads',
    ],
    ...[
      'job-ad',
      'print_ad',
      'my-downloads',
      'web-leads',
      'crossroads-blog',
      'adspert',
      'ads-blog',
      'dads',
      '-ads',
    ],
  ])('%s', source => {
    expect(ofTag(source)).toEqual({ shown: source, channel: 'Referral' })
  })

  test.each([
    ['threads', 'Organic Social'],
    ['Threads', 'Organic Social'],
    ['threads.net', 'Organic Social'],
    ['wattpad', 'Organic Social'],
    ['tiktok', 'Organic Social'],
  ])('%s is %s', (source, channel) => {
    expect(channelOfTag(source)).toBe(channel)
  })

  test('random words followed by ads are not paid', () => {
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
      { seed: 20, numRuns: 2_000 },
    )
  })

  test('the host of a referrer is not paid', () => {
    expect(channelOfHost('fb-ads.example.org')).toBe('Referral')
    expect(channelOfHost('downloads.example.org')).toBe('Referral')
  })
})

describe('channel: a source that contains newsletter is Email', () => {
  test.each([
    'newsletter',
    'Newsletter',
    'weekly-newsletter',
    'newsletter_2026_11',
    'acmeNewsletters',
    'linkedin-newsletter',
  ])('%s', source => expect(ofTag(source)).toEqual({ shown: source, channel: 'Email' }))

  test('an earlier channel that fits wins', () => {
    expect(channelOfTag('newsletter', '&utm_medium=cpc')).toBe('Paid Other')
    expect(channelOfTag('newsletter', '&utm_medium=social')).toBe('Organic Social')
    expect(channelOfHost('newsletter.substack.com')).toBe('Organic Social')
  })

  test('a referrer counts too', () => {
    expect(channelOfHost('newsletter.example.org')).toBe('Email')
  })
})

describe("channel: hosts and tags are classified by Google's source categories", () => {
  test.each([
    ['answers.yahoo.com', 'Organic Social'],
    ['chiebukuro.yahoo.co.jp', 'Organic Social'],
    ['uk.search.yahoo.com', 'Organic Search'],
    ['kin.naver.com', 'Organic Social'],
    ['m.kin.naver.com', 'Organic Social'],
    ['sites.google.com', 'Organic Social'],
    ['groups.google.com', 'Organic Social'],
    ['plus.url.google.com', 'Organic Social'],
    ['bit.ly', 'Organic Social'],
    ['tinyurl.com', 'Organic Social'],
    ['www.scribd.com', 'Organic Social'],
    ['m.badoo.com', 'Organic Social'],
    ['nicovideo.jp', 'Organic Social'],
    ['someone.typepad.com', 'Organic Social'],
    ['veoh.com', 'Organic Video'],
    ['d.tube', 'Organic Video'],
    ['viadeo.journaldunet.com', 'Organic Video'],
    ['viadeo.com', 'Organic Social'],
    ['uk.shopping.net', 'Organic Shopping'],
    ['s3.amazonaws.com', 'Organic Shopping'],
    ['bucket.s3.amazonaws.com', 'Referral'],
    ['checkout.stripe.com', 'Organic Shopping'],
    ['search.ukr.net', 'Organic Search'],
    ['mail.yandex.ru', 'Organic Search'],
    ['centrum.cz', 'Organic Search'],
    // Not in the table: classified like similar hosts.
    ['linktr.ee', 'Organic Social'],
    ['www.producthunt.com', 'Organic Social'],
    ['app.slack.com', 'Organic Social'],
    ['teams.microsoft.com', 'Organic Social'],
    ['statics.teams.cdn.office.net', 'Organic Social'],
    ['discord.com', 'Organic Social'],
    ['steamcommunity.com', 'Organic Social'],
    ['chatgpt.com', 'AI Assistants'],
    ['notbadoo.com', 'Referral'],
  ])('%s is %s', (host, channel) => {
    expect(channelOfHost(host)).toBe(channel)
  })

  test('a listed host without a name is shown unchanged', () => {
    expect(enriched({ referrer: 'https://www.badoo.com/x' }).source).toBe('badoo.com')
    expect(enriched({ referrer: 'https://m.badoo.com/x' }).source).toBe('m.badoo.com')
  })

  test.each([
    ['badoo', 'Organic Social'],
    ['social', 'Organic Social'],
    ['blog', 'Referral'],
    ['blog.com', 'Organic Social'],
    ['crackle', 'Organic Video'],
    ['search-results', 'Organic Search'],
  ])('the tag %s is %s', (source, channel) => {
    expect(channelOfTag(source)).toBe(channel)
  })

  const kinds = {
    search: 'Organic Search',
    social: 'Organic Social',
    shopping: 'Organic Shopping',
    video: 'Organic Video',
  }
  test.each(Object.entries(kinds))('every entry of %s is effective and listed once', (category, channel) => {
    const words = listedSources[category as keyof typeof kinds].trim().split(/\s+/)
    expect(words).toEqual([...new Set(words)])
    for (const word of words) {
      const host = word.replace('/', '')
      if (host.includes('.')) expect([host, channelOfHost(host)]).toEqual([host, channel])
      const name = word.split('/')[0]!
      expect([name, channelOfTag(name)]).toEqual([name, channel])
    }
  })
})
