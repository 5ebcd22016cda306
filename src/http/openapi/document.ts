import { VERSION } from '../../platform/config/config.ts'
import type { Refusals } from '../../platform/errors.ts'
import { scopesOf } from '../../trpc/meta.ts'
import { sessionCookieName } from '../api/browser.ts'
import { headerOf } from '../api/csv/columns.ts'
import { csvListOf } from '../api/csv/send.ts'
import { type Route, routes } from '../api/routes.ts'
import { errorSchemas, headers, headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import { csvDelimiter } from './csv-delimiter.ts'
import { SITE_EXPORT } from './export-endpoints.ts'
import { describeIngestion } from './ingestion.ts'
import { PICTURES, SERVICE, SINGLE_SIGN_ON } from './other-endpoints.ts'
import { WEBHOOK } from './processor-events.ts'
import { describeReplay } from './replay.ts'
import { requestOf } from './requests.ts'
import { createSchemas, exampleOf, type Json, type Schemas } from './schemas.ts'
import { shareParts } from './shared-parts.ts'
import { tags } from './tags.ts'

/**
 * Returns the OpenAPI 3.1 document of the service: the procedures, described by their meta data and schemas, and the endpoints
 * that are no procedures.
 */
export function describeApi(baseUrl: string): Json {
  const schemas = createSchemas()
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, operation: Json) => {
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method]: operation }
  }
  const others = [
    ...describeIngestion(schemas),
    describeReplay(schemas),
    WEBHOOK,
    ...SITE_EXPORT,
    ...SINGLE_SIGN_ON,
    ...PICTURES,
    ...SERVICE,
  ]
  for (const { path, method, operation } of others) add(path, method, operation)
  for (const route of routes) add(route.path, route.method, describeRoute(route, schemas))
  const { parameters, responses, ...shared } = shareParts(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Web analytics API',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.values(tags),
    paths: shared.paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A personal access token: `Authorization: Bearer wa_…`. It acts in one team with the role of its user.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(baseUrl),
          description:
            'The session of a person who is signed in with a browser. `X-Team` names the team in which they act, by its id; without it, ' +
            'the team they joined first. What is not GET or HEAD passes only with `Sec-Fetch-Site: same-origin`, or with the `Origin` ' +
            'of this service where that header is missing.',
        },
        share: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The secret of a share (`wsh_…`) or what opening one gives (`wsa_…`). It reads one site, as far as the share shows it. ' +
            'Without any credentials, a public site can be read.',
        },
        metricsToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The setting `METRICS_TOKEN` of the service.',
        },
      },
      schemas: sorted({ ...errorSchemas, ...schemas.components }),
      parameters,
      responses: sorted(responses),
      headers,
    },
  }
}

const INTRODUCTION = `Web analytics and revenue attribution: sites and their settings, hits, and exact numbers.

Timestamps are ISO 8601, ids are UUIDs, money is an integer in minor units. A \`{siteKey}\` is the id or the domain of a site of
the token's team. Unknown fields of a body are ignored; unknown query parameters are ignored and named in
\`X-Ignored-Parameters\`. Every list is a file with \`Accept: text/csv\`: all of its rows, up to 1,000,000, or with \`page\` that page.

Every error has the same shape, with a \`code\` for programs. Every answer has an \`X-Request-Id\`. Endpoints with a limit
say what is left in \`X-RateLimit-*\`; over it, and when the service cannot take a request now, \`Retry-After\` says when to try again.`

function describeRoute(route: Route, schemas: Schemas): Json {
  const { summary, description, answer } = route
  const [group, name] = route.procedure.split('.') as [string, string]
  const request = requestOf(
    route,
    route.inputs.map(input => schemas.convert(input, 'input')),
    schemas.components,
  )
  const success = {
    headers: headersOf(
      ...RATE_HEADERS,
      'X-Ignored-Parameters',
      ...(group === 'stats' ? (['X-Details-From'] as const) : []),
      ...(route.location ? (['Location'] as const) : []),
    ),
    ...(route.ok !== 204 && {
      content: { ...jsonAnswer(schemas.convert(route.output, 'output'), schemas), ...csvAnswer(route) },
    }),
  }
  return {
    operationId: group + name.charAt(0).toUpperCase() + name.slice(1),
    tags: [tags[group]?.name ?? group],
    ...(route.isOpen && { security: [] }),
    ...(route.isPersonal && { security: [{ session: [] }] }),
    ...(route.isShared && { security: [{ token: [] }, { session: [] }, { share: [] }, {}] }),
    summary,
    ...(description !== undefined && { description }),
    ...request,
    ...(csvListOf(route) && { parameters: [...(request.parameters ?? []), csvDelimiter] }),
    responses: {
      ...(route.existing !== undefined && {
        [route.existing]: { ...success, description: 'It was there already, and stays as it was.' },
      }),
      [route.ok]: { ...success, description: answer ?? 'Done.' },
      ...refusalAnswers(
        { ...requestRefusals(route, request), ...route.refusals, ...scopeRefusal(route) },
        [...RATE_HEADERS, 'X-Ignored-Parameters'],
        route,
      ),
      default: otherErrors,
    },
  }
}

const jsonAnswer = (schema: Json, { components }: Schemas): Json => ({
  'application/json': { schema, example: exampleOf(schema, components) },
})

const csvAnswer = (route: Route): Json => {
  const list = csvListOf(route)
  if (!list) return {}
  const description = 'With `Accept: text/csv`: the whole list, or with `page` that page.'
  return { 'text/csv': { schema: { type: 'string', description }, example: headerOf(list.columns) } }
}

/** Returns the refusal of a token without the scope, beside what else the procedure refuses with the same code. */
function scopeRefusal(route: Route): Refusals {
  const { isScoped, type, refusals } = route
  if (!isScoped) return {}
  const needed = scopesOf(type, route).map(scope => `\`${scope}\``)
  const lacks =
    needed.length === 1
      ? `the token lacks the scope ${needed[0]}`
      : `the token lacks one of the scopes ${needed.join(' and ')}`
  return {
    forbidden:
      typeof refusals.forbidden === 'string'
        ? `${refusals.forbidden}; or ${lacks}`
        : `${lacks.charAt(0).toUpperCase()}${lacks.slice(1)}`,
  }
}

/** Returns the refusals that are possible when the input of a procedure is read. Every request except a GET may have a body. */
function requestRefusals(route: Route, { parameters = [] }: { parameters?: Json[] }): Refusals {
  if (route.method === 'get') {
    return {
      ...(route.path.includes(':') && { bad_request: 'The path is not correctly percent-encoded' }),
      ...(parameters.some(each => each.in === 'query') && { validation_failed: true }),
    }
  }
  // Without an input, the body is not read.
  if (route.inputs.length === 0) return {}
  if (route.rawBody) {
    return {
      payload_too_large: `The body is larger than ${route.rawBody / 1024} KiB`,
      unsupported_media_type: 'The body has a content encoding',
      validation_failed: true,
    }
  }
  return {
    malformed_json: true,
    bad_request: true,
    payload_too_large: true,
    unsupported_media_type: true,
    validation_failed: true,
  }
}

const sorted = (record: Record<string, Json>) =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
