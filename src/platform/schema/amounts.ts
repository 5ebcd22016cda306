import { z } from 'zod'
import { count } from './fields.ts'

/** Most minor units of one amount that is sent, imported or reported by the processor. */
export const MOST_MINOR = 10 ** 12

/** Every digit of a row's revenue; absent when `revenue` is exact. */
const exactRevenue = (whatRevenueIs: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `Every digit of \`revenue\` where it is beyond 2^53 − 1, which JSON numbers do not carry exactly: ${whatRevenueIs}. Else absent.`,
      example: '18014398509481982',
    })

/** Revenue fields for the rows of a list: one amount beyond 2^53 − 1 must not make the whole response fail. */
export const rowRevenueFields = (description: string, example: number) => ({
  revenue: count(
    `${description} Null where it is beyond 2^53 − 1, see \`revenue_exact\`, and for readers without the section \`revenue\`.`,
    example,
  ).nullable(),
  revenue_exact: exactRevenue('`revenue` is null then'),
})

/** Revenue fields for clients that expect a whole number: a larger amount is shown as 2^53 − 1. */
export const cappedRevenueFields = (description: string, example: number) => ({
  revenue: z.int().meta({
    description: `${description} At most 2^53 − 1: see \`revenue_exact\`.`,
    example,
  }),
  revenue_exact: exactRevenue('`revenue` is 2^53 − 1 then'),
})

/** Fields of an amount in the rows of a list, under a name: null where JSON numbers do not carry it, and then with every digit. */
export const rowAmountFields = <Name extends string>(name: Name, description: string, example: number) =>
  ({
    [name]: z
      .int()
      .nullable()
      .meta({
        description: `${description} Null where it is beyond 2^53 − 1, see \`${name}_exact\`.`,
        example,
      }),
    [`${name}_exact`]: z
      .string()
      .optional()
      .meta({
        description: `Every digit of \`${name}\` where that is null. Else absent.`,
        example: '18014398509481982',
      }),
  }) as Record<Name, z.ZodNullable<z.ZodInt>> & Record<`${Name}_exact`, z.ZodOptional<z.ZodString>>

/** Returns an amount in the form of `rowAmountFields`. */
export const presentRowAmount = <Name extends string>(name: Name, amount: bigint) =>
  (isExact(amount)
    ? { [name]: Number(amount) }
    : { [name]: null, [`${name}_exact`]: String(amount) }) as Record<Name, number | null> &
    Partial<Record<`${Name}_exact`, string>>

/** What readers get who may not see revenue. */
export const HIDDEN_REVENUE = { revenue: null }

/** Returns an amount in the form of `rowRevenueFields`. */
export const presentRowRevenue = (amount: bigint): { revenue: number | null; revenue_exact?: string } =>
  isExact(amount) ? { revenue: Number(amount) } : { revenue: null, revenue_exact: String(amount) }

/** Returns an amount in the form of `cappedRevenueFields`. */
export const presentCappedRevenue = (amount: bigint): { revenue: number; revenue_exact?: string } => ({
  revenue: capped(amount),
  ...(!isExact(amount) && { revenue_exact: String(amount) }),
})

/** Returns the nearest exact number, at most 2^53 − 1: a sum beyond it must not end a read. */
export function capped(amount: bigint): number {
  if (isExact(amount)) return Number(amount)
  return amount < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
}

const isExact = (amount: bigint): boolean => Number.isSafeInteger(Number(amount))
