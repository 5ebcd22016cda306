import type { Refusals } from '../../errors.ts'
import { ENDPOINTS, type Endpoint } from '../../ingestion/edge/accept.ts'
import { KEYED_SCHEMAS } from '../../ingestion/edge/schema.ts'
import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import { jsonBody } from './requests.ts'
import type { Json, Schemas } from './schemas.ts'
import { tags } from './tags.ts'

interface DescribedEndpoint {
  method: 'get' | 'post'
  /** As Express writes it. */
  path: string
  operation: Json
}

/** The endpoints that no row of the route table serves. */
export function endpoints(schemas: Schemas): DescribedEndpoint[] {
  return [...ENDPOINTS.map(endpoint => describeIngestion(endpoint, schemas)), ...PICTURES, ...SERVICE]
}

const HITS: Record<Endpoint, { summary: string; description: string }> = {
  collect: {
    summary: 'Record a pageview',
    description: 'The answer carries the settings that the tracker script obeys.',
  },
  event: {
    summary: 'Record a custom event',
    description:
      'Under the names `outbound`, `download`, `button`, `form` and `copy` an autocapture, under `error` an error. A name that ' +
      'only the service writes is answered 202 and not recorded.',
  },
  engage: {
    summary: 'Record engagement',
    description:
      "How far a page was scrolled and how long it was looked at, since the last such ping. It belongs to the visitor's " +
      'newest pageview of the path; without one it is not recorded.',
  },
  identify: {
    summary: 'Identify a visitor',
    description:
      "Attaches a user to the visitor's active session; without one, to the visitor's next within 30 minutes.",
  },
}

function describeIngestion(endpoint: Endpoint, schemas: Schemas): DescribedEndpoint {
  const schema = schemas.convert(KEYED_SCHEMAS[endpoint], 'input')
  const { content, ...body } = jsonBody(schema, schemas.components) as { content: Record<string, Json> }
  const asText = { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  const example = JSON.stringify(content['application/json']!.example)
  const named = endpoint === 'collect' ? (['X-Tracker'] as const) : []
  return {
    method: 'post',
    path: `/api/${endpoint}`,
    operation: {
      operationId: endpoint,
      tags: [tags.ingestion!.name],
      ...HITS[endpoint],
      security: [],
      requestBody: { ...body, content: { ...content, 'text/plain': { schema: asText, example } } },
      responses: {
        202: {
          description: 'The hit is kept and will be counted; `X-Hit-Dropped` names the exceptions.',
          headers: headersOf(...RATE_HEADERS, 'X-Hit-Dropped', ...named),
        },
        ...refusalAnswers(INGESTION_REFUSALS, RATE_HEADERS),
        default: otherErrors,
      },
    },
  }
}

const INGESTION_REFUSALS: Refusals = {
  malformed_json: true,
  bad_request: 'The body breaks off or cannot be unpacked',
  not_found: 'No site has this tracking key',
  payload_too_large: true,
  unsupported_media_type: true,
  validation_failed: true,
  rate_limited: true,
  unavailable: true,
}

function describe(
  tag: keyof typeof tags,
  path: string,
  texts: { operationId: string; summary: string; description?: string },
  answer: { description: string; headers: Json; content: Json },
  options: {
    parameters?: Json[]
    refusals?: Refusals
    security?: Json[]
    others?: Record<string, Json>
  } = {},
): DescribedEndpoint {
  const { parameters, refusals = {}, security = [], others = {} } = options
  return {
    method: 'get',
    path,
    operation: {
      ...texts,
      tags: [tags[tag]!.name],
      security,
      ...(parameters && { parameters }),
      responses: { 200: answer, ...others, ...refusalAnswers(refusals), default: otherErrors },
    },
  }
}

const pathText = (name: string, description: string, example: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const image: Json = { schema: { type: 'string', contentMediaType: 'image/*' } }
const UNREADABLE = 'The path is not correctly percent-encoded'

const PICTURES = [
  describe(
    'pictures',
    '/favicons/:domain',
    {
      operationId: 'favicon',
      summary: 'Icon of a site',
      description: 'What the site serves as `/favicon.ico`, or else a letter.',
    },
    {
      description: 'PNG, ICO, JPEG, GIF or WebP as the site has it, or SVG.',
      headers: headersOf('Cache-Control'),
      content: Object.fromEntries(
        ['image/svg+xml', 'image/png', 'image/x-icon', 'image/jpeg', 'image/gif', 'image/webp'].map(type => [
          type,
          image,
        ]),
      ),
    },
    {
      parameters: [pathText('domain', "A domain that is some team's site.", 'example.com')],
      refusals: { bad_request: UNREADABLE, not_found: 'No such site', unavailable: true },
    },
  ),
  describe(
    'pictures',
    '/avatars/:file',
    {
      operationId: 'avatar',
      summary: 'Picture of a visitor',
      description: 'Made of the id: always the same.',
    },
    {
      description: 'The picture; its title is the nickname.',
      headers: headersOf('Cache-Control'),
      content: { 'image/svg+xml': image },
    },
    {
      parameters: [
        pathText('file', 'The id of the visitor and `.svg`.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.svg'),
      ],
      refusals: { bad_request: UNREADABLE, not_found: 'No such avatar' },
    },
  ),
]

const status = {
  type: 'object',
  properties: { status: { const: 'ok', description: 'Always the same.' } },
  required: ['status'],
  additionalProperties: false,
}
const healthy: Json = { 'application/json': { schema: status, example: { status: 'ok' } } }
const unchanged: Json = {
  description: 'Nothing changed since the `If-None-Match`.',
  headers: headersOf('ETag', 'Cache-Control'),
}

const SERVICE = [
  describe(
    'service',
    '/js/script.js',
    {
      operationId: 'trackerScript',
      summary: 'Tracker script',
      description:
        'For the pages of a site: `<script defer src="…/js/script.js" data-key="TRACKING_KEY"></script>`.',
    },
    {
      description: 'The script.',
      headers: headersOf('ETag', 'Cache-Control'),
      content: { 'text/javascript': { schema: { type: 'string' } } },
    },
    { others: { 304: unchanged } },
  ),
  describe(
    'service',
    '/healthz',
    { operationId: 'healthz', summary: 'Whether the process serves' },
    { description: 'It does.', headers: headersOf(), content: healthy },
  ),
  describe(
    'service',
    '/readyz',
    { operationId: 'readyz', summary: 'Whether database and Redis answer' },
    { description: 'Both do.', headers: headersOf(), content: healthy },
    { refusals: { unavailable: 'Not ready: database and redis' } },
  ),
  describe(
    'service',
    '/metrics',
    {
      operationId: 'metrics',
      summary: 'Metrics of the whole cluster',
      description: 'For whoever has `METRICS_TOKEN`; without that setting, for this machine only.',
    },
    {
      description: 'Prometheus text.',
      headers: headersOf(),
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
    {
      security: [{}, { metricsToken: [] }],
      refusals: {
        unauthenticated: 'Send the metrics token',
        forbidden: 'Metrics are answered on this machine only',
        unavailable: true,
      },
    },
  ),
]
