// Names that Umami writes (of the packages detect-browser and ua-parser-js) in the names that live hits have.

const BROWSERS: Record<string, string> = {
  android: 'Android Browser',
  chrome: 'Chrome',
  'chromium-webview': 'Chrome',
  crios: 'Chrome',
  edge: 'Edge',
  'edge-chromium': 'Edge',
  'edge-ios': 'Edge',
  facebook: 'Facebook',
  firefox: 'Firefox',
  fxios: 'Firefox',
  ie: 'Internet Explorer',
  instagram: 'Instagram',
  ios: 'Safari',
  'ios-webview': 'Safari',
  kakaotalk: 'KakaoTalk',
  miui: 'MIUI Browser',
  opera: 'Opera',
  'opera-mini': 'Opera Mini',
  safari: 'Safari',
  samsung: 'Samsung Internet',
  silk: 'Amazon Silk',
  yandexbrowser: 'Yandex Browser',
}

const SYSTEMS: Record<string, string> = {
  'Android OS': 'Android',
  'Amazon OS': 'Android',
  'Mac OS': 'macOS',
  'Open BSD': 'OpenBSD',
}

/** What Umami calls automated browsers. */
export const CRAWLERS = new Set(['searchbot', 'bot', 'phantomjs'])

export const browserOf = (name: string | undefined) =>
  name === undefined ? undefined : (BROWSERS[name] ?? name)

/** `Windows 10` is a system and its version. */
export function systemOf(name: string | undefined): { os?: string; os_version?: string } {
  if (name === undefined) return {}
  const windows = /^Windows (\S+)$/.exec(name)
  if (windows) return { os: 'Windows', os_version: windows[1]! }
  return { os: SYSTEMS[name] ?? name }
}

const DEVICES: Record<string, string> = {
  desktop: 'desktop',
  laptop: 'desktop',
  smarttv: 'desktop',
  console: 'desktop',
  mobile: 'mobile',
  wearable: 'mobile',
  tablet: 'tablet',
}

export const deviceOf = (name: string | undefined) => (name === undefined ? undefined : DEVICES[name])
