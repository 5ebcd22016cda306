import { describe, expect, test } from 'vitest'
import { sourceOfHost, sourceOfTag } from '../../../src/ingestion/stages/known-source.ts'
import { knownSources } from '../../../src/ingestion/stages/sources.ts'
import { enriched } from './hit.ts'

test.each([
  ['https://www.google.com/', 'Google', 'Organic Search'],
  ['https://www.google.co.uk/', 'Google', 'Organic Search'],
  ['https://google.com.br/', 'Google', 'Organic Search'],
  ['https://www.google.cat/', 'Google', 'Organic Search'],
  ['android-app://com.google.android.googlequicksearchbox/', 'Google', 'Organic Search'],
  ['https://news.google.de/', 'Google News', 'Organic Search'],
  ['https://cn.bing.com/search', 'Bing', 'Organic Search'],
  ['https://fr.search.yahoo.com/', 'Yahoo!', 'Organic Search'],
  ['https://search.yahoo.co.jp/', 'Yahoo!', 'Organic Search'],
  ['https://yandex.com.tr/', 'Yandex', 'Organic Search'],
  ['https://m.baidu.com/', 'Baidu', 'Organic Search'],
  ['https://l.facebook.com/l.php', 'Facebook', 'Organic Social'],
  ['https://t.co/abc', 'X', 'Organic Social'],
  ['https://x.com/', 'X', 'Organic Social'],
  ['https://lnkd.in/x', 'LinkedIn', 'Organic Social'],
  ['https://out.reddit.com/', 'Reddit', 'Organic Social'],
  ['https://old.reddit.com/r/a', 'Reddit', 'Organic Social'],
  ['https://news.ycombinator.com/item?id=1', 'Hacker News', 'Organic Social'],
  ['https://www.pinterest.co.uk/', 'Pinterest', 'Organic Social'],
  ['https://youtu.be/x', 'YouTube', 'Organic Video'],
  ['https://m.youtube.com/', 'YouTube', 'Organic Video'],
  ['https://www.amazon.co.jp/', 'Amazon', 'Organic Shopping'],
  ['https://console.aws.amazon.com/', 'AWS', 'Referral'],
  ['https://shopping.google.com/', 'Google Shopping', 'Organic Shopping'],
  ['https://chatgpt.com/', 'ChatGPT', 'AI Assistants'],
  ['https://gemini.google.com/app', 'Gemini', 'AI Assistants'],
  ['https://mail.google.com/', 'Gmail', 'Email'],
  ['android-app://com.google.android.gm/', 'Gmail', 'Email'],
  ['https://outlook.live.com/', 'Outlook', 'Email'],
  ['https://open.spotify.com/', 'Spotify', 'Audio'],
  ['https://github.com/a/b', 'GitHub', 'Referral'],
  ['https://www.producthunt.com/', 'Product Hunt', 'Organic Social'],
  ['https://docs.google.com/', 'Google Docs', 'Referral'],
  ['https://accounts.google.com/', 'accounts.google.com', 'Referral'],
  ['https://www.some-blog.org:8443/post', 'some-blog.org', 'Referral'],
  ['https://google.evil.com/', 'google.evil.com', 'Referral'],
  ['https://google.blog/', 'google.blog', 'Referral'],
  ['https://notgoogle.com/', 'notgoogle.com', 'Referral'],
  ['https://someone.github.io/', 'someone.github.io', 'Referral'],
  ['http://192.168.1.1/', '192.168.1.1', 'Referral'],
])('attribution: a visit from %s has the source %s and the channel %s', (referrer, source, channel) => {
  expect(enriched({ referrer })).toMatchObject({ source, channel })
})

