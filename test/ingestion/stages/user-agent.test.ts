import { expect, test } from 'vitest'
import { enriched } from './hit.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit}`
const iphone = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${apple}`
const android = `Mozilla/5.0 (Linux; Android 10; K) ${webkit}`
const chromebook = `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit}`
const playstation = `Mozilla/5.0 (PlayStation 5 3.11) ${apple}`
const mac = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple}`
const firefox = (platform: string, version: string, trail = '20100101') =>
  `Mozilla/5.0 (${platform}; rv:${version}) Gecko/${trail} Firefox/${version}`
const ipad = (system: string) => `Mozilla/5.0 (iPad; CPU OS ${system} like Mac OS X) ${apple}`
const onIphone = 'Mobile/15E148 Safari/604.1'
const chromeOnWindows = `${windows} Chrome/126.0.0.0 Safari/537.36`

const harmony = (device: string, more: string) =>
  `Mozilla/5.0 (${device}) ${webkit} Chrome/114.0.0.0 Safari/537.36 ${more}`
const ios18 = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${apple}`

test.each(
  Object.entries({
    [chromeOnWindows]: 'Chrome 126.0.0.0, Windows 10, desktop',
    [`${chromeOnWindows} Edg/126.0.2592.87`]: 'Edge 126.0.2592.87, Windows 10, desktop',
    [`${chromeOnWindows} OPR/110.0.0.0`]: 'Opera 110.0.0.0, Windows 10, desktop',
    [`${chromeOnWindows} Vivaldi/6.8.3381.44`]: 'Vivaldi 6.8.3381.44, Windows 10, desktop',
    [firefox('Windows NT 6.1', '115.0')]: 'Firefox 115.0, Windows 7, desktop',
    'Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko':
      'Internet Explorer 11.0, Windows 10, desktop',
    [`${mac} Version/17.5 Safari/605.1.15`]: 'Safari 17.5, macOS 10.15.7, desktop',
    [`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`]: 'Safari 17.5, iOS 17.5, mobile',
    [`${iphone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`]: 'Chrome 126.0.6478.54, iOS 17.5, mobile',
    [`${iphone} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`]: 'Firefox 127.0, iOS 17.5, mobile',
    [`${iphone} GSA/320.0.642 Mobile/15E148 Safari/604.1`]: 'Google App 320.0.642, iOS 17.5, mobile',
    [`${ipad('16_6')} Version/16.6 ${onIphone}`]: 'Safari 16.6, iPadOS 16.6, tablet',
    [`${ipad('12_5')} Version/12.1 ${onIphone}`]: 'Safari 12.1, iOS 12.5, tablet',
    [`${android} Chrome/126.0.0.0 Mobile Safari/537.36`]: 'Chrome 126.0.0.0, Android 10, mobile',
    [`${android} Chrome/126.0.0.0 Safari/537.36`]: 'Chrome 126.0.0.0, Android 10, tablet',
    [`${android} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile`]: 'Samsung Internet 25.0, Android 10, mobile',
    [firefox('Android 13; Tablet', '127.0', '127.0')]: 'Firefox 127.0, Android 13, tablet',
    [firefox('X11; Linux x86_64', '127.0')]: 'Firefox 127.0, Linux , desktop',
    [`${chromebook} Chrome/126.0.0.0 Safari/537.36`]: 'Chrome 126.0.0.0, Chrome OS , desktop',
    [firefox('X11; FreeBSD amd64', '122.0')]: 'Firefox 122.0, FreeBSD , desktop',
    [`${playstation} Version/13.0 Safari/605.1.15`]: 'Safari 13.0, PlayStation 3.11, desktop',
    'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6)': ' , Android 13, desktop',
    'MyApp/1 CFNetwork/1410 Darwin/22.0': ' ,  , desktop',
    'curl/8.5.0': ' ,  , desktop',
    '': ' ,  , desktop',
    // iOS calls itself 18 since version 26
    [`${ios18} Version/26.0 ${onIphone}`]: 'Safari 26.0, iOS 26.0, mobile',
    [`${ios18} Version/27.1 ${onIphone}`]: 'Safari 27.1, iOS 27.1, mobile',
    [`${ios18} Version/18.6 ${onIphone}`]: 'Safari 18.6, iOS 18.6, mobile',
    [`${ipad('18_6')} Version/26.1 ${onIphone}`]: 'Safari 26.1, iPadOS 26.1, tablet',
    [`${ios18} Mobile/15E148 [FBAN/FBIOS;FBAV/530.0;FBSN/iOS;FBSV/26.0.1]`]: 'Safari , iOS 26.0.1, mobile',
    [`${ios18} CriOS/141.0.0.0 ${onIphone}`]: 'Chrome 141.0.0.0, iOS 18.6, mobile',
    // iPads that ask for the desktop site
    [`${mac} Version/18.5 ${onIphone}`]: 'Safari 18.5, iPadOS 18.5, tablet',
    [`${mac} CriOS/126.0.6478.54 Version/13.0.3 Safari/605.1.15`]: 'Chrome 126.0.6478.54, iPadOS , tablet',
    [`${mac} FxiOS/127.0 Safari/605.1.15`]: 'Firefox 127.0, iPadOS , tablet',
    [`${mac} Version/17.5 EdgiOS/125.0 Safari/605.1.15`]: 'Edge 125.0, iPadOS , tablet',
    // HarmonyOS
    [harmony('Phone; OpenHarmony 5.0', 'ArkWeb/4.1 Mobile HuaweiBrowser/5.0.4')]:
      'Huawei Browser 5.0.4, HarmonyOS 5.0, mobile',
    [harmony('Tablet; OpenHarmony 5.0', 'ArkWeb/4.1 Mobile')]: 'Chrome 114.0.0.0, HarmonyOS 5.0, tablet',
    [harmony('PC; OpenHarmony 6.0', 'ArkWeb/6.0')]: 'Chrome 114.0.0.0, HarmonyOS 6.0, desktop',
    [harmony('Linux; Android 12; HarmonyOS; MRX-W09; HMSCore 6.12', 'HuaweiBrowser/15.0')]:
      'Huawei Browser 15.0, HarmonyOS , tablet',
    [harmony('Linux; Android 12; HarmonyOS; NOH-AN00', 'HuaweiBrowser/15.0 Mobile')]:
      'Huawei Browser 15.0, HarmonyOS , mobile',
    // the app of Yahoo! Japan
    [`${iphone} Mobile/15E148 YJApp-IOS jp.co.yahoo.ipn.appli/4.130.0`]: 'Safari , iOS 17.5, mobile',
    [`${android} Chrome/126.0 Mobile Safari/537.36 YJApp-ANDROID jp.co.yahoo.android.yjtop/3.171.0`]:
      'Chrome 126.0, Android 10, mobile',
    [`${android} Chrome/126.0 Safari/537.36 YJApp-ANDROID jp.co.yahoo.android.yjtop/3.171.0`]:
      'Chrome 126.0, Android 10, tablet',
    // browsers with several names
    [`${android} Version/4.0 Chrome/126.0 Mobile DuckDuckGo/5 Safari/537.36`]:
      'DuckDuckGo 5, Android 10, mobile',
    [`${mac} Version/17.5 Safari/605.1.15 Ddg/17.5`]: 'DuckDuckGo 17.5, macOS 10.15.7, desktop',
    [`${chromeOnWindows} Edg/126.0.0.0 Ddg/126.0.0.0`]: 'DuckDuckGo 126.0.0.0, Windows 10, desktop',
    [`${android} Version/4.0 Chrome/100.0 UCBrowser/13.4.0.1306 Mobile Safari/537.36`]:
      'UC Browser 13.4.0.1306, Android 10, mobile',
    'UCWEB/2.0 (Java; U; MIDP-2.0; Nokia203/20.37) U2/1.0.0 UCMini/11.4.1 (Android 9; SM-J701F) Mobile':
      'UC Browser 11.4.1, Android 9, mobile',
    'Opera/9.80 (Android; Opera Mini/36.2.2254/191.256; U; en) Presto/2.12.423 Version/12.16':
      'Opera Mini 36.2.2254, Android , mobile',
    'Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/191.256; U; en) Presto/2.12.423':
      'Opera Mini 7.1.32052,  , mobile',
    [`${android} Chrome/100.0 Mobile Safari/537.36 OPR/61.0.2254.59937`]:
      'Opera Mini 61.0.2254.59937, Android 10, mobile',
    [`${android} Chrome/100.0 Mobile Safari/537.36 OPR/70.3.3653.66287`]:
      'Opera 70.3.3653.66287, Android 10, mobile',
    [`${iphone} OPiOS/16.0.15 Mobile/20A Safari/9537.53`]: 'Opera Mini 16.0.15, iOS 17.5, mobile',
  }),
)('user agent: %j is parsed: %s', (userAgent, expected) => {
  const hit = enriched({ userAgent })
  const [browser, os] = [
    [hit.browserName, hit.browserFullVersion],
    [hit.osName, hit.osFullVersion],
  ]
  expect([browser!.join(' '), os!.join(' '), hit.size].join(', ')).toBe(expected)
})

test.each([
  ['DuckDuckGo Privacy Browser', 'DuckDuckGo'],
  ['HuaweiBrowser', 'Huawei Browser'],
  ['UCBrowser', 'UC Browser'],
  ['UC Browser Mini', 'UC Browser'],
  ['opera mini', 'Opera Mini'],
])('user agent: the browser %s of a payload is called %s', (browser, name) => {
  expect(enriched({ browser }).browserName).toBe(name)
})

test('user agent: browser and system of the payload win', () => {
  const payload = { browser: 'Arc', browserVersion: '1.2', os: 'Windows', osVersion: '11' }
  const { browserName, browserFullVersion, osName, osFullVersion } = enriched({
    userAgent: chromeOnWindows,
    ...payload,
  })
  expect([browserName, browserFullVersion, osName, osFullVersion]).toEqual(Object.values(payload))
})

test('user agent: a payload name without a version uses that of the user agent only for the same product', () => {
  expect(enriched({ userAgent: chromeOnWindows, browser: 'Google Chrome', os: 'Linux' })).toMatchObject({
    browserName: 'Chrome',
    browserFullVersion: '126.0.0.0',
    osName: 'Linux',
    osFullVersion: '',
  })
  expect(enriched({ userAgent: chromeOnWindows, browser: 'Arc' }).browserFullVersion).toBe('')
})

test.each([
  ['Mac OS X', 'macOS'],
  ['windows', 'Windows'],
  ['SerenityOS', 'SerenityOS'],
])('user agent: the system %s of a payload is called %s', (os, name) => {
  expect(enriched({ os }).osName).toBe(name)
})

test.each([
  [{ screenWidth: 320 }, 'mobile'],
  [{ screenWidth: 575 }, 'mobile'],
  [{ screenWidth: 576 }, 'tablet'],
  [{ screenWidth: 991 }, 'tablet'],
  [{ screenWidth: 992 }, 'desktop'],
  [{ screenWidth: 0 }, 'desktop'],
  [{}, 'desktop'],
  [{ screenWidth: 320, userAgent: 'curl/8.5.0' }, 'mobile'],
  [{ screenWidth: 320, userAgent: chromeOnWindows }, 'desktop'],
  [{ screenWidth: 320, userAgent: chromeOnWindows, device: 'tablet' as const }, 'tablet'],
])('user agent: %j has the size class %s', (fields, size) => {
  expect(enriched(fields).size).toBe(size)
})
