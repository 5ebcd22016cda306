import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import { type DescribedEndpoint, pathText } from './other-endpoints.ts'
import type { Json } from './schemas.ts'
import { tags } from './tags.ts'

const event: Json = {
  type: 'object',
  description: "An event of the processor: its shape is the processor's.",
  properties: {
    id: { type: 'string', description: 'By which an event is taken once.', examples: ['evt_1042'] },
    type: { type: 'string', description: 'What happened.', examples: ['invoice.paid'] },
    created: { type: 'integer', description: 'When, in Unix seconds.', examples: [1774777267] },
    data: { type: 'object', description: 'What it happened to.' },
  },
  required: ['id', 'type', 'created', 'data'],
}

const received: Json = {
  type: 'object',
  properties: {
    received: { const: true, description: 'The event is stored, or its type is ignored.' },
  },
  required: ['received'],
  additionalProperties: false,
}

/** Endpoint that a payment processor calls. */
export const WEBHOOK: DescribedEndpoint = {
  method: 'post',
  path: '/api/processor/webhook/:siteId',
  operation: {
    operationId: 'processorWebhook',
    tags: [tags.processor!.name],
    summary: 'Take an event of the payment processor',
    description:
      'For Stripe, not to be called by hand. Each event is taken once, in whatever order events come; after any 5xx the processor ' +
      'sends it again. The limit counts signed calls by site, and all others by the address they come from.',
    security: [],
    parameters: [
      {
        ...pathText('siteId', 'Id of the site.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90'),
        schema: { type: 'string', format: 'uuid' },
      },
      {
        name: 'Stripe-Signature',
        in: 'header',
        required: true,
        description: 'Made of the body as it is and the secret of the webhook, at most 300 seconds ago.',
        schema: { type: 'string' },
        example: 't=1774777267,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: event,
          example: {
            id: 'evt_1042',
            type: 'invoice.paid',
            created: 1774777267,
            data: { object: { id: 'in_1042', object: 'invoice' } },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The event is stored, or its type is ignored.',
        headers: headersOf(...RATE_HEADERS),
        content: { 'application/json': { schema: received, example: { received: true } } },
      },
      ...refusalAnswers(
        {
          bad_signature: 'The signature does not fit the body, the secret or the time',
          malformed_json: true,
          bad_request: true,
          not_found: 'No payment processor is connected to this site',
          payload_too_large: 'The body is larger than 1 MiB',
          unsupported_media_type: true,
          validation_failed: 'The event is not one that this version can read',
          rate_limited: true,
          unavailable: true,
        },
        RATE_HEADERS,
      ),
      default: otherErrors,
    },
  },
}
