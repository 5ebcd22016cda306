import { HIT_FORMATS, HIT_TYPES } from '../../outgoing/transfer/export/export-hits.ts'
import { ROW_KINDS } from '../../outgoing/transfer/export/schema.ts'
import type { Refusals } from '../../platform/errors.ts'
import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import { csvDelimiter } from './csv-delimiter.ts'
import { type DescribedEndpoint, pathText } from './other-endpoints.ts'
import type { Json } from './schemas.ts'
import { tags } from './tags.ts'

const day = (name: string, description: string, example: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', format: 'date' },
  example,
})

const text: Json = { schema: { type: 'string' } }

const REFUSALS: Refusals = {
  bad_request: 'The path is not correctly percent-encoded',
  unauthenticated: true,
  forbidden: 'Only owners and admins of the team may do this',
  not_found: 'No such site',
  validation_failed: true,
  rate_limited: true,
  unavailable: 'Other exports are running; try again when one is finished',
}

const siteKey = pathText('siteKey', 'Id or domain of the site.', 'example.com')

const answers = (types: string[]): Json => ({
  200: {
    description: 'The file.',
    headers: headersOf(...RATE_HEADERS, 'X-Ignored-Parameters'),
    content: Object.fromEntries(types.map(type => [type.split(';')[0]!, text])),
  },
  ...refusalAnswers(REFUSALS, [...RATE_HEADERS, 'X-Ignored-Parameters']),
  default: otherErrors,
})

/** Endpoints whose answer is a file of any size. */
export const SITE_EXPORT: DescribedEndpoint[] = [
  {
    method: 'get',
    path: '/api/sites/:siteKey/export',
    operation: {
      operationId: 'sitesExportHits',
      tags: [tags.sites!.name],
      summary: 'Export all hits',
      description:
        'Every hit with the values of its session, in order of time, up to the start of the request: a stream of any length. JSON lines are what ' +
        'an import takes. A failure in the middle cuts the connection.',
      parameters: [
        siteKey,
        day(
          'from',
          'First day in the time zone of the site; needs `to`. Without both: everything.',
          '2026-03-01',
        ),
        day('to', 'Last day, included; needs `from`.', '2026-03-31'),
        {
          name: 'format',
          in: 'query',
          description: 'JSON lines have Web Vitals and identities, too; the others have one row a hit.',
          schema: { type: 'string', enum: [...HIT_FORMATS], default: 'jsonl' },
          example: 'jsonl',
        },
        csvDelimiter,
      ],
      responses: answers(HIT_FORMATS.map(format => HIT_TYPES[format])),
    },
  },
  {
    method: 'get',
    path: '/api/sites/:siteKey/export/:kind',
    operation: {
      operationId: 'sitesExportRows',
      tags: [tags.sites!.name],
      summary: 'Export settings, definitions or money',
      description:
        'All of one kind as JSON lines, with every stored field. A failure in the middle cuts the connection.',
      parameters: [
        siteKey,
        {
          ...pathText('kind', 'What to export.', 'payments'),
          schema: { type: 'string', enum: [...ROW_KINDS] },
        },
      ],
      responses: answers([HIT_TYPES.jsonl]),
    },
  },
]
