import { ENDPOINTS, type Endpoint } from '../../ingestion/edge/accept.ts'
import { KEYED_SCHEMAS } from '../../ingestion/edge/hit-schema.ts'
import type { Refusals } from '../../platform/errors.ts'
import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import type { DescribedEndpoint } from './other-endpoints.ts'
import { jsonBody } from './requests.ts'
import type { Json, Schemas } from './schemas.ts'
import { tags } from './tags.ts'

/** Describes the endpoints that receive hits. */
export const describeIngestion = (schemas: Schemas): DescribedEndpoint[] =>
  ENDPOINTS.map(endpoint => describeEndpoint(endpoint, schemas))

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
  'web-vitals': {
    summary: 'Record Web Vitals',
    description:
      "How fast a page was. It belongs to the visitor's newest pageview of the path; without one it is not recorded. A later " +
      'report of the same visitor with the same id replaces the one before.',
  },
  identify: {
    summary: 'Identify a visitor',
    description:
      "Attaches a user to the visitor's active session; without one, to the visitor's next within 30 minutes.",
  },
}

function describeEndpoint(endpoint: Endpoint, schemas: Schemas): DescribedEndpoint {
  const schema = schemas.convert(KEYED_SCHEMAS[endpoint], 'input')
  const { content, ...body } = jsonBody(schema, schemas.components) as { content: Record<string, Json> }
  const asText = { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  const example = JSON.stringify(content['application/json']!.example)
  const named = endpoint === 'collect' ? (['X-Tracker'] as const) : []
  return {
    method: 'post',
    path: `/api/${endpoint}`,
    operation: {
      operationId: endpoint === 'web-vitals' ? 'reportWebVitals' : endpoint,
      tags: [tags.ingestion!.name],
      ...HITS[endpoint],
      security: [],
      requestBody: { ...body, content: { ...content, 'text/plain': { schema: asText, example } } },
      responses: {
        202: {
          description: 'The hit is kept and will be counted; `X-Hit-Dropped` names the exceptions.',
          headers: headersOf(...RATE_HEADERS, 'X-Hit-Dropped', ...named),
        },
        ...refusalAnswers(REFUSALS, RATE_HEADERS),
        default: otherErrors,
      },
    },
  }
}

const REFUSALS: Refusals = {
  malformed_json: true,
  bad_request: 'The body breaks off or cannot be unpacked',
  not_found: 'No site has this tracking key',
  payload_too_large: 'The body is larger than 256 KiB, or is compressed and unpacks to more than 64 KiB',
  unsupported_media_type: true,
  validation_failed: true,
  rate_limited: true,
  unavailable: true,
}
