import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Config, projectRoot } from '../../platform/config/config.ts'
import { AppError } from '../../platform/errors.ts'
import { errorAnswer } from '../error-answer.ts'
import { requestIdFrom } from '../request-id.ts'
import { type Asset, createAsset } from './asset.ts'

const ALLOW = 'GET, HEAD, OPTIONS'

/** `script` loads the others: `vitals` on sites that record Web Vitals, `replay` on those that record sessions. */
const NAMES = ['script', 'vitals', 'replay'] as const

/**
 * Creates the handler of the tracker scripts, such as `/js/script.js`, and under the alias. The scripts are read and
 * compressed once, and answered before Express, like the hits that they send.
 * @throws Error when a script has not been built
 */
export function createTrackerScript({ trackerPath }: Pick<Config, 'trackerPath'>) {
  const folders = ['/js', ...(trackerPath ? [trackerPath] : [])]
  const scripts = new Map<string, Asset>(
    NAMES.flatMap(name => {
      const script = readScript(name)
      return folders.map(folder => [`${folder}/${name}.js`, script] as const)
    }),
  )
  const shared = {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  }

  return {
    /** Answers a request for a script; returns false for any other path. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      const script = scripts.get(request.url!.split('?', 1)[0]!)
      if (!script) return false
      const requestId = requestIdFrom(request.headers['x-request-id'])
      const headers = { ...shared, 'X-Request-Id': requestId }
      if (request.method === 'GET' || request.method === 'HEAD') {
        script.serve(request, response, headers)
      } else if (request.method === 'OPTIONS') {
        response.writeHead(204, { ...headers, Allow: ALLOW, 'Access-Control-Allow-Methods': ALLOW }).end()
      } else {
        const error = new AppError('method_not_allowed', `This route answers ${ALLOW}`)
        const { status, body } = errorAnswer(error, requestId)
        response.writeHead(status, {
          ...headers,
          Allow: ALLOW,
          'Content-Type': 'application/json; charset=utf-8',
        })
        response.end(JSON.stringify(body))
      }
      return true
    },
  }
}

function readScript(name: (typeof NAMES)[number]): Asset {
  const file = join(projectRoot, 'dist', 'tracker', `${name}.js`)
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`node scripts/build.js\``)
  // A page may use a stale script instead of waiting. After a new version, browsers fetch it again within an hour.
  const cacheControl = 'public, max-age=3600, stale-while-revalidate=86400'
  return createAsset(readFileSync(file), 'text/javascript; charset=utf-8', cacheControl)
}
