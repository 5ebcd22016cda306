import { expect, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { startIngestApi } from '../../support/ingest-api.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite } from '../../support/sites.ts'
import { openWire } from '../../support/wire.ts'

const api = ofFile(() => startApi({ config: { trustProxy: 1 } }))
const worker = ofFile(() => startIngestApi(api.services, api.services.config.redisUrl!))
const site = ofFile(() => createTestSite(api.services.db))

const LINE = 'POST /api/collect HTTP/1.1'
const HOST = 'Host: x'
const LENGTH = 'Content-Length: #'
const USUAL = [LINE, HOST, LENGTH]
const CHUNKED = 'Transfer-Encoding: chunked'
const END = '\r\n\r\n'
/** The head of a request, in which `#` stands for the length of the body; `\n` and `\r` in a line stay as they are. */
const head = (...lines: string[]) => lines.join('\r\n') + END
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const CHUNKS = head(LINE, HOST, CHUNKED)

type Bytes = (hit: string) => string
const lines =
  (...all: string[]): Bytes =>
  hit =>
    head(...all) + hit
const line = (first: string) => lines(first, HOST, LENGTH)
const withLength = (length: string) => lines(LINE, HOST, length)
const usual = (...more: string[]) => lines(...USUAL, ...more)
const inChunks =
  (...more: string[]): Bytes =>
  hit =>
    `${head(LINE, HOST, ...more)}${chunk(hit)}0${END}`

/** What is sent, in Latin-1, and the statuses of the answers. 204 is the answer to `LAST`, where the connection could be used again. */
const REQUESTS: Record<string, [bytes: Bytes, statuses: number[]]> = {
  'nothing unusual': [usual(), [202, 204]],
  'two in one packet': [hit => (head(...USUAL) + hit).repeat(2), [202, 202, 204]],
  'ten in one packet': [hit => (head(...USUAL) + hit).repeat(10), [...Array(10).fill(202), 204]],
  'a usual one after chunks': [
    hit => `${CHUNKS}${chunk(hit)}0${END}${head(...USUAL)}${hit}`,
    [202, 202, 204],
  ],
  chunks: [inChunks(CHUNKED), [202, 204]],
  'chunks with an extension': [
    hit => `${CHUNKS}${chunk(hit).replace('\r\n', ';a=b\r\n')}0${END}`,
    [202, 204],
  ],
  'chunks with a trailer': [hit => `${CHUNKS}${chunk(hit)}0\r\nX-A: b${END}`, [202, 204]],
  'chunks whose size is no number': [hit => `${CHUNKS}zz\r\n${hit}\r\n0${END}`, [400]],
  'chunks whose size is negative': [hit => `${CHUNKS}-1\r\n${hit}\r\n0${END}`, [400]],
  'chunks whose size is beyond all numbers': [
    hit => `${CHUNKS}${'f'.repeat(17)}\r\n${hit}\r\n0${END}`,
    [400],
  ],
  'chunks whose size has a prefix': [hit => `${CHUNKS}0x${chunk(hit)}0${END}`, [400]],
  'chunks that end with a bare line feed': [
    hit => `${CHUNKS}${chunk(hit).replaceAll('\r\n', '\n')}0\n\n`,
    [400],
  ],
  'chunks that are longer than their size': [hit => `${CHUNKS}5\r\n${hit}\r\n0${END}`, [400]],
  'another method': [line('PUT /api/collect HTTP/1.1'), [405, 204]],
  'a read': [line('GET /api/collect HTTP/1.1'), [405, 204]],
  'a method in lower case': [line('post /api/collect HTTP/1.1'), [400]],
  'an unknown method': [line('BREW /api/collect HTTP/1.1'), [400]],
  'a space before the method': [line(' POST /api/collect HTTP/1.1'), [400]],
  'HTTP/1.0': [line('POST /api/collect HTTP/1.0'), [202]],
  'HTTP/1.0 that is kept alive': [
    lines('POST /api/collect HTTP/1.0', HOST, LENGTH, 'Connection: keep-alive'),
    [202, 204],
  ],
  'HTTP/2.0': [line('POST /api/collect HTTP/2.0'), [202]],
  'HTTP/1.2': [line('POST /api/collect HTTP/1.2'), [400]],
  'http/1.1 in lower case': [line('POST /api/collect http/1.1'), [400]],
  'no version': [line('POST /api/collect'), [202]],
  'two spaces before the version': [line('POST /api/collect  HTTP/1.1'), [202, 204]],
  'a space after the version': [line('POST /api/collect HTTP/1.1 '), [400]],
  'two spaces before the path': [line('POST  /api/collect HTTP/1.1'), [202, 204]],
  'a tab before the path': [line('POST\t/api/collect HTTP/1.1'), [400]],
  'a space in the path': [line('POST /api/collect /x HTTP/1.1'), [400]],
  'a zero byte in the path': [line('POST /api/collect\x00 HTTP/1.1'), [400]],
  'a byte above ASCII in the path': [line('POST /api/collect?\xff HTTP/1.1'), [400]],
  'a control character in the path': [line('POST /api/collect?\x01 HTTP/1.1'), [400]],
  'a fragment in the path': [line('POST /api/collect#a HTTP/1.1'), [404, 204]],
  'an encoded letter in the path': [line('POST /api/%63ollect HTTP/1.1'), [404, 204]],
  'a dot segment': [line('POST /api/./collect HTTP/1.1'), [404, 204]],
  'two slashes first': [line('POST //api/collect HTTP/1.1'), [404, 204]],
  'a slash at the end': [line('POST /api/collect/ HTTP/1.1'), [404, 204]],
  'a path in capitals': [line('POST /API/COLLECT HTTP/1.1'), [404, 204]],
  'a path without a slash': [line('POST api/collect HTTP/1.1'), [400]],
  'an asterisk': [line('POST * HTTP/1.1'), [404, 204]],
  'an absolute URL': [line('POST http://x/api/collect HTTP/1.1'), [404, 204]],
  'a query': [line('POST /api/collect?a=%20b HTTP/1.1'), [202, 204]],
  'an empty query': [line('POST /api/collect? HTTP/1.1'), [202, 204]],
  'a query of 20 KiB': [line(`POST /api/collect?${'a'.repeat(20_480)} HTTP/1.1`), [413]],
  'no host': [lines(LINE, LENGTH), [400]],
  'no host in HTTP/1.0': [lines('POST /api/collect HTTP/1.0', LENGTH), [202]],
  'an empty host': [lines(LINE, 'Host:', LENGTH), [202, 204]],
  'the host twice': [usual('host: x'), [202, 204]],
  'another host': [usual('host: y'), [202, 204]],
  'no length': [lines(LINE, HOST), [400]],
  'no header at all': [lines(LINE), [400]],
  'an empty length': [withLength('Content-Length:'), [400]],
  'a length: a plus sign': [withLength('Content-Length: +#'), [400]],
  'a length: a minus sign': [withLength('Content-Length: -#'), [400]],
  'a length: a fraction': [withLength('Content-Length: #.0'), [400]],
  'a length: hex digits': [withLength('Content-Length: 0x10'), [400]],
  'a length: an exponent': [withLength('Content-Length: 1e2'), [400]],
  'a length: a letter': [withLength('Content-Length: #a'), [400]],
  'a length: a space within': [withLength('Content-Length: 1 1'), [400]],
  'a length: a tab after it': [withLength('Content-Length: #\t'), [400]],
  'a length: a tab before it': [withLength('Content-Length: \t#'), [202, 204]],
  'a length: spaces around it': [withLength('Content-Length:   #  '), [202, 204]],
  'a length: a no-break space': [withLength('Content-Length: #\xa0'), [400]],
  'a length: two in a line': [withLength('Content-Length: #, #'), [400]],
  'a length: a semicolon': [withLength('Content-Length: #;'), [400]],
  'a length: zeros before it': [withLength('Content-Length: 000#'), [202, 204]],
  'a length: 20 digits': [withLength('Content-Length: 99999999999999999999'), [400]],
  'a length: 19 digits': [withLength('Content-Length: 9999999999999999999'), [413]],
  'a length: 10 GB': [withLength('Content-Length: 10000000000'), [413]],
  'a length: 256 KiB and a byte': [withLength('Content-Length: 262145'), [413]],
  'the length twice': [usual('content-length: #'), [400]],
  'another length': [usual('Content-Length: 1'), [400]],
  'a length of nothing': [withLength('Content-Length: 0'), [400]],
  'a length too short': [withLength('Content-Length: 5'), [400]],
  'chunks and a length': [usual('Transfer-Encoding: chunked'), [400]],
  'a length after chunks': [inChunks(CHUNKED, LENGTH), [400]],
  'transfer encoding identity': [inChunks('Transfer-Encoding: identity'), [400]],
  'transfer encoding gzip, chunked': [inChunks('Transfer-Encoding: gzip, chunked'), [202, 204]],
  'transfer encoding chunked, gzip': [inChunks('Transfer-Encoding: chunked, gzip'), [400]],
  'transfer encoding chunked, chunked': [inChunks('Transfer-Encoding: chunked, chunked'), [400]],
  'transfer encoding xchunked': [inChunks('Transfer-Encoding: xchunked'), [400]],
  'transfer encoding Chunked': [inChunks('Transfer-Encoding: Chunked'), [202, 204]],
  'transfer encoding chunked and a tab': [inChunks('Transfer-Encoding: chunked\t'), [400]],
  'transfer encoding "chunked"': [inChunks('Transfer-Encoding: "chunked"'), [400]],
  'transfer encoding without a value': [inChunks('Transfer-Encoding: '), [400]],
  'transfer encoding magic': [inChunks('Transfer-Encoding: magic'), [400]],
  'transfer encoding twice': [inChunks(CHUNKED, 'Transfer-Encoding: identity'), [400]],
  'transfer encoding in HTTP/1.0': [
    hit => `${head('POST /api/collect HTTP/1.0', HOST, CHUNKED)}${chunk(hit)}0${END}`,
    [202],
  ],
  'a space before the colon': [usual('X-A : b'), [400]],
  'a space before the colon of an encoding': [usual('Transfer-Encoding : chunked'), [400]],
  'a space before the name': [usual(' X-A: b'), [400]],
  'a space before the name of an encoding': [usual(' Transfer-Encoding: chunked'), [400]],
  'a folded line': [usual('X-A: a', ' b'), [400]],
  'a line folded with a tab': [usual('X-A: a', '\tb'), [400]],
  'a bare line feed': [usual('X-A: a\nTransfer-Encoding: chunked'), [400]],
  'a bare carriage return': [usual('X-A: a\rTransfer-Encoding: chunked'), [400]],
  'a zero byte': [usual('X-A: a\x00b'), [400]],
  'a control character': [usual('X-A: a\x01b'), [400]],
  'a delete character': [usual('X-A: a\x7fb'), [400]],
  'a byte above ASCII in a value': [usual('X-A: \xe9'), [202, 204]],
  'a byte above ASCII in a name': [usual('X-\xe9: a'), [400]],
  'a tab in a value': [usual('X-A: a\tb'), [202, 204]],
  'a tab in a name': [usual('X\tA: b'), [400]],
  'a line without a colon': [usual('X-A'), [400]],
  'a line without a name': [usual(': a'), [400]],
  'brackets in a name': [usual('X(A): b'), [400]],
  'bare line feeds everywhere': [hit => head(...USUAL).replaceAll('\r\n', '\n') + hit, [400]],
  'bare carriage returns everywhere': [hit => head(...USUAL).replaceAll('\r\n', '\r') + hit, [400]],
  'a blank line first': [hit => `\r\n${head(...USUAL)}${hit}`, [202, 204]],
  'three blank lines first': [hit => `${'\r\n'.repeat(3)}${head(...USUAL)}${hit}`, [202, 204]],
  'a blank line between two': [hit => `${head(...USUAL)}${hit}\r\n${head(...USUAL)}${hit}`, [202, 202, 204]],
  'a long head': [usual(`X-A: ${'a'.repeat(16 * 1024)}`), [413]],
  'a head just below 16 KiB': [usual(`X-A: ${'a'.repeat(15 * 1024)}`), [202, 204]],
  '2,000 headers': [usual(...Array(2_000).fill('X-A: b')), [202, 204]],
  '200 headers': [usual(...Array(200).fill('X-A: b')), [202, 204]],
  'the agent twice': [usual('user-agent: a', 'User-Agent: b'), [202, 204]],
  'the forwarded address twice': [
    usual('x-forwarded-for: 192.0.2.1', 'x-forwarded-for: 192.0.2.2'),
    [202, 204],
  ],
  'the request id twice': [usual('x-request-id: 01234567', 'x-request-id: 01234567'), [202, 204]],
  'an encoded body that is not': [usual('Content-Encoding: gzip'), [400, 204]],
  'an unknown content encoding': [usual('Content-Encoding: magic'), [415, 204]],
  'a content encoding twice': [usual('Content-Encoding: identity', 'Content-Encoding: identity'), [415, 204]],
  'an expectation of 100': [usual('Expect: 100-continue'), [100, 202, 204]],
  'an unknown expectation': [usual('Expect: magic'), [202, 204]],
  'an upgrade': [usual('Upgrade: websocket', 'Connection: upgrade'), [202, 204]],
  'an upgrade that the connection does not name': [usual('Upgrade: websocket'), [202, 204]],
  CONNECT: [lines('CONNECT x:1 HTTP/1.1', HOST), []],
  'a connection that ends': [usual('Connection: close'), [202]],
  'a connection with options': [usual('Connection: keep-alive, upgrade'), [202, 204]],
  'a connection with an unknown option': [usual('Connection: magic'), [202, 204]],
  'a proxy connection': [usual('Proxy-Connection: close'), [202]],
  TLS: [() => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400]],
  'the preface of HTTP/2': [() => `PRI * HTTP/2.0${END}SM${END}`, [400]],
  noise: [() => '\0\xff\x80'.repeat(20), [400]],
  'JSON alone': [hit => hit + END, [400]],
  'more than its length': [hit => `${head(...USUAL)}${hit}GARBAGE${END}`, [400]],
}

const LAST = head('OPTIONS /api/collect HTTP/1.1', HOST, 'Connection: close')

/** Sends a request and, after its first answer, `LAST`. @returns the statuses of all answers until the connection is closed */
async function statusesOf(make: Bytes): Promise<number[]> {
  const wire = openWire(worker.url)
  const body = JSON.stringify({ key: site.key, hostname: 'example.com', url: { path: '/' } })
  wire.send(Buffer.from(make(body).replaceAll('#', String(body.length)), 'latin1'))
  const statuses: number[] = []
  for (let isFirst = true; ; isFirst = false) {
    const answer = await wire.answer().catch(() => undefined)
    if (!answer) return statuses
    statuses.push(answer.status)
    if (isFirst && answer.status >= 400 && answer.status !== 404)
      expect(JSON.parse(answer.body)).toEqual({
        ...{ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/./) },
        request_id: answer.headers['x-request-id'],
      })
    if (isFirst) wire.send(LAST)
  }
}

test.each(Object.entries(REQUESTS))('malformed requests: %s', async (_, [make, statuses]) => {
  expect(await statusesOf(make)).toEqual(statuses)
})
