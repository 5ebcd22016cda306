import { z } from 'zod'
import { label } from '../../../platform/schema/fields.ts'
import { language } from '../recipients/recipient-schema.ts'
import { FREQUENCIES } from './periods.ts'
import { inOrder, periodFields, REPORT_SECTIONS } from './report-schema.ts'

/** In a query string, a list of one is a text. */
const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    given => (typeof given === 'string' ? given.split(',').filter(each => each !== '') : given),
    z.array(item).max(REPORT_SECTIONS.length),
  )

export const PreviewQuery = z.object({
  frequency: z
    .enum(FREQUENCIES)
    .default('weekly')
    .meta({ description: 'Of the newest period that is over.' }),
  language: language.default('en'),
  sections: oneOrMore(z.enum(REPORT_SECTIONS))
    .transform(inOrder(REPORT_SECTIONS))
    .default([...REPORT_SECTIONS])
    .meta({
      type: 'array',
      items: { type: 'string', enum: [...REPORT_SECTIONS] },
      description: 'What it shows beside the traffic, separated by commas; everything by default.',
      example: ['pages', 'revenue'],
    }),
})
export type PreviewQuery = z.infer<typeof PreviewQuery>

export const ReportPreview = z
  .object({
    ...periodFields,
    subject: label('Subject of the mail.', 'example.com: 1,204 visitors from 16 to 22 November 2026'),
    text: label('The mail as text.', 'example.com\nWeekly report …'),
    html: label('The mail as HTML, with its pictures in `data:` addresses.', '<!doctype html>…'),
  })
  .meta({ id: 'ReportPreview' })
export type ReportPreview = z.infer<typeof ReportPreview>
