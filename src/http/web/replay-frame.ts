import { randomBytes } from 'node:crypto'
import type { RequestHandler } from 'express'
import { readManifest } from './web-files.ts'

/**
 * Policy of the frame, and of the recorded page within it, which takes it over: one script and nothing else is loaded. Pictures and fonts are
 * those that a recording holds itself. Only the frame needs scripts and the origin of the service; the page within has no scripts.
 */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-same-origin',
  ].join('; ')

/** Creates the handler of the frame in which the web interface plays recordings. It holds no data: the page gives it a recording. */
export function createReplayFrame(): RequestHandler {
  const { replayFrame } = readManifest()
  return (_req, res) => {
    const nonce = randomBytes(16).toString('base64url')
    res.set({ 'Content-Security-Policy': policy(nonce), 'X-DNS-Prefetch-Control': 'off' })
    res.type('text/html').send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Session replay</title>
</head>
<body>
<div id="stage"></div>
<script nonce="${nonce}" src="${replayFrame}"></script>
</body>
</html>
`)
  }
}
