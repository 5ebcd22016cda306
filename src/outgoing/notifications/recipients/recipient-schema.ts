import { z } from 'zod'
import { EmailAddress } from '../../../access/accounts/account-schema.ts'
import { LANGUAGES } from '../../../platform/mail/languages.ts'

export const language = z.enum(LANGUAGES).meta({ description: 'Language of the mails.', example: 'en' })

/** One address that a mail program reads as one: no list, no name, no comment. */
export const address = EmailAddress.refine(
  value => !/[<>()[\],;:\\"\p{Cc}\p{Cf}]/u.test(value),
  'must be one e-mail address, without a name',
).meta({ description: 'Who gets the mails; any e-mail address.', example: 'grace@example.com' })

const RECIPIENT_STATES = ['waiting', 'confirmed', 'unsubscribed', 'no_access'] as const
export const recipientState = z.enum(RECIPIENT_STATES).meta({
  description:
    '`waiting`: the owner of the address has not agreed yet. `no_access`: the user whose address it was does not reach the site any ' +
    'more, or has another address. Mails are sent in the state `confirmed` alone.',
  example: 'confirmed',
})
export type RecipientState = z.infer<typeof recipientState>

/** State of an address that an alert names. */
export const addressState = z.enum([...RECIPIENT_STATES, 'not_asked']).meta({
  description:
    'As of a recipient of reports, or `not_asked`: it was never asked, or has not answered for 30 days. It is asked when the alert is ' +
    'saved with it or switched on.',
  example: 'confirmed',
})
export type AddressState = z.infer<typeof addressState>
