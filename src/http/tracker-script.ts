import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Config, projectRoot } from '../config.ts'
import { AppError } from '../errors.ts'
import { createAsset } from './asset.ts'
import { errorAnswer } from './error-answer.ts'
import { requestIdFrom } from './request-id.ts'

const ALLOW = 'GET, HEAD, OPTIONS'

/**
 * The tracker at `/js/script.js`, and under the alias: read and compressed once, answered before Express, like the hits it sends.
 * @throws when it has not been built
 */
export function createTrackerScript({ trackerPath }: Pick<Config, 'trackerPath'>) {
  const paths = ['/js/script.js', ...(trackerPath ? [`${trackerPath}/script.js`] : [])]
  const plain = readFileSync(join(projectRoot, 'dist', 'tracker', 'script.js'))
  // Stale for a moment rather than slow: pages load it again within the hour that follows a new version.
  const cacheControl = 'public, max-age=3600, stale-while-revalidate=86400'
  const script = createAsset(plain, 'text/javascript; charset=utf-8', cacheControl)
  const shared = {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  }

  return {
    /** Answers a request for the script; false when it is for something else. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      if (!paths.includes(request.url!.split('?', 1)[0]!)) return false
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
