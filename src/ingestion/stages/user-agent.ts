import Bowser from 'bowser'
import { cut } from '../../platform/schema/validation.ts'
import type { EnrichedHit } from '../hit.ts'
import { remember } from './remember.ts'

/** Unknown fields are empty. */
interface Agent {
  browser: string
  browserVersion: string
  os: string
  osVersion: string
  size: EnrichedHit['size'] | ''
}

/** Accepted browser names: the parser calls any product token a browser. */
const browsers = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  'Opera Touch',
  'Opera Mini',
  'Huawei Browser',
  'Miui',
  'SlimerJS',
])

/** Maps long and vendor names (lower case) to common names; also used for names in payloads. */
const browserNames = new Map([
  ['microsoft edge', 'Edge'],
  ['google chrome', 'Chrome'],
  ['mobile chrome', 'Chrome'],
  ['chrome mobile', 'Chrome'],
  ['chrome ios', 'Chrome'],
  ['mozilla firefox', 'Firefox'],
  ['mobile firefox', 'Firefox'],
  ['firefox mobile', 'Firefox'],
  ['mobile safari', 'Safari'],
  ['samsung internet for android', 'Samsung Internet'],
  ['samsung browser', 'Samsung Internet'],
  ['naver whale browser', 'Whale'],
  ['google search', 'Google App'],
  ['miui', 'MIUI Browser'],
  ...['ddg', 'duck duck go', 'duckduckgo browser', 'duckduckgo privacy browser'].map(
    named => [named, 'DuckDuckGo'] as const,
  ),
  ...['huawei', 'huaweibrowser', 'huawei browser mobile'].map(named => [named, 'Huawei Browser'] as const),
  ...['ucbrowser', 'ucweb', 'uc mini', 'ucmini', 'uc browser mini', 'uc browser hd'].map(
    named => [named, 'UC Browser'] as const,
  ),
  ...['operamini', 'opera mini ios', 'opera mini native'].map(named => [named, 'Opera Mini'] as const),
  ['ie', 'Internet Explorer'],
  ...['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Brave', 'Vivaldi'].map(keepCase),
  ...['DuckDuckGo', 'Huawei Browser', 'UC Browser', 'Opera Mini'].map(keepCase),
])

const osNames = new Map([
  ['mac os', 'macOS'],
  ['mac os x', 'macOS'],
  ['macos x', 'macOS'],
  ['os x', 'macOS'],
  ['chromium os', 'Chrome OS'],
  ['chromeos', 'Chrome OS'],
  ['webos', 'webOS'],
  ['openharmony', 'HarmonyOS'],
  ['harmonyos next', 'HarmonyOS'],
  ...['Windows', 'macOS', 'Linux', 'iOS', 'iPadOS', 'Android', 'Chrome OS', 'HarmonyOS'].map(keepCase),
])

/** Equals the limit for a version in a payload; a user agent can contain text that is twenty times as long. */
const LONGEST_VERSION = 50

/** Browsers that the parser takes for others, for one of their parts, or for several. */
const otherBrowsers: [pattern: RegExp, browser: string][] = [
  [/\b(?:DuckDuckGo|Ddg)\/([\d.]*)/, 'DuckDuckGo'],
  [/\bHuaweiBrowser\/([\d.]*)/, 'Huawei Browser'],
  [/\b(?:UCBrowser|UCMini)\/([\d.]*)/, 'UC Browser'],
  // On Android the build tells Opera Mini from Opera.
  [/\b(?:Opera Mini\/|OPiOS\/|OPR\/(?=\d+\.\d+\.2254\.))([\d.]*)/, 'Opera Mini'],
]

/** Operating systems that the parser does not know or confuses with another. */
const otherSystems: [pattern: RegExp, os: string][] = [
  [/\bKAIOS\/([\d.]+)/i, 'KaiOS'],
  [/\bPlayStation [345V]\w*[ /]?([\d.]*)/i, 'PlayStation'],
  [/\bNintendo \w+/i, 'Nintendo'],
  [/\bOpenHarmony[ /]?([\d.]*)|\bHarmonyOS\b/, 'HarmonyOS'],
  [/\bFreeBSD\b/i, 'FreeBSD'],
  [/\bOpenBSD\b/i, 'OpenBSD'],
]

const unknown: Readonly<Agent> = Object.freeze({
  browser: '',
  browserVersion: '',
  os: '',
  osVersion: '',
  size: '',
})

/**
 * Sets browser and operating system from the payload, else from the user agent. A payload name without a version gets the
 * version of the user agent only if both name the same product. Sets `size` from the payload, else the user agent, else the
 * width of the screen, else `desktop`.
 */
export function readUserAgent(hit: EnrichedHit): void {
  const agent = hit.userAgent ? parseAgent(hit.userAgent) : unknown
  const browserName = named(hit.browser, browserNames) || agent.browser
  const osName = named(hit.os, osNames) || agent.os
  hit.browserName = browserName
  hit.browserFullVersion =
    hit.browserVersion?.trim() || (browserName === agent.browser ? agent.browserVersion : '')
  hit.osName = osName
  hit.osFullVersion = hit.osVersion?.trim() || (osName === agent.os ? agent.osVersion : '')
  hit.size = hit.device ?? (agent.size || sizeOfScreen(hit.screenWidth))
}

