import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { createFavicons, type Favicons } from '../access/sites/favicons.ts'
import { AppError } from '../platform/errors.ts'
import type { MetricsExchange } from '../platform/redis/metrics-exchange.ts'
import { asAppError } from '../platform/runtime/failures.ts'
import type { Log } from '../platform/runtime/log.ts'
import type { Services } from '../platform/services.ts'
import { createIdentityPictures, type IdentityPictures } from '../stats/identity/identity-pictures.ts'
import { restHandler } from './api/rest.ts'
import { type Route, routes } from './api/routes.ts'
import { siteExport } from './api/site-export.ts'
import { trpcEndpoint } from './api/trpc.ts'
import { avatar, favicon, identityPicture } from './assets/images.ts'
import { createReference } from './assets/reference.ts'
import { discardBody } from './body.ts'
import { errorAnswer, logFailure } from './error-answer.ts'
import { healthz, readyz } from './health.ts'
import { mcpEndpoint } from './mcp/endpoint.ts'
import { metricsEndpoint } from './metrics.ts'
import { oneClickUnsubscribe } from './one-click.ts'
import { processorWebhook } from './processor-webhook.ts'
import { reportPreview } from './report-preview.ts'
import { givenRequestId, requestIdFrom } from './request-id.ts'
import { endSignIn, startSignIn } from './single-sign-on.ts'
import { FRAME_PATH, PAGE_PATHS, REPLAY_FRAME_PATH, UNSUBSCRIBE_PATH } from './web/page-paths.ts'
import { createReplayFrame } from './web/replay-frame.ts'
import { createWebFiles } from './web/web-files.ts'
import { createWebPages, type WebPages } from './web/web-pages.ts'

/** Creates the app for everything except the ingestion paths and the tracker script, which are answered before Express. */
export function createApp(
  services: Services,
  exchange: MetricsExchange,
  favicons: Favicons = createFavicons(services.db, services.now),
  pictures: IdentityPictures = createIdentityPictures(services.db, services.config.secretKey, services.now),
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.set('trust proxy', services.config.trustProxy)
  app.enable('case sensitive routing')

  app.use(identify, requestLog(services), secure(services.config))
  mount(app, '/healthz', { get: healthz })
  mount(app, '/readyz', { get: readyz(services) })
  mount(app, '/metrics', { get: metricsEndpoint(services, exchange) })
  mount(app, '/favicons/:domain', { get: favicon(services, favicons) as RequestHandler })
  mount(app, '/avatars/:file', { get: avatar as RequestHandler })
  mount(app, '/avatars/:visitor/:picture', { get: identityPicture(services, pictures) as RequestHandler })
  mount(app, '/api/processor/webhook/:siteId', { post: processorWebhook(services) })
  mount(app, '/api/sites/:siteKey/reports/preview.html', { get: reportPreview(services) })
  mount(app, '/api/auth/oidc/callback', { get: endSignIn(services) })
  mount(app, '/api/sites/:siteKey/export', {
    get: siteExport(services, 'hits', ['from', 'to', 'format', 'csv_delimiter']),
  })
  mount(app, '/api/sites/:siteKey/export/:kind', { get: siteExport(services, 'rows', []) })
  const reference = createReference(services.config.baseUrl)
  mount(app, '/api/openapi.json', { get: reference.document })
  mount(app, '/docs', { get: reference.page })
  mount(app, '/docs/redoc.js', { get: reference.script })
  const pages = createWebPages(services.config)
  for (const path of PAGE_PATHS) mount(app, path, { get: pages.page })
  mount(app, UNSUBSCRIBE_PATH, { get: pages.page, post: oneClickUnsubscribe(services) })
  mount(app, FRAME_PATH, { get: pages.frame })
  mount(app, REPLAY_FRAME_PATH, { get: createReplayFrame() })
  mount(app, '/web/:file', { get: createWebFiles() })
  for (const [path, handlers] of restHandlers(services)) mount(app, path, handlers)
  app.all('/trpc/:procedures', trpcEndpoint(services))
  mount(app, '/mcp', { post: mcpEndpoint(services) })
  app.use((req, res) => {
    if (!pages.missing(req, res)) throw new AppError('not_found', 'No such route')
  })
  app.use(answerError(services.log, pages))
  return app
}

/** Logs one line per request, with the pattern of the route instead of the path: paths contain domains and ids. */
function requestLog({ log, metrics }: Pick<Services, 'log' | 'metrics'>): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const ms = performance.now() - startedAt
      const request = {
        method: req.method,
        route: (req.route as { path: string } | undefined)?.path ?? 'none',
        status: res.statusCode,
      }
      metrics.requests.observe(request, ms / 1000)
      log.info(
        {
          requestId: givenRequestId(res),
          ...request,
          ms: Math.round(ms * 10) / 10,
          ...(!res.writableFinished && { aborted: true }),
        },
        'request',
      )
    })
    next()
  }
}

const identify: RequestHandler = (req, res, next) => {
  res.locals.requestId = requestIdFrom(req.headers['x-request-id'])
  res.setHeader('X-Request-Id', givenRequestId(res))
  res.setHeader('Cache-Control', 'no-store')
  res.once('prefinish', () => discardBody(req))
  next()
}

const secure = ({ baseUrl }: Services['config']) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // HSTS is the decision of the proxy that terminates TLS: it also applies to other hosts of the domain.
    strictTransportSecurity: false,
    // Over http, browsers ignore it and report it as an error in the console of each page.
    crossOriginOpenerPolicy: baseUrl.startsWith('https:'),
  })

type Handlers = Partial<Record<Route['method'], RequestHandler>>

/** Serves the methods of a path. OPTIONS lists them; every other method is answered 405. */
function mount(app: Express, path: string, handlers: Handlers): void {
  const methods = Object.keys(handlers).map(method => method.toUpperCase())
  const allow = [...methods, ...(handlers.get ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const route = app.route(path)
  for (const [method, handler] of Object.entries(handlers)) route[method as Route['method']](handler)
  route.options((_req, res) => {
    res.status(204).setHeader('Allow', allow).end()
  })
  route.all((_req, res) => {
    res.setHeader('Allow', allow)
    throw new AppError('method_not_allowed', `This route answers ${allow}`)
  })
}

function restHandlers(services: Services): Map<string, Handlers> {
  // The same path has a procedure, too.
  const paths = new Map<string, Handlers>([['/api/auth/oidc/start', { get: startSignIn(services) }]])
  for (const route of routes) {
    paths.set(route.path, { ...paths.get(route.path), [route.method]: restHandler(services, route) })
  }
  return paths
}

function answerError(log: Log, pages: Pick<WebPages, 'missing'>): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error, req, res, _next) => {
    // Express throws a URIError when it cannot decode a part of the path.
    if (error instanceof URIError && pages.missing(req, res)) return
    const known =
      error instanceof URIError
        ? new AppError('bad_request', 'The path is not correctly percent-encoded')
        : asAppError(error)
    const requestId = givenRequestId(res)
    logFailure(log, known, requestId)
    if (res.headersSent) {
      res.destroy()
      return
    }
    const { status, headers, body } = errorAnswer(known, requestId)
    res.status(status).set(headers).json(body)
  }
}
