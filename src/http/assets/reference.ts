import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RequestHandler } from 'express'
import { describeApi } from '../openapi/document.ts'
import { type Asset, createAsset } from './asset.ts'

/** Browsers revalidate at every use, and get 304 while nothing has changed. */
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

/** Policy of the page alone: it may load only the document and the script of this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  // Redoc writes inline styles, and runs its search in a worker from a blob URL.
  "style-src 'unsafe-inline'",
  'worker-src blob:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Redoc would load its logo from a foreign server; with an empty address it shows no logo. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

/** Creates the handlers of the API description (`/api/openapi.json`), of the page that shows it (`/docs`) and of its script. */
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
      // The page has relative addresses, so that it works behind a proxy's path prefix. A trailing slash would break them.
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

/** Creates the asset at the first request, because most processes never get one. */
function whenAsked(make: () => Asset): () => Asset {
  let made: Asset | undefined
  return () => {
    made ??= make()
    return made
  }
}
