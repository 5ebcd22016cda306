import { isUnknown, LIMITS, plainNumber, plainText, type Texts } from './texts.ts'

export interface Device {
  screen?: { width?: number; height?: number } | undefined
  language?: string | undefined
  os?: string | undefined
  os_version?: string | undefined
  browser?: { name?: string | undefined; version?: string | undefined } | undefined
  device?: 'desktop' | 'mobile' | 'tablet' | undefined
}

/** What a product knows of a device, each value as it writes it. */
interface Known {
  width?: unknown
  height?: unknown
  language?: unknown
  os?: unknown
  osVersion?: unknown
  browser?: unknown
  browserVersion?: unknown
  /** Kind of device. */
  kind?: unknown
}

/** Names of systems and browsers that the service writes in another way; in lower case. */
const NAMES = new Map([
  ['mac', 'macOS'],
  ['macintosh', 'macOS'],
  ['gnu/linux', 'Linux'],
  ['chrome os', 'Chrome OS'],
  ['chrome mobile ios', 'Chrome'],
  ['chrome mobile', 'Chrome'],
  ['firefox mobile ios', 'Firefox'],
  ['firefox ios', 'Firefox'],
  ['safari (in-app)', 'Safari'],
  ['microsoft edge', 'Edge'],
])

const KINDS = new Map<string, NonNullable<Device['device']>>([
  ...['desktop', 'tv', 'smart tv', 'smart_tv', 'console', 'laptop'].map(kind => [kind, 'desktop'] as const),
  ...['mobile', 'smartphone', 'phablet', 'feature phone', 'feature_phone', 'phone'].map(
    kind => [kind, 'mobile'] as const,
  ),
  ['tablet', 'tablet'],
])

/** Returns the fields of a body that describe the device. Values that are not known are left out. */
export function readDevice(known: Known, texts: Texts): Device {
  const name = knownText(known.browser, texts, 'browser')
  const version = name && knownText(known.browserVersion, texts, 'version of the browser')
  const os = knownText(known.os, texts, 'operating system')
  const osVersion = os && knownText(known.osVersion, texts, 'version of the operating system')
  const [width, height] = [readPixels(known.width), readPixels(known.height)]
  return {
    ...((width ?? height) && { screen: { ...(width && { width }), ...(height && { height }) } }),
    ...withText('language', readLanguage(known.language, texts)),
    ...withText('os', os),
    ...withText('os_version', osVersion),
    ...(name && { browser: { name, ...withText('version', version) } }),
    ...withText('device', KINDS.get(plainText(known.kind)?.toLowerCase() ?? '')),
  }
}

const withText = <Key extends string, Value extends string>(key: Key, value: Value | undefined | '') =>
  (value ? { [key]: value } : {}) as { [Field in Key]?: Value }

function knownText(value: unknown, texts: Texts, what: string): string | undefined {
  const text = texts.read(value, LIMITS.system, what)
  if (text === undefined || isUnknown(text)) return undefined
  return NAMES.get(text.toLowerCase()) ?? text
}

function readLanguage(value: unknown, texts: Texts): string | undefined {
  const language = texts.read(value, LIMITS.language, 'language')?.replaceAll('_', '-')
  return language && !isUnknown(language) ? language : undefined
}

/** Whole pixels; undefined for 0, which products write for an unknown size, and beyond what a body may have. */
function readPixels(value: unknown): number | undefined {
  const pixels = Math.round(plainNumber(value) ?? 0)
  return pixels > 0 && pixels <= 65_535 ? pixels : undefined
}
