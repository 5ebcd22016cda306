import { z } from 'zod'
import { LANGUAGES } from '../../../platform/mail/languages.ts'
import { count, flag, label, timestamp, uuid } from '../../../platform/schema/fields.ts'
import { integer } from '../../../platform/schema/validation.ts'
import { address, language, recipientState } from '../recipients/recipient-schema.ts'
import { FREQUENCIES } from './periods.ts'

/** Sections of a site that a report can show beside the traffic, in their order. */
export const REPORT_SECTIONS = ['sources', 'pages', 'locations', 'goals', 'revenue'] as const
export type ReportSection = (typeof REPORT_SECTIONS)[number]

/** What a report shows unless it is said: as a public site, no money. */
const USUAL_SECTIONS: ReportSection[] = REPORT_SECTIONS.filter(section => section !== 'revenue')

export const inOrder =
  <Value>(all: readonly Value[]) =>
  (given: Value[]) =>
    all.filter(each => given.includes(each))

const frequencies = z
  .array(z.enum(FREQUENCIES))
  .min(1)
  .max(FREQUENCIES.length)
  .transform(inOrder(FREQUENCIES))
  .meta({
    description: 'Which reports: of each day, of each week from Monday to Sunday, of each calendar month.',
    example: ['weekly', 'monthly'],
  })
const hour = integer(0, 23).meta({
  description: "Hour of the site's clocks from which on a report is sent, on the day after its period.",
  example: 8,
})
const sections = z
  .array(z.enum(REPORT_SECTIONS))
  .max(REPORT_SECTIONS.length)
  .transform(inOrder(REPORT_SECTIONS))
  .meta({ description: 'What a report shows beside the traffic.', example: USUAL_SECTIONS })
const skipsEmpty = z.boolean().meta({
  description: 'Send nothing about a period without hits; else a short mail says that there were none.',
})

export const AddRecipient = z.object({
  address,
  frequencies,
  hour: hour.default(8),
  language: language.default('en'),
  sections: sections.default(USUAL_SECTIONS),
  skips_empty: skipsEmpty.default(false),
})
export type AddRecipient = z.infer<typeof AddRecipient>

export const RecipientKey = z.object({ id: uuid('Id of a recipient.') })

/** What is left out stays as it is. The address cannot be changed: another one has to agree for itself. */
export const ChangeRecipient = z.object({
  frequencies: frequencies.optional(),
  hour: hour.optional(),
  language: language.optional(),
  sections: sections.optional(),
  skips_empty: skipsEmpty.optional(),
})
export type ChangeRecipient = z.infer<typeof ChangeRecipient>

export const periodFields = {
  from: label('First day of the period.', '2026-11-16'),
  to: label('Last day, included.', '2026-11-22'),
}
const kind = z.enum([...FREQUENCIES, 'confirmation']).meta({
  description: 'Which report; `confirmation`: the question whether the address wants reports.',
})

/** @see docs/notifications.md "Reports by mail" */
export const Recipient = z
  .object({
    id: uuid('Id of the recipient.'),
    address: label('E-mail address.', 'grace@example.com'),
    frequencies: z.array(z.enum(FREQUENCIES)).meta({ description: 'Which reports.', example: ['weekly'] }),
    hour: z.int().meta({ description: "From which hour of the site's clocks on.", example: 8 }),
    language: z.enum(LANGUAGES).meta({ description: 'Language of the mails.', example: 'en' }),
    sections: z
      .array(z.enum(REPORT_SECTIONS))
      .meta({ description: 'What they show beside the traffic.', example: USUAL_SECTIONS }),
    skips_empty: flag('Whether nothing is sent about a period without hits.'),
    state: recipientState,
    is_user: flag('Whether it is the address of a user of the team: it goes with the membership.', true),
    asked_at: timestamp('When the owner was last asked; null for never.').nullable(),
    last_sent: z
      .object({ ...periodFields, kind, at: timestamp('When the mail server took it.') })
      .nullable()
      .meta({ description: 'The newest mail; null before the first.' }),
    problem: z
      .object({
        ...periodFields,
        kind,
        code: z.enum(['unreachable', 'refused', 'rejected', 'uncertain', 'unavailable']).meta({
          description:
            '`unreachable`: no connection to the mail server. `refused`: it did not take the mail now. `rejected`: it never takes it. ' +
            '`uncertain`: the connection was lost before its answer; the mail is not sent again. `unavailable`: the numbers could not be read.',
          example: 'refused',
        }),
        response: label('What the mail server said; may be empty.', '451 4.7.1 Try again later'),
        attempts: count('How often it was tried.', 3),
        next_at: timestamp('When it is tried again; null for never.').nullable(),
      })
      .nullable()
      .meta({ description: 'Why a mail that is newer than `last_sent` was not sent; null without one.' }),
    created_by: label(
      'E-mail address of who added it; null when they are gone.',
      'ada@example.com',
    ).nullable(),
    created_at: timestamp('When it was added.'),
  })
  .meta({ id: 'ReportRecipient' })
export type Recipient = z.infer<typeof Recipient>

export const ReportSettings = z
  .object({
    sends_mail: flag('Whether the service sends mail at all: its operator has set `SMTP_URL`.', true),
    is_paused: flag('Whether nothing is sent because the team has no active plan.'),
    most_recipients: count('Most recipients of a site.', 20),
    recipients: z.array(Recipient).meta({ description: 'By address.' }),
  })
  .meta({ id: 'ReportSettings' })
export type ReportSettings = z.infer<typeof ReportSettings>

export const TestReport = z.object({
  frequency: z
    .enum(FREQUENCIES)
    .optional()
    .meta({ description: 'Which report; by default the first of those that the recipient gets.' }),
})
