import { headersOf } from './answers.ts'
import { describeGet } from './described-endpoint.ts'
import type { Json } from './schemas.ts'

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

/** Endpoints for health and metrics, and the tracker script. */
export const SERVICE = [
  describeGet(
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
  describeGet(
    'service',
    '/healthz',
    { operationId: 'healthz', summary: 'Whether the process serves' },
    { description: 'It does.', headers: headersOf(), content: healthy },
  ),
  describeGet(
    'service',
    '/readyz',
    { operationId: 'readyz', summary: 'Whether database and Redis answer' },
    { description: 'Both do.', headers: headersOf(), content: healthy },
    { refusals: { unavailable: 'Not ready: database and redis' } },
  ),
  describeGet(
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
