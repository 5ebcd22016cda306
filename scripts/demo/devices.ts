import { type Random, type Weighted, weighted } from '../random.ts'

export interface Device {
  userAgent: string
  screen: { width: number; height: number }
  /** How many times longer pages take to load than on a fast desktop. */
  slowness: number
}

interface Kind {
  /** `%` is the major version of the browser. */
  userAgent: string
  versions: readonly Weighted<string>[]
  screens: readonly Weighted<string>[]
  slowness: number
}

const MOZILLA = 'Mozilla/5.0'
const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.0.0.0'
const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/%.0'
const WINDOWS = `${MOZILLA} (Windows NT 10.0; Win64; x64)`
const MAC = `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7)`
const IPHONE = `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X)`
const IPAD = `${MOZILLA} (iPad; CPU OS 18_5 like Mac OS X)`
const ANDROID = `${MOZILLA} (Linux; Android 10; K)`
const LINUX = `${MOZILLA} (X11; Linux x86_64)`
const GECKO = 'rv:%.0) Gecko/20100101 Firefox/%.0'

const CHROMES = weighted({ 141: 2, 142: 6, 143: 12, 138: 1 })
const SAFARIS = weighted({ 17: 2, 18: 7, 26: 5 })
const FIREFOXES = weighted({ 140: 4, 144: 5, 145: 7 })

const LAPTOPS = weighted({ '1440x900': 5, '1512x982': 5, '1728x1117': 3, '2560x1440': 3 })
const DESKTOPS = weighted({ '1920x1080': 9, '1536x864': 5, '2560x1440': 4, '1366x768': 2, '3840x2160': 1 })
const IPHONES = weighted({ '390x844': 5, '393x852': 5, '430x932': 3 })
const ANDROIDS = weighted({ '412x915': 5, '360x800': 4, '384x832': 2 })
const IPADS = weighted({ '820x1180': 1 })

const kind = (
  userAgent: string,
  versions: Kind['versions'],
  screens: Kind['screens'],
  slowness: number,
): Kind => ({ userAgent, versions, screens, slowness })

const KINDS: readonly Weighted<Kind>[] = [
  [kind(`${MAC} ${CHROMIUM} Safari/537.36`, CHROMES, LAPTOPS, 1), 22],
  [kind(`${WINDOWS} ${CHROMIUM} Safari/537.36`, CHROMES, DESKTOPS, 1.1), 21],
  [kind(`${IPHONE} ${APPLE} Mobile/15E148 Safari/604.1`, SAFARIS, IPHONES, 1.4), 17],
  [kind(`${ANDROID} ${CHROMIUM} Mobile Safari/537.36`, CHROMES, ANDROIDS, 1.9), 11],
  [kind(`${MAC} ${APPLE} Safari/605.1.15`, SAFARIS, LAPTOPS, 0.9), 9],
  [kind(`${WINDOWS} ${CHROMIUM} Safari/537.36 Edg/%.0.0.0`, CHROMES, DESKTOPS, 1.1), 6],
  [kind(`${WINDOWS.slice(0, -1)}; ${GECKO}`, FIREFOXES, DESKTOPS, 1.1), 5],
  [kind(`${LINUX.slice(0, -1)}; ${GECKO}`, FIREFOXES, DESKTOPS, 1), 4],
  [kind(`${LINUX} ${CHROMIUM} Safari/537.36`, CHROMES, DESKTOPS, 1), 3],
  [kind(`${IPAD} ${APPLE} Mobile/15E148 Safari/604.1`, SAFARIS, IPADS, 1.3), 2],
]

export function deviceOf(random: Random): Device {
  const { userAgent, versions, screens, slowness } = random.weigh(KINDS)
  const [width, height] = random.weigh(screens).split('x').map(Number)
  return {
    userAgent: userAgent.replaceAll('%', random.weigh(versions)),
    screen: { width: width!, height: height! },
    slowness,
  }
}
