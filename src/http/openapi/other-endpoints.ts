import { SSO_ERRORS } from '../../access/accounts/single-sign-on/refusal.ts'
import type { Refusals } from '../../platform/errors.ts'
import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import type { Json } from './schemas.ts'
import { tags } from './tags.ts'

/** Endpoint that is no procedure. */
export interface DescribedEndpoint {
  method: 'get' | 'post'
  /** In the syntax of Express, with `:name` for parameters. */
  path: string
  operation: Json
}

interface Get {
  operationId: string
  summary: string
  description?: string
  parameters?: Json[]
  answer: { description: string; headers: Json; content: Json }
  others?: Record<string, Json>
  refusals?: Refusals
  security?: Json[]
}

/** Describes a GET whose only fields are in its path, and which needs no token unless `security` says so. */
const describeGet = (
  tag: keyof typeof tags,
  path: string,
  { answer, others, refusals = {}, ...operation }: Get,
): DescribedEndpoint => ({
  method: 'get',
  path,
  operation: {
    tags: [tags[tag]!.name],
    security: [],
    ...operation,
    responses: {
      200: answer,
      ...others,
      ...refusalAnswers(refusals, refusals.rate_limited ? RATE_HEADERS : []),
      default: otherErrors,
    },
  },
})

/** Describes a text in the path. */
export const pathText = (name: string, description: string, example: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const image: Json = { schema: { type: 'string', contentMediaType: 'image/*' } }
/** Possible content types. The service makes all SVG itself; fetched pictures have the other types. */
const ANY_IMAGE = Object.fromEntries(
  ['image/svg+xml', 'image/png', 'image/x-icon', 'image/jpeg', 'image/gif', 'image/webp'].map(type => [
    type,
    image,
  ]),
)
const UNREADABLE = 'The path is not correctly percent-encoded'

/** Endpoints of images that pages of any origin may show. */
export const PICTURES = [
  describeGet('pictures', '/favicons/:domain', {
    operationId: 'favicon',
    summary: 'Icon of a site',
    description: 'What the site serves as `/favicon.ico`, or else a letter.',
    parameters: [pathText('domain', "A domain that is some team's site.", 'example.com')],
    answer: {
      description: 'PNG, ICO, JPEG, GIF or WebP as the site has it, or SVG.',
      headers: headersOf('Cache-Control', ...RATE_HEADERS),
      content: ANY_IMAGE,
    },
    refusals: { bad_request: UNREADABLE, not_found: 'No such site', rate_limited: true, unavailable: true },
  }),
  describeGet('pictures', '/avatars/:file', {
    operationId: 'avatar',
    summary: 'Picture of a visitor',
    description: 'A fixed value that is made from the id.',
    parameters: [
      pathText('file', 'The id of the visitor and `.svg`.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.svg'),
    ],
    answer: {
      description: 'The picture; its title is the nickname.',
      headers: headersOf('Cache-Control'),
      content: { 'image/svg+xml': image },
    },
    refusals: { bad_request: UNREADABLE, not_found: 'No such avatar' },
  }),
  describeGet('pictures', '/avatars/:visitor/:picture', {
    operationId: 'identityPicture',
    summary: 'Picture of an identified user',
    description:
      'The `avatar` that was sent with identify, fetched by the service. Only the service can make such addresses: they stand ' +
      'in `avatar_url` of the log of events.',
    parameters: [
      pathText('visitor', 'The id of the visitor.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90'),
      pathText('picture', 'What the service put there.', 'AWm0T3xvHq1nYw0d4m2kqjY1uXw3bqZ9cRkqgQ'),
    ],
    answer: {
      description: 'PNG, ICO, JPEG, GIF or WebP, or SVG made of the id where there is none of these.',
      headers: headersOf('Cache-Control', ...RATE_HEADERS),
      content: ANY_IMAGE,
    },
    refusals: { bad_request: UNREADABLE, not_found: 'No such avatar', rate_limited: true, unavailable: true },
  }),
]

const queryText = (name: string, description: string, example: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
  example,
})

/** Describes a GET that leads a browser on to another address. */
const describeRedirect = (
  path: string,
  operation: { operationId: string; summary: string; description: string; parameters: Json[] },
  answer: string,
  refusals: Refusals,
): DescribedEndpoint => ({
  method: 'get',
  path,
  operation: {
    tags: [tags.identities!.name],
    security: [],
    ...operation,
    responses: {
      302: { description: answer, headers: headersOf(...RATE_HEADERS, 'Location') },
      ...refusalAnswers(
        { not_found: 'Single sign-on is not set up in this service', rate_limited: true, ...refusals },
        RATE_HEADERS,
      ),
      default: otherErrors,
    },
  },
})

