import { z } from 'zod'
import { EmailAddress } from '../../accounts/schema.ts'

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]
export const language = z.enum(LANGUAGES).meta({ description: 'Language of the mails.', example: 'en' })

/** One address that a mail program reads as one: no list, no name, no comment. */
export const address = EmailAddress.refine(
  value => !/[<>()[\],;:\\"\p{Cc}\p{Cf}]/u.test(value),
  'must be one e-mail address, without a name',
).meta({ description: 'Who gets the mails; any e-mail address.', example: 'grace@example.com' })

export const recipientState = z.enum(['waiting', 'confirmed', 'unsubscribed', 'no_access']).meta({
  description:
    '`waiting`: the owner of the address has not agreed yet. `no_access`: the user whose address it was does not reach the site any ' +
    'more, or has another address. Mails are sent in the state `confirmed` alone.',
  example: 'confirmed',
})
export type RecipientState = z.infer<typeof recipientState>
