import { z } from 'zod'
import { LANGUAGES } from '../../../platform/mail/languages.ts'
import { label } from '../../../platform/schema/fields.ts'

const token = z.string().max(1_000).meta({
  description: 'The last part of the address in the mail.',
  example: '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90.4fJ0pXyYb2N8sQeT6uVhKzR1mWcLgD3a',
})
export const LinkOfMail = z.object({ token })
export const LookUpLink = z.object({
  purpose: z.enum(['confirm', 'unsubscribe']).meta({ description: 'What the link is for.' }),
  token,
})

export const Subscription = z
  .object({
    address: label('Who gets the mails, or is asked.', 'grace@example.com'),
    domain: label('Domain of the site.', 'example.com'),
    language: z.enum(LANGUAGES).meta({ description: 'Language of the mails.', example: 'en' }),
    state: z
      .enum(['waiting', 'confirmed', 'unsubscribed'])
      .meta({ description: 'Whether mails of the site are sent there.', example: 'confirmed' }),
  })
  .meta({ id: 'ReportSubscription' })
export type Subscription = z.infer<typeof Subscription>
