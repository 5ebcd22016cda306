import type { StatsServices } from '../query-context.ts'

type Reader = Pick<StatsServices, 'hidePayer'>

/** Returns the mail address of a payer; null for viewers of the team. */
export const payerMail = ({ hidePayer }: Reader, email: string | null): string | null =>
  hidePayer ? null : email

/** Returns the key of a customer. For viewers, one that is a mail address becomes another one that is as constant. */
export const payerKey = <Key extends string | null>({ hidePayer }: Reader, key: Key): Key | string =>
  hidePayer && key?.startsWith('e:') ? `e:${hidePayer(key.slice(2))}` : key
