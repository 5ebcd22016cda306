import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../../platform/config/config.ts'
import { readSessionCookie } from '../api/browser.ts'
import { createAsset } from '../assets/asset.ts'
import { readManifest } from './web-files.ts'

/** Browsers revalidate at every use, and get 304 while nothing has changed. */
const REVALIDATE = 'no-cache'

/** The pages load only files of this service, and send only to it. */
const policy = (ancestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    // The preview of a mail, and the player of recordings.
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')

/** Handlers of the web interface: its pages, the same for frames of other sites, and the page for addresses that do not exist. */
export interface WebPages {
  page: RequestHandler
  frame: RequestHandler
  /** Answers a browser that asks for a page which does not exist; returns false for any other request. */
  missing(req: Request, res: Response): boolean
}

/**
 * Creates the handlers of the web interface. Every address has the same HTML; its script shows the page of the address.
 * @throws Error when the interface has not been built
 */
export function createWebPages({
  baseUrl,
  frameAncestors,
}: Pick<Config, 'baseUrl' | 'frameAncestors'>): WebPages {
  const html = createAsset(
    Buffer.from(shell(readManifest(), baseUrl)),
    'text/html; charset=utf-8',
    REVALIDATE,
  )
  const own = { 'Content-Security-Policy': policy("'none'") }
  const framed = { 'Content-Security-Policy': policy(frameAncestors) }
  return {
    page(req, res) {
      if (req.path !== '/' && req.path.endsWith('/')) res.redirect(308, withoutSlash(req))
      else if (req.path === '/' && readSessionCookie(req, baseUrl) === undefined) res.redirect(302, 'login')
      else html.serve(req, res, own)
    },
    frame(req, res) {
      if (req.path.endsWith('/')) return res.redirect(308, withoutSlash(req))
      res.removeHeader('X-Frame-Options')
      html.serve(req, res, framed)
    },
    missing(req, res) {
      const isPage = (req.method === 'GET' || req.method === 'HEAD') && wantsHtml(req)
      if (isPage) html.serve(req, res, own, 404)
      return isPage
    },
  }
}

/** Relative, so that it also works below a path of a proxy. */
const withoutSlash = ({ path, url }: Request) => `../${path.split('/').at(-2)}${url.slice(path.length)}`

/** Programs ask for any type or JSON, and read an error as JSON. */
const wantsHtml = ({ path, headers }: Request) =>
  !/^\/(api|trpc)\//.test(path) && /\btext\/html\b/.test(headers.accept ?? '')

/** All addresses are relative to the path of BASE_URL. The markup has no inline script and no inline style. */
const shell = (
  { theme, script, preload, style }: ReturnType<typeof readManifest>,
  baseUrl: string,
) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${escapeText(`${new URL(baseUrl).pathname.replace(/\/$/, '')}/`)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Analytics</title>
<link rel="icon" href="${ICON}">
<script src="web/${theme}"></script>
<link rel="stylesheet" href="web/${style}">
${preload.map(name => `<link rel="modulepreload" href="web/${name}">`).join('\n')}
<script type="module" src="web/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. Programs use the API with a token instead.</noscript>
</body>
</html>
`

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0e7490"/><path d="M7 22l6-8 5 4 7-10" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
