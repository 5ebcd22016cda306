import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import type { DescribedEndpoint } from './described-endpoint.ts'
import type { Json } from './schemas.ts'
import { tags } from './tags.ts'

const received = {
  type: 'object',
  properties: { received: { const: true, description: 'Always the same.' } },
  required: ['received'],
  additionalProperties: false,
}

const event = {
  type: 'object',
  description: "Stripe's event, of any of its API versions.",
  properties: {
    id: { type: 'string', description: 'By which it is taken once.', maxLength: 255 },
    type: {
      type: 'string',
      description: 'What happened; one that means nothing here is taken and forgotten.',
    },
    created: { type: 'integer', description: 'When, in Unix seconds.', minimum: 0 },
    data: {
      type: 'object',
      description: 'What it is about, as it was then.',
      properties: { object: { type: 'object', description: 'One of the objects of Stripe.' } },
      required: ['object'],
    },
  },
  required: ['id', 'type', 'created', 'data'],
}

const example: Json = {
  id: 'evt_1PzKQzsGu',
  object: 'event',
  type: 'payout.paid',
  created: 1_767_268_800,
  data: { object: { id: 'po_1PzKQzsGu', object: 'payout' } },
}

const parameters: Json[] = [
  {
    name: 'siteId',
    in: 'path',
    required: true,
    description: 'Id of the site.',
    schema: { type: 'string', format: 'uuid' },
    example: '0b3f1a6e-4f0e-4b8a-9c0d-2f6f1d7c8e55',
  },
  {
    name: 'Stripe-Signature',
    in: 'header',
    required: true,
    description: "Made of the body as it is and the webhook's secret; holds for 300 seconds.",
    schema: { type: 'string' },
    example: 't=1767268800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  },
]

/** What the payment processor calls. */
export const WEBHOOK: DescribedEndpoint[] = [
  {
    method: 'post',
    path: '/api/processor/webhook/:siteId',
    operation: {
      operationId: 'processorWebhook',
      tags: [tags.processor!.name],
      summary: 'Take an event of the payment processor',
      description:
        'For Stripe alone. An event may come in any order and any number of times; all that it changes is changed once and at ' +
        'once, or the answer is an error and Stripe sends it again.',
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema: event, example } } },
      responses: {
        200: {
          description: 'Taken, now or before.',
          headers: headersOf(...RATE_HEADERS),
          content: { 'application/json': { schema: received, example: { received: true } } },
        },
        ...refusalAnswers(
          {
            malformed_json: true,
            bad_signature: true,
            bad_request: true,
            not_found: 'There is no such site, or no payment processor is connected to it',
            payload_too_large: 'The body is larger than 1 MiB, as it comes or unpacked',
            unsupported_media_type: true,
            validation_failed: 'It is signed, but cannot be read; errors names each field',
            rate_limited: true,
            unavailable: true,
          },
          RATE_HEADERS,
        ),
        default: otherErrors,
      },
    },
  },
]
