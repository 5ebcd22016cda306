import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RequestHandler } from 'express'
import { type Asset, createAsset } from './asset.ts'
import { describeApi } from './openapi/document.ts'

/** Asked for again each time, answered 304 while it is the same. */
const REVALIDATE = 'no-cache'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="api/openapi.json" theme='{"typography":{"fontFamily":"system-ui, sans-serif",\
"headings":{"fontFamily":"system-ui, sans-serif"}}}'></redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
`

/** Of the page alone: it shows our own document with our own script, and reaches nobody else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  // The page writes its styles itself, and searches in a worker that it makes.
  "style-src 'unsafe-inline'",
  'worker-src blob:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The script would load its makers' logo from their server; without one it shows none. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

/** The API's description at `/api/openapi.json`, and the page at `/docs` that shows it. */
export function createReference(baseUrl: string): Record<'document' | 'page' | 'script', RequestHandler> {
  const document = whenAsked(() =>
    createAsset(
      Buffer.from(JSON.stringify(describeApi(baseUrl))),
      'application/json; charset=utf-8',
      REVALIDATE,
    ),
  )
  const page = createAsset(Buffer.from(PAGE), 'text/html; charset=utf-8', REVALIDATE)
  const script = whenAsked(() => createAsset(readScript(), 'text/javascript; charset=utf-8', REVALIDATE))
  return {
    document: (req, res) => document().serve(req, res),
    page: (req, res) => {
      // Its addresses are relative, so that it works behind a path of a proxy.
      if (req.path.endsWith('/')) res.redirect(308, '../docs')
      else page.serve(req, res, { 'Content-Security-Policy': POLICY })
    },
    script: (req, res) => script().serve(req, res),
  }
}

function readScript(): Buffer {
  const file = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'))
  return Buffer.from(readFileSync(file, 'utf8').replace(FOREIGN_LOGO, 'data:,'))
}

/** Made at the first request: most processes never get one. */
function whenAsked(make: () => Asset): () => Asset {
  let made: Asset | undefined
  return () => {
    made ??= make()
    return made
  }
}
