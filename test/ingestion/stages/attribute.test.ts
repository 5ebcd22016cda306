import { expect, test } from 'vitest'
import { sourceOfHost, sourceOfTag } from '../../../src/ingestion/stages/sources/find-source.ts'
import { knownSources } from '../../../src/ingestion/stages/sources/known-sources.ts'
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
  ['https://copilot.cloud.microsoft/', 'Copilot', 'AI Assistants'],
  ['https://edgeservices.bing.com/', 'Copilot', 'AI Assistants'],
  ['https://duck.ai/', 'Duck.ai', 'AI Assistants'],
  ['https://chat.z.ai/', 'Z.ai', 'AI Assistants'],
  ['https://chatglm.cn/', 'ChatGLM', 'AI Assistants'],
  ['https://iask.ai/', 'iAsk', 'AI Assistants'],
  ['https://aistudio.google.com/', 'Google AI Studio', 'AI Assistants'],
  ['https://character.ai/', 'Character.AI', 'AI Assistants'],
  ['https://yiyan.baidu.com/', 'ERNIE Bot', 'AI Assistants'],
  ['https://t.umblr.com/redirect', 'Tumblr', 'Organic Social'],
  ['https://syndicatedsearch.goog/', 'Google', 'Organic Search'],
  ['https://deref-gmx.net/mail/client/', 'GMX', 'Email'],
  ['https://deref-web.de/mail/client/', 'WEB.DE', 'Email'],
  ['https://webmail.orange.fr/', 'webmail.orange.fr', 'Email'],
  ['https://mail2.example.co.uk/', 'mail2.example.co.uk', 'Email'],
  ['https://mail.example/', 'mail.example', 'Referral'],
  ['android-app://ch.protonmail.android/', 'Proton Mail', 'Email'],
  ['android-app://com.samsung.android.email.provider/', 'Samsung Email', 'Email'],
  ['android-app://org.thoughtcrime.securesms/', 'Signal', 'Organic Social'],
  ['android-app://com.whatsapp.w4b/', 'WhatsApp', 'Organic Social'],
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
  ['/?utm_source=google&utm_medium=organic', 'Google', 'Organic Search'],
  ['/?utm_source=GOOGLE', 'Google', 'Organic Search'],
  ['/?utm_source=fb&utm_medium=paid_social', 'fb', 'Paid Social'],
  ['/?utm_source=ig', 'ig', 'Organic Social'],
  ['/?utm_source=T.co', 't.co', 'Organic Social'],
  ['/?utm_source=FB', 'fb', 'Organic Social'],
  ['/?utm_source=M.Facebook.com', 'm.facebook.com', 'Organic Social'],
  ['/?utm_source=direct+/+none', 'Direct / None', 'Direct'],
  ['/?utm_source=chatgpt.com', 'chatgpt.com', 'AI Assistants'],
  ['/?utm_source=yt&utm_medium=cpv', 'yt', 'Paid Video'],
  ['/?utm_source=yt&utm_medium=link', 'yt', 'Organic Video'],
  ['/?utm_source=youtube&utm_medium=ppc', 'YouTube', 'Paid Video'],
  ['/?utm_source=amazon&utm_medium=retargeting', 'Amazon', 'Paid Shopping'],
  ['/?utm_source=acme&utm_medium=cpc&utm_campaign=eshop', 'acme', 'Paid Shopping'],
  ['/?utm_source=acme&utm_campaign=Spring+Shopping', 'acme', 'Organic Shopping'],
  ['/?utm_source=acme&utm_campaign=shop-sale', 'acme', 'Organic Shopping'],
  ['/?utm_source=acme&utm_campaign=workshop', 'acme', 'Referral'],
  ['/?utm_source=google&utm_medium=cpc&utm_campaign=X+Cross-Network', 'Google', 'Cross-network'],
  ['/?utm_source=acme&utm_medium=cpm', 'acme', 'Display'],
  ['/?utm_source=google&utm_medium=cpm', 'Google', 'Paid Search'],
  ['/?utm_source=google&utm_medium=display', 'Google', 'Display'],
  ['/?utm_source=acme&utm_medium=cpc', 'acme', 'Paid Other'],
  ['/?utm_source=acme&utm_medium=social-media', 'acme', 'Organic Social'],
  ['/?utm_source=acme&utm_medium=Video+Ad', 'acme', 'Organic Video'],
  ['/?utm_source=acme&utm_medium=organic', 'acme', 'Organic Search'],
  ['/?utm_source=acme&utm_medium=e-mail', 'acme', 'Email'],
  ['/?utm_source=Email', 'Email', 'Email'],
  ['/?utm_source=newsletter', 'Newsletter', 'Email'],
  ['/?utm_source=mailchimp', 'Mailchimp', 'Email'],
  ['/?utm_source=klaviyo&utm_medium=sms', 'Klaviyo', 'SMS'],
  ['/?utm_source=substack&utm_medium=email', 'Substack', 'Email'],
  ['/?utm_source=substack&utm_medium=cpc', 'Substack', 'Paid Social'],
  ['/?utm_source=substack', 'Substack', 'Organic Social'],
  ['/?utm_source=spotify&utm_medium=Affiliate', 'Spotify', 'Affiliates'],
  ['/?utm_source=facebook&utm_medium=email', 'Facebook', 'Organic Social'],
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
  ['/?source=product+HUNT', 'Product Hunt', 'Organic Social'],
  ['/?ref=hackernews', 'hackernews', 'Organic Social'],
  ['/?ref=fb-ads', 'fb-ads', 'Paid Social'],
  ['/?source=yt-ads', 'yt-ads', 'Paid Video'],
  ['/?ref=b&source=a', 'a', 'Referral'],
  ['/?ref=b&source=a&utm_source=+c+', 'c', 'Referral'],
  ['/?utm_source=+&ref=b', 'b', 'Referral'],
  ['/?gclid=1', 'Google', 'Paid Search'],
  ['/?GBRAID=1', 'Google', 'Paid Search'],
  ['/?wbraid=1&utm_medium=email', 'Google', 'Paid Search'],
  ['/?msclkid=1', 'Bing', 'Paid Search'],
  ['/?fbclid=1', 'Facebook', 'Organic Social'],
  ['/?fbclid=1&utm_medium=paid', 'Facebook', 'Paid Social'],
  ['/?ttclid=1&utm_medium=cpc', 'TikTok', 'Paid Social'],
  ['/?twclid=1', 'X', 'Organic Social'],
  ['/?li_fat_id=1', 'LinkedIn', 'Organic Social'],
  ['/?fbclid=', 'Direct / None', 'Direct'],
  ['/?fbclid=1&ref=acme', 'acme', 'Referral'],
  ['/?gclid=1&utm_source=acme', 'acme', 'Referral'],
  ['/?utm_medium=email', 'Direct / None', 'Email'],
  ['/?utm_medium=link', 'Direct / None', 'Referral'],
  ['/?utm_medium=unheard', 'Direct / None', 'Direct'],
  ['/', 'Direct / None', 'Direct'],
])('attribution: %s has the source %j and the channel %s', (url, source, channel) => {
  expect(enriched({ url })).toMatchObject({ source, channel })
})

test.each([
  ['/?gclid=1', 'https://www.google.com/', 'Paid Search'],
  ['/?GBRAID=1', 'https://www.google.de/', 'Paid Search'],
  ['/?msclkid=1', 'https://www.bing.com/', 'Paid Search'],
  ['/?utm_source=google&gclid=1', undefined, 'Paid Search'],
  ['/?gclid=', 'https://www.google.com/', 'Organic Search'],
  ['/?gclid=1', 'https://www.bing.com/', 'Organic Search'],
  ['/?msclkid=1', 'https://www.google.com/', 'Organic Search'],
  ['/?gclid=1', 'https://some-blog.org/', 'Referral'],
  ['/?gclid=1', undefined, 'Paid Search'],
  ['/?fbclid=1', 'https://www.google.com/', 'Organic Search'],
  ['/?fbclid=1', 'https://l.facebook.com/', 'Organic Social'],
])('attribution, a paid click: %s from %s counts as %s', (url, referrer, channel) => {
  expect(enriched({ url, ...(referrer && { referrer }) }).channel).toBe(channel)
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
