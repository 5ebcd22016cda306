import { query } from '../../platform/db/query.ts'

/** Returns the keys of the customers of the ledger that a person is. */
export const selectCustomers = query<
  { siteNo: number; person: string; visitorIds: string[]; sessionNos: number[] },
  { customer: string }
>('select-customers-of-person')
