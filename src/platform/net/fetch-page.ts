import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib'
import { type FetchProblem, isWebUrl, PublicFetchError, type Reach, requestPublic } from './public-fetch.ts'

const MOST_REDIRECTS = 3
const HEADERS = {
  Accept: 'text/html,application/xhtml+xml',
  // Bytes of a compressed page would be no measure of its size.
  'Accept-Encoding': 'identity',
  'User-Agent': 'Mozilla/5.0 (compatible; analytics installation check)',
}

export type PageProblem =
  | { problem: FetchProblem | 'bad_port' }
  | { problem: 'not_html' | 'bad_redirect' | 'too_many_redirects' }
  | { problem: 'bad_status'; status: number }

/** A page that was fetched, or why none was. `url`: the last one that was asked for. */
export type FetchedPage = { url: URL } & ({ html: string; isCut: boolean } | PageProblem)

/** Fetches a web page within `reach.timeoutMs`. Follows three redirects, each within reach like the first URL. */
export async function fetchPage(first: URL, reach: Reach): Promise<FetchedPage> {
  const endsAt = performance.now() + reach.timeoutMs
  let url = first
  for (let redirects = 0; ; redirects++) {
    if (!isWebUrl(url)) return { url, problem: 'bad_port' }
    const timeoutMs = Math.max(0, Math.ceil(endsAt - performance.now()))
    const answer = await ask(url, { ...reach, timeoutMs })
    if (!('redirect' in answer)) return { url, ...answer }
    const next = URL.canParse(answer.redirect, url.href) ? new URL(answer.redirect, url) : undefined
    if (!next || !isWebUrl(next)) return { url, problem: 'bad_redirect' }
    if (redirects === MOST_REDIRECTS) return { url, problem: 'too_many_redirects' }
    Object.assign(next, { username: '', password: '', hash: '' })
    url = next
  }
}

type Asked = { html: string; isCut: boolean } | { redirect: string } | PageProblem

async function ask(url: URL, reach: Reach): Promise<Asked> {
  try {
    const { status, headers, body, isCut } = await requestPublic(url, reach, {
      headers: HEADERS,
      wants: ({ statusCode, headers }) => statusCode === 200 && isHtml(headers['content-type']),
    })
    if (body) return await readPage(body, headers['content-encoding'], { isCut, maxBytes: reach.maxBytes })
    if (status === 200) return { problem: 'not_html' }
    const { location } = headers
    const isRedirect = [301, 302, 303, 307, 308].includes(status)
    return isRedirect && location !== undefined ? { redirect: location } : { problem: 'bad_status', status }
  } catch (error) {
    if (error instanceof PublicFetchError) return { problem: error.problem }
    throw error
  }
}

const UNPACK: Record<string, ReturnType<typeof unpacking>> = {
  gzip: unpacking(gunzip),
  deflate: unpacking(inflate),
  br: unpacking(brotliDecompress),
}

/** Some servers have nothing but compressed pages, whatever is asked for. */
async function readPage(
  body: Buffer,
  encoding = 'identity',
  { isCut, maxBytes }: { isCut: boolean; maxBytes: number },
): Promise<Asked> {
  if (encoding === 'identity') return { html: body.toString(), isCut }
  const unpacked = await UNPACK[encoding.toLowerCase()]?.(body, maxBytes).catch(() => undefined)
  if (!unpacked) return { problem: 'not_html' }
  const html = unpacked.subarray(0, maxBytes).toString()
  return { html, isCut: isCut || unpacked.length > maxBytes }
}

/** What unpacks to more than this many times the limit is no page. */
const MOST_TIMES = 8

type Unpack = typeof gunzip | typeof brotliDecompress

function unpacking(unpack: Unpack) {
  const unpackAll = promisify(unpack as typeof gunzip)
  // A page that was cut ends within a block.
  const finishFlush = unpack === brotliDecompress ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH
  return (body: Buffer, maxBytes: number) =>
    unpackAll(body, { finishFlush, maxOutputLength: MOST_TIMES * maxBytes })
}

/** A page without a type is taken for one, as browsers do. */
const isHtml = (type = 'text/html') => /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)
