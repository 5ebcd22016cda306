import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { type Config, projectRoot } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { readSessionCookie } from '../api/browser.ts'
import { type Asset, createAsset } from '../assets/asset.ts'

/** Browsers revalidate at every use, and get 304 while nothing has changed. */
const REVALIDATE = 'no-cache'

/** The pages load only their own script and style, and send only to this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const folder = join(projectRoot, 'src', 'http', 'pages')

/** Addresses of the pages. The script shows what belongs to the address. */
export const PAGES = ['/', '/login', '/setup', '/reset', '/invite', '/share/:site']

/** Creates the handlers of the pages with which people sign in, and of their script and style. */
export function createPages({ baseUrl }: Pick<Config, 'baseUrl'>): Record<'page' | 'file', RequestHandler> {
  const html = readFileSync(join(folder, 'page.html'), 'utf8')
  const pageOf = (markup: string) => createAsset(Buffer.from(markup), 'text/html; charset=utf-8', REVALIDATE)
  const page = pageOf(html)
  const pageBelow = pageOf(html.replaceAll('"pages/', '"../pages/'))
  const style = createAsset(readFileSync(join(folder, 'style.css')), 'text/css; charset=utf-8', REVALIDATE)
  const files = new Map<string, Asset>([['style.css', style]])
  for (const name of readdirSync(join(folder, 'script'))) {
    const script = readFileSync(join(folder, 'script', name))
    files.set(name, createAsset(script, 'text/javascript; charset=utf-8', REVALIDATE))
  }
  return {
    page(req, res) {
      // Addresses are relative, so that the pages work below a path of a proxy. A trailing slash would break them.
      if (req.path !== '/' && req.path.endsWith('/')) res.redirect(308, `../${req.path.split('/').at(-2)}`)
      else if (req.path === '/' && readSessionCookie(req, baseUrl) === undefined) res.redirect(302, 'login')
      else
        (req.params.site === undefined ? page : pageBelow).serve(req, res, {
          'Content-Security-Policy': POLICY,
        })
    },
    file(req, res) {
      const file = files.get(String(req.params.file))
      if (!file) throw new AppError('not_found', 'No such route')
      file.serve(req, res)
    },
  }
}
