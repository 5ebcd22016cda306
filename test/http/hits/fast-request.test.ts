import { expect, test } from 'vitest'
import { readFastRequest } from '../../../src/http/hits/fast-request.ts'

const read = (text: string) => readFastRequest(Buffer.from(text, 'latin1'))
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const LINE = 'POST /api/collect HTTP/1.1'
const USUAL = [LINE, 'Host: x', 'Content-Length: 2']

test('fast requests: a usual head is read', () => {
  const text = head(
    'POST /api/event?a=%20b HTTP/1.1',
    'host: example.com',
    'USER-AGENT:  Mozilla/5.0 (X11)\t',
    'X-Forwarded-For: 192.0.2.1, 192.0.2.2',
    'x-request-id: 01234567',
    'Cookie: a=b',
    'X-Custom: \xe9',
    'connection: Keep-Alive',
    'content-length: 16384',
  )
  expect(read(`${text}{}`)).toEqual({
    path: '/api/event',
    userAgent: 'Mozilla/5.0 (X11)',
    forwardedFor: '192.0.2.1, 192.0.2.2',
    requestId: '01234567',
    headBytes: text.length,
    bodyBytes: 16_384,
  })
})

test('fast requests: headers that are absent', () => {
  expect(read(head(...USUAL))).toEqual({
    path: '/api/collect',
    userAgent: '',
    forwardedFor: undefined,
    requestId: undefined,
    headBytes: head(...USUAL).length,
    bodyBytes: 2,
  })
})

test.each([
  ['no end of the head', `${USUAL.join('\r\n')}\r\n`],
  ['another method', head('GET /api/collect HTTP/1.1', 'Host: x', 'Content-Length: 2')],
  ['another version', head('POST /api/collect HTTP/1.0', 'Host: x', 'Content-Length: 2')],
  ['a method in lower case', head('post /api/collect HTTP/1.1', 'Host: x', 'Content-Length: 2')],
  ['an absolute URL', head('POST http://x/api/collect HTTP/1.1', 'Host: x', 'Content-Length: 2')],
  ['a space in the path', head('POST /api/collect /x HTTP/1.1', 'Host: x', 'Content-Length: 2')],
  ['no host', head(LINE, 'Content-Length: 2')],
  ['no length', head(LINE, 'Host: x')],
  ['a large body', head(LINE, 'Host: x', 'Content-Length: 16385')],
  ['a length that is no number', head(LINE, 'Host: x', 'Content-Length: +2')],
  ['a length with a fraction', head(LINE, 'Host: x', 'Content-Length: 2.0')],
  ['two lengths in a line', head(LINE, 'Host: x', 'Content-Length: 2, 2')],
  ['a length with a tab after it', head(LINE, 'Host: x', 'Content-Length: 2\t')],
  ['a length with a no-break space', head(LINE, 'Host: x', 'Content-Length: 2\xa0')],
  ['an agent with a no-break space', head(...USUAL, 'User-Agent: a\xa0')],
  ['an empty length', head(LINE, 'Host: x', 'Content-Length:')],
  ['the length twice', head(...USUAL, 'content-length: 2')],
  ['the host twice', head(...USUAL, 'host: x')],
  ['the agent twice', head(...USUAL, 'user-agent: a', 'User-Agent: b')],
  ['an empty agent twice', head(...USUAL, 'user-agent:', 'User-Agent: b')],
  ['the forwarded address twice', head(...USUAL, 'x-forwarded-for: 1.1.1.1', 'x-forwarded-for: 1.1.1.2')],
  ['the request id twice', head(...USUAL, 'x-request-id: 01234567', 'x-request-id: 01234567')],
  ['chunks', head(...USUAL, 'Transfer-Encoding: chunked')],
  ['chunks, without a length', head(LINE, 'Host: x', 'transfer-encoding: chunked')],
  ['a space before the colon', head(...USUAL, 'Transfer-Encoding : chunked')],
  ['a space before the name', head(...USUAL, ' Transfer-Encoding: chunked')],
  ['a folded line', head(...USUAL, 'X-Long: a', ' b')],
  ['a bare line feed', head(...USUAL, 'X-A: a\nTransfer-Encoding: chunked')],
  ['a bare carriage return', head(...USUAL, 'X-A: a\rTransfer-Encoding: chunked')],
  ['a zero byte', head(...USUAL, 'X-A: a\0')],
  ['a line without a colon', head(...USUAL, 'X-A')],
  ['an encoded body', head(...USUAL, 'Content-Encoding: gzip')],
  ['an expectation', head(...USUAL, 'Expect: 100-continue')],
  ['an upgrade', head(...USUAL, 'Upgrade: websocket')],
  ['a connection that ends', head(...USUAL, 'Connection: close')],
  ['a connection with options', head(...USUAL, 'Connection: keep-alive, upgrade')],
  ['a proxy connection', head(...USUAL, 'Proxy-Connection: close')],
  ['a blank line first', `\r\n${head(...USUAL)}`],
  ['no header at all', head(LINE)],
  ['a long head', head(...USUAL, `X-Long: ${'a'.repeat(16 * 1024)}`)],
])('fast requests: %s is left to the fallback', (_, text) => {
  expect(read(text)).toBeUndefined()
})
