import type { SentHit } from './recount.ts'

const ENDPOINTS = { pageview: 'collect', event: 'event', engagement: 'engage', identify: 'identify' } as const

/** The line of an import that says what was sent. */
export function lineOf(sent: SentHit): string {
  const { kind, at, visitor, path, title, name, scroll, engagedMs, identifier } = sent
  return JSON.stringify({
    endpoint: ENDPOINTS[kind],
    timestamp: new Date(at).toISOString(),
    body: {
      hostname: 'example.com',
      visitor_id: visitor,
      ...(path !== undefined && { url: { path, title } }),
      name,
      sd: scroll,
      time: engagedMs,
      identifier,
    },
  })
}

/** A pageview of `/` at `at`, unless the rest says otherwise. */
export function pageviewLine(at: number, rest: object = {}, body: object = {}): string {
  return JSON.stringify({
    endpoint: 'collect',
    timestamp: new Date(at).toISOString(),
    ...rest,
    body: { hostname: 'example.com', url: { path: '/' }, ...body },
  })
}

/** Text as a stream, cut at places that have nothing to do with its lines. */
export async function* streamOf(text: string | string[], chunkBytes = 1_000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(typeof text === 'string' ? text : `${text.join('\n')}\n`)
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes)
}