/** A width of 0 means unknown. */
function sizeOfScreen(width: number | undefined): EnrichedHit['size'] {
  if (!width) return 'desktop'
  if (width < 576) return 'mobile'
  return width < 992 ? 'tablet' : 'desktop'
}

/** Reads only the first 1,000 characters of a very long user agent. */
const parseAgent = remember(10_000, (userAgent: string): Readonly<Agent> => {
  // Dalvik is the HTTP client of Android apps: it names a system, but no browser, and neither phone nor tablet.
  const isAndroidApp = userAgent.startsWith('Dalvik/')
  const { browser, os, platform } = Bowser.parse(userAgent)
  const { os: systemName, osVersion: systemVersion } = system(userAgent, os)
  const other = otherBrowsers.find(([pattern]) => pattern.test(userAgent))
  if (other) {
    browser.name = other[1]
    browser.version = other[0].exec(userAgent)![1] ?? ''
  }
  const isBrowser = !isAndroidApp && browser.name !== undefined && browsers.has(browser.name)
  return {
    browser: isBrowser ? named(browser.name, browserNames) : '',
    browserVersion: cut((isBrowser && browser.version) || '', LONGEST_VERSION),
    os: systemName,
    osVersion: cut(systemVersion, LONGEST_VERSION),
    size: isAndroidApp ? '' : (sizeOfDevice(userAgent) ?? sizeOf(platform.type)),
  }
})

function system(
  userAgent: string,
  parsed: { name?: string; version?: string; versionName?: string },
): Pick<Agent, 'os' | 'osVersion'> {
  for (const [pattern, os] of otherSystems) {
    const match = pattern.exec(userAgent)
    if (match) return { os, osVersion: match[1] ?? '' }
  }
  const os = named(parsed.name, osNames)
  const version = parsed.version ?? ''
  // Show Windows 7 or 10 instead of NT 6.1; Windows 11 reports itself as 10.
  if (os === 'Windows') return { os, osVersion: parsed.versionName ?? version.replace(/^NT ?/, '') }
  if (isDesktopSite(userAgent)) return { os: 'iPadOS', osVersion: safariVersion(userAgent) }
  if (os !== 'iOS') return { os, osVersion: version }
  const isIpad = /\biPad\b/.test(userAgent) && !(Number.parseInt(version, 10) < 13)
  return { os: isIpad ? 'iPadOS' : os, osVersion: iosVersion(userAgent, version) }
}

/** An iPad that asks for the desktop site says Macintosh; `Mobile`, or a browser of iOS alone, gives it away. */
const isDesktopSite = (userAgent: string): boolean =>
  /\bMacintosh\b.*\b(?:Mobile\/|(?:Cri|Fxi|Edgi|OPi)OS\/|GSA\/|OPT\/)/s.test(userAgent)

/** Safari has the version of its system; other browsers write one that says nothing. */
const safariVersion = (userAgent: string): string =>
  /\b(?:Cri|Fxi|Edgi|OPi)OS\/|\b(?:GSA|OPT)\//.test(userAgent)
    ? ''
    : (/\bVersion\/([\d.]+)/.exec(userAgent)?.[1] ?? '')

/** The first version in whose agents iOS calls itself 18 for ever. */
const FROZEN_SINCE = 26

/** Safari's own version tells that of the system, since the system's is frozen; Facebook's apps send the right one. */
function iosVersion(userAgent: string, written: string): string {
  const real = /\bFBSV\/([\d.]+)/.exec(userAgent)?.[1] ?? safariVersion(userAgent)
  const isFrozen = Number.parseInt(real, 10) >= FROZEN_SINCE && Number.parseInt(written, 10) < FROZEN_SINCE
  return isFrozen ? real : written
}

/** Devices whose kind the parser does not see. */
function sizeOfDevice(userAgent: string): Agent['size'] | undefined {
  if (isDesktopSite(userAgent)) return 'tablet'
  const [, kind] = /\((Phone|Tablet|PC|2in1)\b[^)]*Harmony/i.exec(userAgent) ?? []
  if (kind)
    return kind.toLowerCase() === 'phone' ? 'mobile' : kind.toLowerCase() === 'tablet' ? 'tablet' : 'desktop'
  if (/\bAndroid\b.*\bHarmonyOS\b/s.test(userAgent)) return /\bMobile\b/.test(userAgent) ? 'mobile' : 'tablet'
  if (/\bMIDP\b/.test(userAgent)) return 'mobile'
  if (!/\bYJApp-/.test(userAgent)) return undefined
  return /\biPad\b/.test(userAgent) || !/\bMobile\b/.test(userAgent) ? 'tablet' : 'mobile'
}

function sizeOf(platform: string | undefined): Agent['size'] {
  if (platform === 'mobile' || platform === 'tablet' || platform === 'desktop') return platform
  return platform === 'tv' ? 'desktop' : ''
}

/** Returns the name that browsers and systems of hits have for one that another product wrote. */
export const commonBrowser = (name: string): string => named(name, browserNames)
export const commonSystem = (name: string): string => named(name, osNames)

function named(name: string | undefined, names: Map<string, string>): string {
  const trimmed = name?.trim() ?? ''
  return names.get(trimmed.toLowerCase()) ?? trimmed
}

function keepCase(name: string): [string, string] {
  return [name.toLowerCase(), name]
}