test.each([
  ['/?utm_source=Google-Ads&utm_medium=CPC', 'Google-Ads', 'Paid Search'],
  ['/?utm_source=google&utm_medium=organic', 'google', 'Organic Search'],
  ['/?utm_source=fb&utm_medium=paid_social', 'fb', 'Paid Social'],
  ['/?utm_source=ig', 'ig', 'Organic Social'],
  ['/?utm_source=t.co', 't.co', 'Organic Social'],
  ['/?utm_source=chatgpt.com', 'chatgpt.com', 'AI Assistants'],
  ['/?utm_source=yt&utm_medium=cpv', 'yt', 'Paid Video'],
  ['/?utm_source=yt&utm_medium=link', 'yt', 'Organic Video'],
  ['/?utm_source=youtube&utm_medium=ppc', 'youtube', 'Paid Video'],
  ['/?utm_source=amazon&utm_medium=retargeting', 'amazon', 'Paid Shopping'],
  ['/?utm_source=acme&utm_medium=cpc&utm_campaign=eshop', 'acme', 'Paid Shopping'],
  ['/?utm_source=acme&utm_campaign=Spring+Shopping', 'acme', 'Organic Shopping'],
  ['/?utm_source=acme&utm_campaign=shop-sale', 'acme', 'Organic Shopping'],
  ['/?utm_source=acme&utm_campaign=workshop', 'acme', 'Referral'],
  ['/?utm_source=google&utm_medium=cpc&utm_campaign=X+Cross-Network', 'google', 'Cross-network'],
  ['/?utm_source=acme&utm_medium=cpm', 'acme', 'Display'],
  ['/?utm_source=google&utm_medium=cpm', 'google', 'Paid Search'],
  ['/?utm_source=google&utm_medium=display', 'google', 'Display'],
  ['/?utm_source=acme&utm_medium=cpc', 'acme', 'Paid Other'],
  ['/?utm_source=acme&utm_medium=social-media', 'acme', 'Organic Social'],
  ['/?utm_source=acme&utm_medium=Video+Ad', 'acme', 'Organic Video'],
  ['/?utm_source=acme&utm_medium=organic', 'acme', 'Organic Search'],
  ['/?utm_source=acme&utm_medium=e-mail', 'acme', 'Email'],
  ['/?utm_source=Email', 'Email', 'Email'],
  ['/?utm_source=newsletter', 'newsletter', 'Email'],
  ['/?utm_source=mailchimp', 'mailchimp', 'Email'],
  ['/?utm_source=acme&utm_medium=affiliate', 'acme', 'Affiliates'],
  ['/?utm_source=acme&utm_medium=audio', 'acme', 'Audio'],
  ['/?utm_source=sms', 'sms', 'SMS'],
  ['/?utm_source=acme&utm_medium=sms', 'acme', 'SMS'],
  ['/?utm_source=firebase', 'firebase', 'Mobile Push Notifications'],
  ['/?utm_source=acme&utm_medium=web-push', 'acme', 'Mobile Push Notifications'],
  ['/?utm_source=acme&utm_medium=referral', 'acme', 'Referral'],
  ['/?utm_source=acme&utm_medium=leaflet', 'acme', 'Referral'],
  ['/?utm_source=(direct)&utm_medium=(none)', '(direct)', 'Direct'],
  ['/?source=producthunt', 'producthunt', 'Organic Social'],
  ['/?ref=hackernews', 'hackernews', 'Organic Social'],
  ['/?ref=b&source=a', 'a', 'Referral'],
  ['/?ref=b&source=a&utm_source=+c+', 'c', 'Referral'],
  ['/?utm_source=+&ref=b', 'b', 'Referral'],
  ['/?utm_medium=email', 'Direct / None', 'Email'],
  ['/?utm_medium=link', 'Direct / None', 'Referral'],
  ['/?utm_medium=unheard', 'Direct / None', 'Direct'],
  ['/', 'Direct / None', 'Direct'],
])('attribution: %s has the source %j and the channel %s', (url, source, channel) => {
  expect(enriched({ url })).toMatchObject({ source, channel })
})

describe('attribution: a paid click', () => {
  test.each([
    ['/?gclid=1', 'https://www.google.com/', 'Paid Search'],
    ['/?GBRAID=1', 'https://www.google.de/', 'Paid Search'],
    ['/?msclkid=1', 'https://www.bing.com/', 'Paid Search'],
    ['/?utm_source=google&gclid=1', undefined, 'Paid Search'],
    ['/?gclid=', 'https://www.google.com/', 'Organic Search'],
    ['/?gclid=1', 'https://www.bing.com/', 'Organic Search'],
    ['/?msclkid=1', 'https://www.google.com/', 'Organic Search'],
    ['/?gclid=1', 'https://some-blog.org/', 'Referral'],
    ['/?gclid=1', undefined, 'Direct'],
    ['/?fbclid=1', 'https://l.facebook.com/', 'Organic Social'],
  ])('%s from %s counts as %s', (url, referrer, channel) => {
    expect(enriched({ url, ...(referrer && { referrer }) }).channel).toBe(channel)
  })
})

test('attribution: a tag wins over the referrer in source and channel', () => {
  const url = '/?utm_source=partner&utm_medium=email'
  const kept = { source: 'partner', channel: 'Email', referrerPage: 'www.google.com' }
  expect(enriched({ url, referrer: 'https://www.google.com/' })).toMatchObject(kept)
})

test('known sources: every host and spelling belongs to one source', () => {
  const hosts = knownSources.flatMap(({ hosts }) => hosts ?? [])
  expect(hosts).toHaveLength(new Set(hosts).size)
  const spellings = knownSources.flatMap(({ name, aliases, adAliases }) => [
    ...[name.toLowerCase(), ...(aliases ?? []), ...(adAliases ?? [])],
  ])
  expect(spellings).toHaveLength(new Set(spellings).size)
  for (const source of knownSources) {
    expect(sourceOfTag(source.name)).toEqual({ known: source, isAd: false })
    for (const alias of source.adAliases ?? []) {
      expect(sourceOfTag(alias)).toEqual({ known: source, isAd: true })
    }
    for (const host of source.hosts ?? []) {
      expect(sourceOfHost(host.replace(/^\*\./, 'www.').replace(/\.\*$/, '.co.uk')), host).toBe(source)
    }
  }
})