/** Addresses of single sign-on that browsers visit. */
export const SINGLE_SIGN_ON = [
  describeRedirect(
    '/api/auth/oidc/start',
    {
      operationId: 'identitiesVisitStart',
      summary: 'Go to the provider of single sign-on',
      description: 'For a plain link or button. The browser gets a cookie that the way back needs.',
      parameters: [
        queryText('return_to', 'Path of this service to go to afterwards; `/` when left out.', '/'),
        queryText(
          'again',
          '`true`: the provider asks the person again, also when they are signed in there.',
          'true',
        ),
      ],
    },
    'To the provider.',
    {
      validation_failed: true,
      unavailable: 'The provider of single sign-on cannot be reached; try again shortly',
    },
  ),
  describeRedirect(
    '/api/auth/oidc/callback',
    {
      operationId: 'identitiesCallback',
      summary: 'Come back from the provider of single sign-on',
      description: `Not to be called by hand: this is the redirect URI to set at the provider. A failure leads to \`/login#error=\` with one of: ${Object.entries(
        SSO_ERRORS,
      )
        .map(([code, text]) => `\`${code}\` (${text})`)
        .join(', ')}.`,
      parameters: [
        queryText('code', 'Of the provider.', 'SplxlOBeZQQYbYS6WxSbIA'),
        queryText('state', 'What the service has sent to the provider.', 'af0ifjsldkj'),
      ],
    },
    'To the page that was asked for at the start, with the cookie of a session; after a failure to `/login`.',
    { unavailable: true },
  ),
]

const status = {
  type: 'object',
  properties: { status: { const: 'ok', description: 'A fixed value.' } },
  required: ['status'],
  additionalProperties: false,
}
const healthy: Json = { 'application/json': { schema: status, example: { status: 'ok' } } }
const text: Json = { schema: { type: 'string' } }

const describeScript = (
  path: string,
  about: { operationId: string; summary: string; description: string },
): DescribedEndpoint =>
  describeGet('service', path, {
    ...about,
    answer: {
      description: 'The script.',
      headers: headersOf('ETag', 'Cache-Control'),
      content: { 'text/javascript': text },
    },
    others: {
      304: {
        description: 'Nothing changed since the `If-None-Match`.',
        headers: headersOf('ETag', 'Cache-Control'),
      },
    },
  })

/** Endpoints for health and metrics, and the tracker scripts. */
export const SERVICE = [
  describeScript('/js/script.js', {
    operationId: 'trackerScript',
    summary: 'Tracker script',
    description:
      'For the pages of a site: `<script defer src="…/js/script.js" data-key="TRACKING_KEY"></script>`.',
  }),
  describeScript('/js/vitals.js', {
    operationId: 'vitalsScript',
    summary: 'Script that measures Web Vitals',
    description: 'The tracker script loads it on sites that have `track_web_vitals`.',
  }),
  describeScript('/js/replay.js', {
    operationId: 'replayScript',
    summary: 'Script that records sessions',
    description: 'The tracker script loads it on sites that have `track_session_replay`.',
  }),
  describeGet('service', '/healthz', {
    operationId: 'healthz',
    summary: 'Whether the process serves',
    answer: { description: 'It does.', headers: headersOf(), content: healthy },
  }),
  describeGet('service', '/readyz', {
    operationId: 'readyz',
    summary: 'Whether database and Redis answer',
    answer: { description: 'Both do.', headers: headersOf(), content: healthy },
    refusals: { unavailable: 'Not ready: database and redis' },
  }),
  describeGet('service', '/metrics', {
    operationId: 'metrics',
    summary: 'Metrics of the whole cluster',
    description: 'Needs `METRICS_TOKEN`; without that setting, only this machine gets an answer.',
    security: [{}, { metricsToken: [] }],
    answer: { description: 'Prometheus text.', headers: headersOf(), content: { 'text/plain': text } },
    refusals: {
      unauthenticated: 'Send the metrics token',
      forbidden: 'Metrics are answered on this machine only',
      unavailable: true,
    },
  }),
]
