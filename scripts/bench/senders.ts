import { createRandom, longTail } from '../random.ts'
import { addressOf, agentOf, LANGUAGES, originOf, PATHS, pageOf, SCREENS } from './catalogue.ts'

/** One pageview to send, with the address that a proxy would report. */
export interface SentHit {
  address: string
  agent: string
  body: string
}

/**
 * Generates pageviews of many visitors for a load.
 * @param options.addresses number of addresses that share the load; each may send 600 hits a minute
 * @param options.visitors number of browsers behind these addresses
 */
export function sentHits(options: {
  key: string
  count: number
  addresses: number
  visitors: number
  seed: number
}): SentHit[] {
  const random = createRandom(options.seed)
  const drawPage = longTail(PATHS, random)
  const addresses = Array.from({ length: options.addresses }, () => addressOf(random))
  const visitors = Array.from({ length: options.visitors }, (_, index) => ({
    address: addresses[index % addresses.length]!,
    agent: agentOf(random),
    screen: random.pick(SCREENS),
    language: random.pick(LANGUAGES),
  }))
  return Array.from({ length: options.count }, (_, index) => {
    // Round robin, so that all addresses send the same number of hits.
    const { address, agent, screen, language } = visitors[index % visitors.length]!
    const { referrer, tags } = originOf(random)
    const { path, title } = pageOf(drawPage())
    const body = {
      key: options.key,
      hostname: 'ingest.bench.example',
      url: { path: tags ? `${path}?${tags}` : path, title },
      ...(referrer && { referrer }),
      screen,
      language,
    }
    return { address, agent, body: JSON.stringify(body) }
  })
}
