import { expect, test } from 'vitest'
import { isCrawler } from '../../../src/ingestion/stages/crawler.ts'

const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'
const chrome = `${linux} (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36`
const onAndroid = (device: string, more = '') =>
  `Mozilla/5.0 (Linux; Android ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36${more}`
const onIphone = (more: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 ${more}`

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  ...['AdsBot-Google (+http://www.google.com/adsbot.html)', 'Mediapartners-Google'],
  'Mozilla/5.0 (compatible; Google-InspectionTool/1.0)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/112.0 Safari/537.36',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  ...['Claude-User/1.0', 'CCBot/2.0 (https://commoncrawl.org/faq/)'],
  'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
  ...['meta-externalagent/1.1', 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)'],
  'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  'Screaming Frog SEO Spider/19.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  ...['facebookexternalhit/1.1', 'Twitterbot/1.0'],
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slackbot 1.0 (+https://api.slack.com/robots)',
  ...['TelegramBot (like TwitterBot)', 'WhatsApp/2.23.20.0'],
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
  ...['Uptime-Kuma/1.23.11', 'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)'],
  'Mozilla/5.0 (compatible; StatusCake)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Chrome-Lighthouse',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
  'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
  ...['Scrapy/2.11.0 (+https://scrapy.org)', 'colly - https://github.com/gocolly/colly'],
  ...[
    ...['GTmetrix', '(ThousandEyes Agent)', '(DebugBear)', 'sitespeed.io/34.0.1', 'Calibre/2.0'],
    ...['Percy/1.28.7', 'DatadogSynthetics', 'PTST/240801.1', 'acme_scanner', 'NewRelicSynthetics/1.0'],
    ...['PingdomTMS/2020.2'],
  ].map(tool => `${chrome} ${tool}`),
  `${chrome}; Devin/1.0`,
  `${linux} (KHTML, like Gecko; Google Web Preview) Chrome/84.0 Safari/537.36`,
  `${linux} (KHTML, like Gecko) Cypress/13.6.0 Chrome/114.0 Electron/25.8.4 Safari/537.36`,
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0',
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/12.10.3',
  'Mozilla/5.0 (X11; Linux x86_64; Rigor) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0 Mobile Safari/537.36 Chrome-Lighthouse',
  'PS_Daily/1.0 Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/123.0 Safari/537.36',
  'NewsBlur Feed Fetcher - 7 subscribers - http://www.newsblur.com/site/1 (Mozilla/5.0 (Macintosh; Intel Mac OS X 10_7_1) AppleWebKit/534.48.3)',
  ...['updown.io daemon 2.11', 'WhatsApp/2.23.20.0 A'],
  'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)',
  ...['Mozilla/5.0 zgrab/0.x', 'python-requests/2.31.0 (compatible; AcmeBot/1.0)'],
])('crawlers: %s is a crawler', userAgent => {
  expect(isCrawler(userAgent)).toBe(true)
})

test.each([
  ...[undefined, '', ' ', 'curl/8.5.0', 'Wget/1.21.4', 'HTTPie/3.2.2', 'python-requests/2.31.0'],
  ...['Python-urllib/3.11', 'Python/3.11 aiohttp/3.9.1', 'python-httpx/0.27.0', 'aiohttp/3.9.1', 'node'],
  ...['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'node-fetch', 'axios/1.6.8', 'undici'],
  ...['got (https://github.com/sindresorhus/got)', 'node-superagent/3.8.3', 'Deno/1.44.0', 'Bun/1.1.12'],
  ...['Go-http-client/2.0', 'go-resty/2.13.1 (https://github.com/go-resty/resty)', 'okhttp/4.12.0'],
  ...['Java/17.0.9', 'Java-http-client/21', 'Apache-HttpClient/4.5.14 (Java/17.0.9)'],
  ...['Apache-HttpClient/5.2 (Java/17)', 'ReactorNetty/1.1.15', 'Jetty/12.0.8', 'GuzzleHttp/7'],
  ...['GuzzleHttp/6.5.5 curl/7.68.0 PHP/7.4.3', 'Symfony HttpClient/Curl', 'PHP/8.3.6'],
  ...['WordPress/6.5.3; https://shop.example.org', 'libwww-perl/6.72', 'Ruby'],
  ...['rest-client/2.1.0 (linux x86_64) ruby/3.2.2p53', 'Faraday v2.9.0', 'HTTParty/0.21'],
  ...['PostmanRuntime/7.39.0', 'insomnia/2023.5.8', 'k6/0.51.0 (https://k6.io/)', 'RestSharp/110.2.0.0'],
  ...['Dart/3.4 (dart:io)', 'reqwest/0.12', 'MyApp/1 CFNetwork/1410.0.3 Darwin/22.6.0'],
  ...['Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A)', 'acme-backend/2.1'],
  ...['acme-tracking-server/2.1 (production)', 'test-agent', 'Mozilla/5.0'],
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/320.0.642 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/469.0.0.40.109;FBDV/iPhone14,5;FBSN/iOS;FBLC/de_DE;FBOP/5]',
  'Mozilla/5.0 (Linux; Android 14; SM-S921B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0 Mobile Safari/537.36 Instagram 338.0.0.29.93 Android (34/14; 480dpi)',
  'Mozilla/5.0 (Linux; Android 11; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  // models, with and without a build and a locale
  ...[
    ...['8.1.0; Newsday_A1', '6.0; B BOT 550 Build/MRA58K; wv', '13; Spider 8', '8.1.0; Capture+'],
    ...['8.1.0; XBot_Senior Build/O11019', '11; 4K Google TV Stick Build/RTT0.210618.003; wv'],
    ...['4.2.2; ar-il; GM Discovery tab 8 Build/JDQ39', '12; HarmonyOS; BOT-AL00; HMSCore 6.9'],
    ...['6.0; AURII Virtuoso Build/MRA58K', '7.1; Radar Deluxe 2'],
  ].map(device => onAndroid(device)),
  ...[
    ' Instagram 237.0.0.7.102 Android (28/9; 480dpi; 1080x2115; CUBOT; Spider; BOT; mt6763; de_DE; 1)',
    ' [FB_IAB/FB4A;FBAV/400.0.0.1;FBMF/Bot;FBDV/Spider 8;FBSV/9;]',
  ].map(app => onAndroid('9; X20', app)),
  // apps, readers of news, televisions
  onAndroid(
    '8.0; RNE-AL00; wv',
    ' MMWEBID/7065 MicroMessenger/7.0.1380(0x27000034) Process/tools NetType/4G Language/zh_CN',
  ),
  onAndroid('10; ZTE A2020; wv', ' AWP/2.0 SogouMSE,SogouMobileBrowser/6.5.11'),
  onAndroid(
    '7.1.1; OPPO R11st',
    ' AliApp(TB/7.8.3) UCBS/2.11.1.1 TTID/600000@taobao_android_7.8.3 WindVane/8.3.0',
  ),
  onIphone('JsKit/1.0 (iOS) /SohuNews SohuNews/5.9.2'),
  onIphone('WebViewApp WallaNews/9.8.2/IOS'),
  onIphone('GoogleLens/303.0 Safari/604.1 [WebViewInline]'),
  'Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/84.0 Safari/537.36 OPR/46.0 OMI/4.21.4.112.Catcher4.66 Model/Hisense-MT9602 VIDAA/5.0(NEI;SmartTV;VS0450UD1;MTK9602/V0000.01.00T.N0207;UHD)',
  'Mozilla/5.0 (Windows NT 6.2; Win64; x64) AppleWebKit/538.1 (KHTML, like Gecko) Google Earth Pro/7.3.3.7721 Safari/538.1',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 5.1; Embedded Web Browser from: http://bsalsa.com/; .NET CLR 2.0.50727)',
  'Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)',
  'Opera/9.80 (Linux armv7l; Opera TV Store/4563; U; (BDPlayer; like Gecko; Opera/10.30); en) Presto/2.10.250 Version/11.60',
  ...['ReutersNews/6.0.3 iPad14,4 iPadOS/17.5.1 CFNetwork/1.0 Darwin/23.5.0', 'acme-news/2.1'],
  ...['BBCNews/5.1 (Android 14)', 'WhatsApp/2.17.427 Android/4.4.4 Device/Xiaomi-2014811'],
  'Snapchat/12.47.1.0 (SM-S908B; Android 13; gzip) V/MUSHROOM',
  'com.google.android.youtube/21.29.366(Linux; U; Android 14; pt_BR; T450 Build/UP1A) gzip',
  'Overcast/3.0 (+http://overcast.fm/; iOS podcast app)',
])('crawlers: %s may be a user', userAgent => {
  expect(isCrawler(userAgent)).toBe(false)
})

test('crawlers: a very long user agent is read up to 1,000 characters', () => {
  expect(isCrawler(`${'a'.repeat(1_000)} Googlebot/2.1`)).toBe(false)
  expect(isCrawler(`Googlebot/2.1 ${'a'.repeat(100_000)}`)).toBe(true)
})
